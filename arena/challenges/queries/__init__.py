"""Every read of challenges that crosses rows, shared by pages, API and tasks."""
