"""Whether the database is as new as the code."""

from django.db import connection
from django.db.migrations.executor import MigrationExecutor


def are_all_migrations_applied() -> bool:
    """Return whether no migration is left, of any app: only then have the tables all columns of the models."""
    executor = MigrationExecutor(connection)
    return not executor.migration_plan(executor.loader.graph.leaf_nodes())
