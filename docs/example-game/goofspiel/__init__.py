"""Goofspiel, the example of a game outside the tree: bids for prizes, made at the same time."""
