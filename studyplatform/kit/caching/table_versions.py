"""Versions of what many pages show, raised by the database itself in the transaction of the change.

A row of ``kit_version`` holds a value that no state of its tables ever had before. Triggers put a new one
there with every change of a watched column, whoever makes it: a service, the admin, a migration, a person
with a database shell. So what a process keeps under the present value is right, and all processes find
out at once, at the price of one short query per request.
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
_seen: ContextVar[dict[str, str] | None] = ContextVar("versions_seen", default=None)


def watch(version: str, model: type[Model], *, only: set[str] | None = None, ignoring: set[str] | None = None) -> None:
    """Raise this version when a row of the model comes, goes or changes, but for changes of ``ignoring``.

    With ``only``, when one of these fields changes; rows may come and go unnoticed.

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
    """The present value; None if nothing can be said, and then nothing may be kept. One query."""
    seen = _seen.get()
    if seen is None:
        return _read().get(version)
    if not seen:
        seen.update(_read())
    return seen.get(version)


@contextmanager
def steady() -> Iterator[None]:
    """Within, the versions are read once: for a request that changes nothing."""
    token = _seen.set({})
    try:
        yield
    finally:
        _seen.reset(token)


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
    """By name: the table and the statement. The name tells the statement, so that another one is a new trigger."""
    found: dict[str, tuple[str, str]] = {}
    for one in _watches.values():
        if vendor == "postgresql":
            rest = (
                f'AFTER {" OR ".join(one.events)} ON "{one.table}"'
                f" FOR EACH STATEMENT EXECUTE FUNCTION kit_raise_version('{one.version}')"
            )
            bodies = [rest]
        else:
            name = one.version
            raise_it = (
                f"DELETE FROM kit_version WHERE name = '{name}'; "  # noqa: S608 (a name of our own)
                f"INSERT INTO kit_version (name, value) VALUES ('{name}', lower(hex(randomblob(16))))"
            )
            # Not an upsert: the conflict clause of the statement that fires a trigger would overrule it.
            bodies = [f'AFTER {event} ON "{one.table}" BEGIN {raise_it}; END' for event in one.events]
        for body in bodies:
            name = f"{PREFIX}{hashlib.sha256(body.encode()).hexdigest()[:16]}"
            found[name] = (one.table, f"CREATE TRIGGER {name} {body}")
    return found


def _installed(cursor: Any, vendor: str) -> dict[str, str]:
    """The triggers that are there: name and table."""
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


def take_away(*, plan: Any = None, using: str = DEFAULT_DB_ALIAS, **kwargs: Any) -> None:
    """Before migrations: a column that a trigger names cannot change its type."""
    if not plan or not _is_ready(using):
        return
    with connection.cursor() as cursor:
        for name, table in _installed(cursor, connection.vendor).items():
            _drop(cursor, connection.vendor, name, table)


def install(*, using: str = DEFAULT_DB_ALIAS, **kwargs: Any) -> None:
    """After migrations: all triggers, and new values if one had been missing."""
    vendor = connection.vendor
    if not _is_ready(using):
        return
    with transaction.atomic(), connection.cursor() as cursor:
        wanted, there = _triggers(vendor), _installed(cursor, vendor)
        if wanted.keys() == there.keys():
            return
        for name in there.keys() - wanted.keys():
            _drop(cursor, vendor, name, there[name])
        if vendor == "postgresql":
            cursor.execute(_FUNCTION)
        tables = set(connection.introspection.table_names(cursor))
        for name in wanted.keys() - there.keys():
            table, statement = wanted[name]
            if table in tables:  # an app may be migrated alone
                cursor.execute(statement)
        names = {one.version for one in _watches.values()}
        Version.objects.all().delete()
        Version.objects.bulk_create(Version(name=name, value=str(uuid.uuid4())) for name in names)


def _is_ready(using: str) -> bool:
    return using == DEFAULT_DB_ALIAS and "kit_version" in connection.introspection.table_names()
