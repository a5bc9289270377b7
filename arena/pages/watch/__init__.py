"""The page on which spectators watch recent matches one after another."""
