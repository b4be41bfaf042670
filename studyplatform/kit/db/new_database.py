"""A new database: its tables are created from the models instead of by all migrations one after the other.

Each operation of a migration makes Django render its models again, nearly all of them, because most refer to users:
44 seconds of CPU for the project's own migrations, 40 for those of dj-stripe. They end in what the models say, but for
what no model describes (search tables, first rows): a migration does that in a ``RunOnNewDatabase``, which runs here
too. tests/kit/test_new_database.py compares the two ways.
"""

from typing import cast

from django.apps import apps
from django.core.management import call_command
from django.db import connection, transaction
from django.db.migrations import RunPython
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder
from django.db.migrations.state import StateApps
from django.test import override_settings


class RunOnNewDatabase(RunPython):
    """Python of a migration that a new database needs as well: for what no model describes, and for first rows.

    On a new database it gets the current models, and all tables are there. A plain ``RunPython`` or ``RunSQL`` runs
    only on a database that has rows to convert.
    """


def is_new() -> bool:
    """Whether no migration was ever applied to the database."""
    return not MigrationRecorder(connection).applied_migrations()


def create_tables() -> None:
    """Create all tables of an empty database from the models and record all migrations as applied.

    It happens in one transaction: a process that is killed leaves the database empty.
    """
    labels = [config.label for config in apps.get_app_configs()]
    # SQLite changes tables only while it checks no foreign keys, and a transaction cannot switch that.
    with connection.constraint_checks_disabled(), transaction.atomic():
        with override_settings(MIGRATION_MODULES=dict.fromkeys(labels)):
            call_command("migrate", run_syncdb=True, verbosity=0)
        executor = MigrationExecutor(connection)
        with connection.schema_editor() as schema_editor:
            for migration, _is_backwards in executor.migration_plan(executor.loader.graph.leaf_nodes()):
                for operation in migration.operations:
                    if isinstance(operation, RunOnNewDatabase):
                        operation.code(cast(StateApps, apps), schema_editor)
        call_command("migrate", fake=True, verbosity=0)
