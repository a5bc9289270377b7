"""Ladders: who plays whom, ratings and seasons."""
