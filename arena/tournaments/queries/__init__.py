"""Every read of tournaments that crosses rows, shared by pages, API and tasks."""
