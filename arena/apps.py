"""The configuration of the site."""

import logging
import os

from django.apps import AppConfig
from django.conf import settings
from django.utils.module_loading import import_string

from arena.celery import app
from arena.data_folder import restrict_data_folder
from arena.environment import Environment
from arena.environment_table import SETTINGS

logger = logging.getLogger(__name__)


class ArenaConfig(AppConfig):
    """The app `arena`, which has the tasks."""

    name = "arena"
    label = "arena"

    def ready(self) -> None:
        """Make Celery's app the default one, close the data folder to others, and warn of unknown settings."""
        app.set_default()
        if settings.LOG_FORMAT == "json":
            logging.captureWarnings(True)
        if settings.SENTRY_DSN:  # The library takes 20 MB of each process, and half a second of its start.
            import_string("arena.failure_reports.start_reporting")(settings.SENTRY_DSN)
        if said := restrict_data_folder(settings.DATA_DIR):
            logger.warning(said)
        for line in Environment(SETTINGS).list_warnings(os.environ):
            logger.warning(line)
