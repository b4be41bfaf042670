"""Django's ``flush``, which empties all tables, also those with triggers against it (kit/db/triggers.py)."""

from typing import Any

from django.core.management.commands import flush

from studyplatform.kit.db.triggers import without_guards


class Command(flush.Command):
    def handle(self, **options: Any) -> None:
        with without_guards(using=options["database"]):
            super().handle(**options)
