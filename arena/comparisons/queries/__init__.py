"""Every read of comparisons that crosses rows, shared by pages, API and tasks."""
