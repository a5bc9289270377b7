"""The games' rules, records and their verification. It imports only the standard library."""
