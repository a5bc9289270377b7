"""Every read of follows and news that crosses rows, shared by pages, API and tasks."""
