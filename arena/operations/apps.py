"""The configuration of the apps that need one."""

import logging
import os
from importlib import import_module

from django.apps import AppConfig
from django.conf import settings
from django.core import checks
from django.utils.module_loading import import_string

from arena.celery import app
from arena.core.data_folder import restrict_data_folder
from arena.core.database import check_database_release
from arena.core.environment import list_warnings
from arena.core.environment_table import SETTINGS

logger = logging.getLogger(__name__)


class ArenaConfig(AppConfig):
    """The app `arena`, which has the tasks."""

    name = "arena.operations"
    label = "arena"

    def ready(self) -> None:
        """Make Celery's app the default one with its tasks, and prepare logs, checks and the data folder."""
        app.set_default()
        import_module("arena.operations.tasks")  # It reads models, which are loaded only now.
        checks.register(check_database_release, checks.Tags.database)
        if settings.LOG_FORMAT == "json":
            logging.captureWarnings(True)
        if settings.SENTRY_DSN:  # The library takes 20 MB of each process, and half a second of its start.
            import_string("arena.core.failure_reports.start_reporting")(settings.SENTRY_DSN)
        if said := restrict_data_folder(settings.DATA_DIR):
            logger.warning(said)
        for line in list_warnings((setting.name for setting in SETTINGS), os.environ):
            logger.warning(line)


class AnalysisConfig(AppConfig):
    """The app `arena.contests.analysis`, whose label makes no title."""

    name = "arena.contests.analysis"
    verbose_name = "analyses"
