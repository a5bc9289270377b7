"""Every write of tournaments."""
