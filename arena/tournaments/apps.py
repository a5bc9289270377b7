"""The configuration of the app."""

from django.apps import AppConfig


class TournamentsConfig(AppConfig):
    """The app `arena.tournaments`."""

    name = "arena.tournaments"
