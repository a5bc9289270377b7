"""Bots, their versions and files, the teams that work on them, and tokens for scripts."""
