"""A list of matches, within a template: its rows, and the controls of its filters."""

from django import template

from arena.pages.matches.rows import draw_control, draw_own_rows, draw_rows

register = template.Library()
register.filter("match_rows", draw_rows)
register.filter("own_match_rows", draw_own_rows)
register.filter("control", draw_control)
