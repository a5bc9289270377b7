"""Every read of bots that crosses rows, shared by pages, API and tasks."""
