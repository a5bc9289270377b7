"""Guessing: the game that `pennant new-game` starts from. Replace its rules by your own."""
