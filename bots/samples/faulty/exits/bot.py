"""Exits before it is asked anything."""
