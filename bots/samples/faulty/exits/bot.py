"""Is gone before it is asked anything."""
