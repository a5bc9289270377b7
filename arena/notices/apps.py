"""The configuration of the app."""

from django.apps import AppConfig


class NoticesConfig(AppConfig):
    """The app `arena.notices`."""

    name = "arena.notices"
