"""Sequential tests of whether a version is better than another."""
