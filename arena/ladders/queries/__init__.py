"""Every read of ladders that crosses rows, shared by pages, API and tasks."""
