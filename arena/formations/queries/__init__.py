"""Every read of formations that crosses rows, shared by pages, API and tasks."""
