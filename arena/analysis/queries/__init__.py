"""Reads of analyses."""
