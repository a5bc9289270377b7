"""The REST API for programs: a module for each family of resources, described at `/api/v1/docs/`."""
