"""The REST API, with a module for each family of resources; documented at `/api/v1/docs/`."""
