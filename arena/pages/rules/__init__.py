"""Pages of the rules of the games."""
