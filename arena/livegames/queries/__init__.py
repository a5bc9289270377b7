"""Reads of live games."""
