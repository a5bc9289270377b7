"""The models as the tables are after some apps were migrated back."""

from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.state import StateApps


def read_models() -> StateApps:
    """Return the models of all tables as they are now: those of other apps stay at their newest."""
    loader = MigrationExecutor(connection).loader
    return loader.project_state([node for node in loader.applied_migrations if node in loader.graph.nodes]).apps


def migrate_to(old: list[tuple[str, str]]) -> StateApps:
    """Take the tables of some apps back, and return the models as all tables are then."""
    MigrationExecutor(connection).migrate(old)
    return read_models()
