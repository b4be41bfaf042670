"""Versions of tables, changed by triggers in the transaction that changes the data.

A row of ``kit_version`` holds a random value per name. A trigger replaces it with every change of a watched column,
no matter where the change comes from: a service, the admin, a migration, a database shell. So what a process caches
under the current value is right, and all processes notice a change at once, at the price of one short query per
request.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connection, transaction
from django.db.models import Model

from studyplatform.kit.models import Version

PREFIX = "version_"


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


def _triggers(vendor: str) -> dict[str, tuple[str, str]]:
    """Table and CREATE statement by trigger name. The name is a hash of the statement."""
    found: dict[str, tuple[str, str]] = {}
    for watch_ in _watches.values():
        if vendor == "postgresql":
            rest = (
                f'AFTER {" OR ".join(watch_.events)} ON "{watch_.table}"'
                f" FOR EACH STATEMENT EXECUTE FUNCTION kit_raise_version('{watch_.version}')"
            )
            bodies = [rest]
        else:
            name = watch_.version
            renew = (
                f"DELETE FROM kit_version WHERE name = '{name}'; "  # noqa: S608 (a name of our own)
                f"INSERT INTO kit_version (name, value) VALUES ('{name}', lower(hex(randomblob(16))))"
            )
            # Not an upsert: the conflict clause of the statement that fires a trigger would overrule it.
            bodies = [f'AFTER {event} ON "{watch_.table}" BEGIN {renew}; END' for event in watch_.events]
        for body in bodies:
            name = f"{PREFIX}{hashlib.sha256(body.encode()).hexdigest()[:16]}"
            found[name] = (watch_.table, f"CREATE TRIGGER {name} {body}")
    return found


def _installed(cursor: Any, vendor: str) -> dict[str, str]:
    """The installed triggers: table by name."""
    if vendor == "postgresql":
        cursor.execute(
            "SELECT tgname, relname FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid"
            " WHERE NOT tgisinternal AND starts_with(tgname, %s) AND pg_table_is_visible(pg_class.oid)",
            [PREFIX],
        )
    else:
        cursor.execute(
            "SELECT name, tbl_name FROM sqlite_master WHERE type = 'trigger' AND name GLOB %s", [f"{PREFIX}*"]
        )
    return dict(cursor.fetchall())


def _drop(cursor: Any, vendor: str, name: str, table: str) -> None:
    cursor.execute(f"DROP TRIGGER {name}" + (f' ON "{table}"' if vendor == "postgresql" else ""))


def drop_triggers(*, plan: Any = None, using: str = DEFAULT_DB_ALIAS, **kwargs: Any) -> None:
    """Before migrations: a column that a trigger names cannot change its type."""
    if not plan or not _is_ready(using):
        return
    with connection.cursor() as cursor:
        for name, table in _installed(cursor, connection.vendor).items():
            _drop(cursor, connection.vendor, name, table)


def install_triggers(*, using: str = DEFAULT_DB_ALIAS, **kwargs: Any) -> None:
    """After migrations: install missing triggers, drop outdated ones, and renew the values if any was missing."""
    vendor = connection.vendor
    if not _is_ready(using):
        return
    with transaction.atomic(), connection.cursor() as cursor:
        wanted, installed = _triggers(vendor), _installed(cursor, vendor)
        if wanted.keys() == installed.keys():
            return
        for name in installed.keys() - wanted.keys():
            _drop(cursor, vendor, name, installed[name])
        if vendor == "postgresql":
            cursor.execute(_FUNCTION)
        tables = set(connection.introspection.table_names(cursor))
        for name in wanted.keys() - installed.keys():
            table, statement = wanted[name]
            if table in tables:  # an app may be migrated alone
                cursor.execute(statement)
        names = {watch_.version for watch_ in _watches.values()}
        Version.objects.all().delete()
        Version.objects.bulk_create(Version(name=name, value=str(uuid.uuid4())) for name in names)


def _is_ready(using: str) -> bool:
    return using == DEFAULT_DB_ALIAS and "kit_version" in connection.introspection.table_names()
