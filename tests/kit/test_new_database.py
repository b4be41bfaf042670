"""A new database is made from the models. It must be what all migrations make, and older databases must become it."""

import hashlib
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from django.apps import apps
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.state import StateApps
from django.test import override_settings

from studyplatform.kit.db import new_database
from studyplatform.kit.db.new_database import RunOnNewDatabase
from tests import checks, databases
from tests.kit import schema
from tests.kit.schema import describe

pytestmark = pytest.mark.timeout(1800)  # half a minute of CPU, on a machine that may have other work
RELEASED = {
    "accounts": "0008_personal_tokens",
    "billing": "0007_books_checks",
    "courses": "0014_learning_paths",
    "files": "0015_name_search",
    "forum": "0012_edits_told",
    "kit": "0004_announcement",
    "learning": "0008_practice",
    "samples": "0002_shared_todos",
    "tutor": "0008_todos_and_topics",
}
"""The last migration of each app that installations have. A test run applies only what came after them; move them at
each release. ``make test-all`` applies all."""

PAIRS = "auth_group_permissions|djstripe_djstripe(invoicedefault|invoiceitem|subscriptionitem)taxrate"
NUMBERS_OF_PAIRS = rf"column ({PAIRS}) id: (integer|bigint) NOT NULL identity=d generated="


def describe_new() -> Counter[str]:
    with databases.without_tables("new"):
        new_database.create_tables()
        return describe()


def different_parts(one: Counter[str], other: Counter[str]) -> list[str]:
    """The parts that only one of two databases has.

    A package's models number the rows of a table of pairs by integers, its migrations by our DEFAULT_AUTO_FIELD.
    """
    parts = [f"+ {part}" for part in one - other] + [f"- {part}" for part in other - one]
    return sorted(part for part in parts if not re.fullmatch(NUMBERS_OF_PAIRS, part[2:]))


def create_released_tables() -> StateApps:
    """Create the tables of the last release, from the state that its migrations describe; return its models."""
    executor = MigrationExecutor(connection)
    graph = executor.loader.graph
    nodes = [(label, RELEASED.get(label, name)) for label, name in graph.leaf_nodes()]
    released = executor.loader.project_state(nodes).apps
    plan = [migration for migration, _ in executor.migration_plan(nodes)]
    executor.recorder.ensure_schema()
    with connection.schema_editor() as schema_editor:
        for model in released.get_models():
            if model._meta.can_migrate(connection) and model._meta.app_label in executor.loader.migrated_apps:
                schema_editor.create_model(model)
    with connection.schema_editor() as schema_editor:
        for migration in plan:
            for operation in migration.operations:
                if isinstance(operation, RunOnNewDatabase):
                    operation.code(released, schema_editor)
            executor.recorder.record_applied(migration.app_label, migration.name)
    return released


def hash_upgrade() -> str:
    """A hash of all that decides how an upgrade ends: it costs as much as hundreds of other tests."""
    own = [Path(__file__), Path(schema.__file__), Path(databases.__file__)]
    return hashlib.sha256(
        b"".join([databases.hash_schema().encode(), *(file.read_bytes() for file in own)])
    ).hexdigest()


def compare_upgraded(monkeypatch: pytest.MonkeyPatch) -> None:
    stamp, state = checks.STAMPS / f"upgrade-{connection.vendor}", hash_upgrade()
    if stamp.exists() and stamp.read_text() == state:
        pytest.skip("passed before with the same models and migrations; `make clean` forgets that")
    # Django asks this for each relation of each model, thousands of times, and models don't change meanwhile.
    monkeypatch.setattr(apps, "get_swappable_settings_name", cache(apps.get_swappable_settings_name))
    with databases.without_tables("upgraded"):
        create_released_tables()
        call_command("migrate", run_syncdb=True, verbosity=0)  # tests have dj-stripe's tables without migrations
        upgraded = describe()
    assert different_parts(upgraded, describe_new()) == []
    stamp.parent.mkdir(exist_ok=True)
    stamp.write_text(state)


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_a_database_of_the_last_release_is_upgraded_to_what_a_new_one_is(monkeypatch: pytest.MonkeyPatch) -> None:
    compare_upgraded(monkeypatch)


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
def test_a_postgresql_database_of_the_last_release_is_upgraded_to_what_a_new_one_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compare_upgraded(monkeypatch)


@pytest.mark.long
@pytest.mark.database
@pytest.mark.django_db(transaction=True)
@override_settings(MIGRATION_MODULES={})
def test_all_migrations_together_make_what_a_new_database_is() -> None:
    with databases.without_tables("migrated"):
        call_command("migrate", verbosity=0)
        migrated = describe()
    new = describe_new()
    assert len(new) > 3000
    assert different_parts(migrated, new) == []


class Killed(BaseException):
    """The process ends here."""


@pytest.mark.django_db(transaction=True)
def test_a_start_that_is_killed_while_it_creates_the_tables_leaves_a_database_that_the_next_one_prepares(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def die(*_: object, **__: object) -> None:
        raise Killed

    with databases.without_tables("killed"):
        with monkeypatch.context() as patch:
            patch.setattr(MigrationExecutor, "migration_plan", die)
            with pytest.raises(Killed):
                call_command("prepare_database", verbosity=0)
        connection.close()
        assert connection.introspection.table_names() == []

        call_command("prepare_database", verbosity=0)

        assert not new_database.is_new()
        assert apps.get_model("courses", "Subject").objects.exists()
        executor = MigrationExecutor(connection)
        assert executor.migration_plan(executor.loader.graph.leaf_nodes()) == []
