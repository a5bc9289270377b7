"""Prepare an arena, and keep its processes running."""
