"""The Django app of the stories."""

from django.apps import AppConfig


class StoriesConfig(AppConfig):
    """Configuration of the app."""

    name = "arena.stories"
    default_auto_field = "django.db.models.BigAutoField"
