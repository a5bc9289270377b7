"""The configuration of the app."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """The app `arena.accounts`."""

    name = "arena.accounts"
