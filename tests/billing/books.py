"""Helpers for tests that write the ledger without its service."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction

from studyplatform.kit.db.triggers import without_guards


@contextmanager
def settled() -> Iterator[None]:
    """A transaction at whose end PostgreSQL checks what it defers."""
    with transaction.atomic():
        yield
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
                cursor.execute("SET CONSTRAINTS ALL DEFERRED")


@contextmanager
def unguarded() -> Iterator[None]:
    """Change the ledger as a careless owner of the database could."""
    with settled():
        pass
    with without_guards():
        yield
