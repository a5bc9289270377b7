"""Pages of groups, which nobody but their members sees."""
