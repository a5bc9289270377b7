"""The configuration of the app."""

from django.apps import AppConfig


class AuditConfig(AppConfig):
    """The app `arena.audit`."""

    name = "arena.audit"
