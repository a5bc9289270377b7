"""Daily puzzles: positions of public legs, their proved answers, and how people answered."""
