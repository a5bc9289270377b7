"""Every write of ladders."""
