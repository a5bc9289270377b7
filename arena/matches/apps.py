"""The configuration of the app."""

from django.apps import AppConfig


class MatchesConfig(AppConfig):
    """The app `arena.matches`."""

    name = "arena.matches"
