"""The configuration of the app."""

from django.apps import AppConfig


class LiveGamesConfig(AppConfig):
    """The app `arena.livegames`."""

    name = "arena.livegames"
