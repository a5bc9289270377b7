"""Writes of live games."""
