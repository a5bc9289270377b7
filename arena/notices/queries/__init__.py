"""Every read of notices and webhooks that crosses rows, shared by pages, API and tasks."""
