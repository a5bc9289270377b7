"""Every read of matches that crosses rows, shared by pages, API and tasks."""
