"""The Django app of the atlas."""

from django.apps import AppConfig


class AtlasConfig(AppConfig):
    """Configuration of the app."""

    name = "arena.atlas"
    default_auto_field = "django.db.models.BigAutoField"
