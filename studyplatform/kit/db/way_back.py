"""The way back of a migration that would lose rows: it is refused with a message, before anything has changed.

An installation that must go back all the same restores the backup from before its upgrade.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.core.management import CommandError
from django.db.migrations import RunPython
from django.db.models import QuerySet

Rows = QuerySet[Any, Any]


def _all(rows: Rows) -> Rows:
    return rows


def refuses_way_back(found: str, app: str, model: str, choose: Callable[[Rows], Rows] = _all) -> RunPython:
    """Return the last operation of a migration, which the rows of a model that ``choose`` picks keep from going back.

    ``found``: what they are, in the plural. CommandError says so without a traceback.
    """

    def refuse(apps: Any, schema_editor: Any) -> None:
        if number := choose(apps.get_model(app, model).objects.order_by()).count():
            raise CommandError(
                f"The earlier version has no place for {found} (this database has {number})."
                " Restore the backup from before the upgrade instead."
            )

    return RunPython(RunPython.noop, refuse)
