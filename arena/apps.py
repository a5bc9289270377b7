from django.apps import AppConfig

from arena.celery import app


class ArenaConfig(AppConfig):
    name = "arena"
    label = "arena"

    def ready(self) -> None:
        app.set_default()
