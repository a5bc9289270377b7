"""The rules of the games, records and their verification. It imports only the standard library."""
