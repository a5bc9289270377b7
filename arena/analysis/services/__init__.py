"""Writes of analyses."""
