"""The configuration of the app."""

from django.apps import AppConfig


class FormationsConfig(AppConfig):
    """The app `arena.formations`."""

    name = "arena.formations"
