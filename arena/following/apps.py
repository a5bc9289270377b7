"""The configuration of the app."""

from django.apps import AppConfig


class FollowingConfig(AppConfig):
    """The app `arena.following`."""

    name = "arena.following"
