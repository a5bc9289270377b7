"""The rules of the games, records and their verification. It imports nothing but the standard library."""
