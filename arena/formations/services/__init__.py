"""Services that create, count and name formations."""
