"""Django's ``migrate``, but with the tables of apps without migrations created last.

With ``run_syncdb`` Django creates them first, before the tables of the migrated apps that they reference: PostgreSQL
refuses a foreign key to a table that does not exist (dj-stripe's customers reference our users).
"""

from typing import Any

from django.core.management.commands import migrate


class Command(migrate.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        if options["run_syncdb"]:
            super().handle(*args, **{**options, "run_syncdb": False})
        super().handle(*args, **options)
