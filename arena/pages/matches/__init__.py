"""Pages of matches: the list, a match and its replay, legs side by side, a record from disk."""
