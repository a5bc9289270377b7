"""Change a bot everywhere at once: on ladders, in tournaments, matches, live games and records."""
