"""The configuration of the app."""

from django.apps import AppConfig


class LaddersConfig(AppConfig):
    """The app `arena.ladders`."""

    name = "arena.ladders"
