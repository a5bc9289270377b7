"""The game Battalion."""
