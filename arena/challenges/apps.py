"""The configuration of the app."""

from django.apps import AppConfig


class ChallengesConfig(AppConfig):
    """The app `arena.challenges`."""

    name = "arena.challenges"
