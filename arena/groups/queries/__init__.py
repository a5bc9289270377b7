"""Every read of groups that crosses rows, shared by pages and services."""
