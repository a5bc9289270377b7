"""The configuration of the app."""

from django.apps import AppConfig


class BotsConfig(AppConfig):
    """The app `arena.bots`."""

    name = "arena.bots"
