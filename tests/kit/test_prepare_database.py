"""What makes it sound to build a new database's dj-stripe tables from its models."""

from django.apps import apps
from django.db import migrations
from django.db.migrations.autodetector import MigrationAutodetector
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.state import ProjectState
from django.test import override_settings

from studyplatform.kit.management.commands.prepare_database import FROM_MODELS

CODE = (migrations.RunPython, migrations.RunSQL, migrations.SeparateDatabaseAndState)


@override_settings(MIGRATION_MODULES={})
def test_migrations_built_from_models_carry_no_code_of_their_own():
    loader = MigrationLoader(None)

    judged = [m for (label, _), m in loader.disk_migrations.items() if label in FROM_MODELS]

    assert len(judged) >= 3
    assert not [m for m in judged for operation in m.operations if isinstance(operation, CODE)]


@override_settings(MIGRATION_MODULES={})
def test_models_and_migrations_describe_the_same_tables():
    loader = MigrationLoader(None)
    changes = MigrationAutodetector(loader.project_state(), ProjectState.from_apps(apps)).changes(graph=loader.graph)

    assert not [label for label in FROM_MODELS if label in changes]
