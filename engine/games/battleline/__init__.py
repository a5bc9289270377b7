"""The game Battle Line."""
