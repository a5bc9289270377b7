"""The configuration of the site."""

from django.apps import AppConfig

from arena.celery import app


class ArenaConfig(AppConfig):
    """The app `arena`, which has the tasks."""

    name = "arena"
    label = "arena"

    def ready(self) -> None:
        """Make Celery's app the default one, so that tasks are sent by it."""
        app.set_default()
