"""Versions of tables, changed by triggers in the transaction that changes the data.

A row of ``kit_version`` holds a random value per name. A trigger replaces it with every change of a watched column,
no matter where the change comes from: a service, the admin, a migration, a database shell. So what a process caches
under the current value is right, and all processes notice a change at once, at the price of one short query per
request.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from django.db import connection
from django.db.models import Model

from studyplatform.kit.db import triggers
from studyplatform.kit.db.triggers import Trigger, Triggers
from studyplatform.kit.models import Version


@dataclass(frozen=True)
class _Watch:
    version: str
    table: str
    events: tuple[str, ...]


_watches: dict[tuple[str, str], _Watch] = {}
_read_values: ContextVar[dict[str, str] | None] = ContextVar("versions_read_values", default=None)


def watch(version: str, model: type[Model], *, only: set[str] | None = None, ignoring: set[str] | None = None) -> None:
    """Change this version when a row of the model is inserted, deleted or updated, except in the fields ``ignoring``.

    With ``only``, change it just when one of these fields is updated, not on insert or delete.

    :raises ValueError: the model has no such field.
    """
    meta = model._meta  # noqa: SLF001 (public by Django's documentation)
    if unknown := ((only or set()) | (ignoring or set())) - {field.name for field in meta.local_concrete_fields}:
        raise ValueError(f"{meta.label} has no field {', '.join(sorted(unknown))}")
    fields = [field for field in meta.local_concrete_fields if field.name not in (ignoring or set())]
    columns = ", ".join(f'"{field.column}"' for field in fields if only is None or field.name in only)
    events = (f"UPDATE OF {columns}",) if only else (f"UPDATE OF {columns}", "INSERT", "DELETE")
    _watches[version, meta.db_table] = _Watch(version, meta.db_table, events)


def current(version: str) -> str | None:
    """The current value. One query, or one per request within :func:`read_once`.

    None if there is no value (the database is being migrated): then nothing may be cached.
    """
    values = _read_values.get()
    if values is None:
        return _read().get(version)
    if not values:
        values.update(_read())
    return values.get(version)


@contextmanager
def read_once() -> Iterator[None]:
    """Within, the values are read once: for a request that changes nothing."""
    token = _read_values.set({})
    try:
        yield
    finally:
        _read_values.reset(token)


def _read() -> dict[str, str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT name, value FROM kit_version")
        return dict(cursor.fetchall())


# --- Triggers --------------------------------------------------------------------------------------

_FUNCTION = """
CREATE OR REPLACE FUNCTION kit_raise_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO kit_version (name, value) VALUES (TG_ARGV[0], gen_random_uuid()::text)
    ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value;
    RETURN NULL;
END $$"""


def _wanted(vendor: str) -> Iterator[Trigger]:
    for watch_ in _watches.values():
        if vendor == "postgresql":
            body = (
                f'AFTER {" OR ".join(watch_.events)} ON "{watch_.table}"'
                f" FOR EACH STATEMENT EXECUTE FUNCTION kit_raise_version('{watch_.version}')"
            )
            yield Trigger(watch_.table, body, _FUNCTION)
        else:
            name = watch_.version
            renew = (
                f"DELETE FROM kit_version WHERE name = '{name}'; "  # noqa: S608 (a name of our own)
                f"INSERT INTO kit_version (name, value) VALUES ('{name}', lower(hex(randomblob(16))))"
            )
            # Not an upsert: the conflict clause of the statement that fires a trigger would overrule it.
            for event in watch_.events:
                yield Trigger(watch_.table, f'AFTER {event} ON "{watch_.table}" BEGIN {renew}; END')


def _renew_values() -> None:
    names = {watch_.version for watch_ in _watches.values()}
    Version.objects.all().delete()
    Version.objects.bulk_create(Version(name=name, value=str(uuid.uuid4())) for name in names)


triggers.register(Triggers(prefix="version_", table="kit_version", wanted=_wanted, renew=_renew_values))
