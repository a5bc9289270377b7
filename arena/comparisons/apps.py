"""The configuration of the app."""

from django.apps import AppConfig


class ComparisonsConfig(AppConfig):
    """The app `arena.comparisons`."""

    name = "arena.comparisons"
