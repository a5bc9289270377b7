"""Reads of the stories."""
