"""The configuration of the site."""

import logging

from django.apps import AppConfig
from django.conf import settings

from arena.celery import app
from arena.data_folder import restrict_data_folder

logger = logging.getLogger(__name__)


class ArenaConfig(AppConfig):
    """The app `arena`, which has the tasks."""

    name = "arena"
    label = "arena"

    def ready(self) -> None:
        """Make Celery's app the default one, so that tasks are sent by it, and close the data folder to others."""
        app.set_default()
        if said := restrict_data_folder(settings.DATA_DIR):
            logger.warning(said)
