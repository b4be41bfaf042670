"""``manage.py prepare_database``: migrate the database to the current version; quickly if it is new."""

from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand

from studyplatform.kit.db import new_database


class Command(BaseCommand):
    help = "Create the database, or migrate it to the current version."

    def handle(self, *, verbosity: int, **options: Any) -> None:
        if new_database.is_new():
            new_database.create_tables()
        else:
            call_command("migrate", verbosity=verbosity, interactive=False)
