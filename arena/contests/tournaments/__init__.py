"""Tournaments: formats, standings, and the services that keep them going."""
