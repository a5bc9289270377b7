"""Drawings: everything here turns numbers into SVG. Templates draw all HTML."""
