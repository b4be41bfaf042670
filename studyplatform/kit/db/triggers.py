"""Database triggers that the code describes: installed after migrations, and dropped before them.

A migration on SQLite may rebuild a table, which drops its triggers, and on PostgreSQL a column that a trigger names
cannot change its type. So triggers belong to no migration.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connection, transaction

from studyplatform.kit.db.applied_migrations import are_all_migrations_applied
from studyplatform.kit.registry import Registry


@dataclass(frozen=True)
class Trigger:
    """A trigger on a table. ``body`` is its CREATE statement after the name; in ``body`` and in ``function``, a
    statement that PostgreSQL needs before, ``{name}`` stands for the name of the trigger."""

    table: str
    body: str
    function: str = ""
    is_constraint: bool = False
    """Whether it is a constraint trigger of PostgreSQL, which may be deferred to the end of the transaction."""

    def name(self, prefix: str) -> str:
        """A hash of the statements, so that a changed trigger is a new one."""
        return f"{prefix}{hashlib.sha256((self.body + self.function).encode()).hexdigest()[:16]}"


@dataclass(frozen=True)
class Triggers:
    """Triggers that are installed together. The names of all of them begin with ``prefix``."""

    prefix: str
    table: str
    """The table to which they write: while it is missing, none are installed."""
    wanted: Callable[[str], Iterable[Trigger]]
    """The triggers for a database vendor."""
    renew: Callable[[], object]
    """Renews what they maintain, after any of them was missing."""
    is_guard: bool = False
    """Whether they refuse changes. `manage.py flush`, which empties all tables, drops them while it runs."""

    def drop(self) -> None:
        """Drop all of them."""
        with connection.cursor() as cursor:
            for name, table in self.installed(cursor).items():
                _drop(cursor, name, table)

    def install(self) -> None:
        """Install missing triggers, drop outdated ones, and renew what they maintain if any was missing."""
        tables = set(connection.introspection.table_names())
        if self.table not in tables:
            return
        with transaction.atomic(), connection.cursor() as cursor:
            wanted = {each.name(self.prefix): each for each in self.wanted(connection.vendor)}
            installed = self.installed(cursor)
            if wanted.keys() == installed.keys():
                return
            for name in installed.keys() - wanted.keys():
                _drop(cursor, name, installed[name])
            for name in wanted.keys() - installed.keys():
                each = wanted[name]
                if each.table not in tables:  # an app may be migrated alone
                    continue
                if each.function:
                    cursor.execute(each.function.replace("{name}", name))
                create = "CREATE CONSTRAINT TRIGGER" if each.is_constraint else "CREATE TRIGGER"
                cursor.execute(f"{create} {name} {each.body.replace('{name}', name)}")
            self.renew()

    def missing(self) -> list[str]:
        """The tables that lack a wanted trigger, once per trigger."""
        with connection.cursor() as cursor:
            installed = self.installed(cursor)
        return [each.table for each in self.wanted(connection.vendor) if each.name(self.prefix) not in installed]

    def installed(self, cursor: Any) -> dict[str, str]:
        """The installed triggers: table by name."""
        if connection.vendor == "postgresql":
            cursor.execute(
                "SELECT tgname, relname FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid"
                " WHERE NOT tgisinternal AND starts_with(tgname, %s) AND pg_table_is_visible(pg_class.oid)",
                [self.prefix],
            )
        else:
            cursor.execute(
                "SELECT name, tbl_name FROM sqlite_master WHERE type = 'trigger' AND name GLOB %s", [f"{self.prefix}*"]
            )
        return dict(cursor.fetchall())


registered: Registry[Triggers] = Registry("triggers")


def register(triggers: Triggers) -> Triggers:
    """Install these triggers after each migration."""
    return registered.register(triggers.prefix, triggers)


def drop_triggers(*, plan: Any = None, using: str = DEFAULT_DB_ALIAS, **kwargs: Any) -> None:
    """Before migrations: drop all registered triggers."""
    if plan and using == DEFAULT_DB_ALIAS:
        for each in registered.ordered():
            each.drop()


def install_triggers(*, using: str = DEFAULT_DB_ALIAS, plan: Any = None, **kwargs: Any) -> None:
    """After migrations: install all registered triggers, unless some are still to be applied, or were taken back.

    Older tables may lack the columns that the triggers name. The last migration on the way forward installs them.
    ``plan``: None if nothing was migrated.
    """
    if using == DEFAULT_DB_ALIAS and (plan is None or are_all_migrations_applied()):
        for each in registered.ordered():
            each.install()


@contextlib.contextmanager
def without_guards(*, using: str = DEFAULT_DB_ALIAS) -> Iterator[None]:
    """Run the block without the triggers that refuse changes."""
    if using == DEFAULT_DB_ALIAS:
        for each in registered.ordered():
            if each.is_guard:
                each.drop()
    try:
        yield
    finally:
        install_triggers(using=using)


def _drop(cursor: Any, name: str, table: str) -> None:
    if connection.vendor == "postgresql":
        cursor.execute(f'DROP TRIGGER {name} ON "{table}"')
        cursor.execute(f"DROP FUNCTION IF EXISTS {name}()")
    else:
        cursor.execute(f"DROP TRIGGER {name}")
