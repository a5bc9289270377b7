"""Programs for those who work on Pennant."""
