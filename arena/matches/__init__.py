"""The queue of matches, and how a match is played and stored."""
