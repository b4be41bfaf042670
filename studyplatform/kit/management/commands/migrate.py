"""Django's ``migrate``, with the tables that come from models made last.

With ``run_syncdb`` Django makes them first, before the migrated apps exist that they point to: PostgreSQL
refuses a foreign key into a table that is not there yet (dj-stripe's customers point to our people).
"""

from typing import Any

from django.core.management.commands import migrate


class Command(migrate.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        if options["run_syncdb"]:
            super().handle(*args, **{**options, "run_syncdb": False})
        super().handle(*args, **options)
