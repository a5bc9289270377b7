"""The REST API: a module for each family of resources, described at `/api/v1/docs/`."""
