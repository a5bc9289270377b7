"""A worked example: train a small policy, and make a bot of it."""
