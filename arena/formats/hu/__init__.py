"""Hungarian formats."""
