"""Settings of the app."""

from django.apps import AppConfig


class GroupsConfig(AppConfig):
    """The app of groups."""

    name = "arena.groups"
    verbose_name = "Groups"
