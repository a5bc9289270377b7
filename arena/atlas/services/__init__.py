"""Every write of the atlas."""
