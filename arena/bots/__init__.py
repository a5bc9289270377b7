"""Bots, their versions, and tokens for scripts."""
