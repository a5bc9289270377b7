"""Every write of groups."""
