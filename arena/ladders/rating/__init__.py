"""Ratings as pure functions of results: no database access."""
