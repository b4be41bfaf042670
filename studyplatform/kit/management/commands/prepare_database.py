"""``manage.py prepare_database``: migrate the database to the current schema, quickly if it is new.

dj-stripe's migrations take 40 seconds of CPU on an empty database and create exactly the tables that its
models describe. So in a new database those tables are created from the models and the migrations are recorded
as applied; an existing one is migrated as usual. tests/kit/test_prepare_database.py checks the assumptions:
the migrations run no code of their own and produce the same tables as the models.
"""

from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand
from django.db import connection
from django.test import override_settings

FROM_MODELS = ("djstripe",)


class Command(BaseCommand):
    help = "Create the database, or migrate it to the current version."

    def handle(self, *, verbosity: int, **options: Any) -> None:
        if "django_migrations" not in connection.introspection.table_names():
            with override_settings(MIGRATION_MODULES=dict.fromkeys(FROM_MODELS)):
                call_command("migrate", run_syncdb=True, verbosity=0)
            for label in FROM_MODELS:
                call_command("migrate", label, fake=True, verbosity=0)
        call_command("migrate", verbosity=verbosity, interactive=False)
