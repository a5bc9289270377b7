"""The configuration of the app."""

from django.apps import AppConfig


class AnalysisConfig(AppConfig):
    """The app `arena.analysis`."""

    name = "arena.analysis"
    verbose_name = "analyses"
