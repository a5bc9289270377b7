"""Every write of follows and news."""
