"""The rules of the games. It imports nothing but the standard library."""
