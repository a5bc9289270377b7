"""Unrated matches requested by an author."""
