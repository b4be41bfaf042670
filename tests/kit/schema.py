"""Describe a whole database, so that a test can compare two of them: tables, their parts, triggers and rows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from django.apps import apps
from django.db import connection

# What PostgreSQL says about everything that belongs to a table: kind, table, name, definition.
POSTGRESQL = """
SELECT 'column', c.relname, a.attname, concat_ws(' ', format_type(a.atttypid, a.atttypmod),
    CASE WHEN a.attnotnull THEN 'NOT NULL' END, 'identity=' || a.attidentity::text,
    'generated=' || a.attgenerated::text, pg_get_expr(d.adbin, d.adrelid), l.collname)
FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid LEFT JOIN pg_collation l ON l.oid = a.attcollation
    LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'v', 'm') AND a.attnum > 0 AND NOT a.attisdropped
UNION ALL
SELECT 'constraint', c.relname, o.conname, pg_get_constraintdef(o.oid)
FROM pg_constraint o JOIN pg_class c ON c.oid = o.conrelid WHERE o.connamespace = 'public'::regnamespace
UNION ALL
SELECT 'index', c.relname, i.relname, pg_get_indexdef(i.oid)
FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class c ON c.oid = x.indrelid
WHERE i.relnamespace = 'public'::regnamespace
UNION ALL
SELECT 'trigger', c.relname, t.tgname, pg_get_triggerdef(t.oid)
FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid WHERE NOT t.tgisinternal
UNION ALL
SELECT 'function', '', p.proname, pg_get_functiondef(p.oid) FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace
UNION ALL
SELECT 'extension', '', extname, '' FROM pg_extension
UNION ALL
SELECT 'collation', '', collname, concat_ws(' ', collprovider, collisdeterministic)
FROM pg_collation WHERE collnamespace = 'public'::regnamespace
"""
IDS = {"django_content_type", "auth_permission", "django_migrations", "courses_subject"}
"""Tables whose rows get their primary keys in the order in which they are written."""
UUID = re.compile(r"[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}")


def describe() -> Counter[str]:
    """Everything that the database of the connection holds, one line a part, names made by Django left out."""
    parts = _of_postgresql() if connection.vendor == "postgresql" else _of_sqlite()
    kept = _stated_names()
    lines = (
        f"{kind} {table} {name if name in kept else '-'}: {text if name in kept else text.replace(name, '-')}"
        if kind in {"constraint", "index"}
        else f"{kind} {table} {name}: {text}"
        for kind, table, name, text in parts
    )
    return Counter([*lines, *_rows()])


def _stated_names() -> set[str]:
    """Names of indexes and constraints that models state; Django derives others from the table's first name."""
    return {
        str(part.name)
        for model in apps.get_models(include_auto_created=True)
        for part in (*model._meta.indexes, *model._meta.constraints)
    } | {"courses_search_document", "forum_search_document", "file_name_search"}


def _of_postgresql() -> Iterator[tuple[str, str, str, str]]:
    with connection.cursor() as cursor:
        cursor.execute(POSTGRESQL)
        yield from cursor.fetchall()


def _of_sqlite() -> Iterator[tuple[str, str, str, str]]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT type, tbl_name, name, sql FROM sqlite_master WHERE sql IS NOT NULL")
        for kind, table, name, text in cursor.fetchall():
            if kind != "table" or text.startswith("CREATE VIRTUAL"):
                yield kind, table, name, text
                continue
            # Columns that a migration added come last, so their order says nothing.
            for part in _split(text[text.index("(") + 1 : text.rindex(")")]):
                yield "part", table, "", part
            yield "table", table, "", text[text.rindex(")") + 1 :]


def _split(text: str) -> list[str]:
    """Split at the commas outside of parentheses and quotes."""
    parts, depth, start = [], 0, 0
    for found in re.finditer(r"'(?:[^']|'')*'|\"[^\"]*\"|[(),]", text):
        if found[0] == ",":
            if not depth:
                parts.append(text[start : found.start()].strip())
                start = found.end()
        else:
            depth += {"(": 1, ")": -1}.get(found[0], 0)
    return [*parts, text[start:].strip()]


def _rows() -> Iterator[str]:
    """The rows of all tables but virtual ones, content types by their names instead of their numbers."""
    from django.contrib.contenttypes.models import ContentType

    types = {pk: f"{label}.{model}" for pk, label, model in ContentType.objects.values_list("pk", "app_label", "model")}
    with connection.cursor() as cursor:
        tables = set(connection.introspection.table_names(cursor))
        if connection.vendor == "sqlite":  # some search tables cannot be read as a whole, only the tables behind them
            cursor.execute("SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE VIRTUAL%'")
            tables -= {name for (name,) in cursor.fetchall()}
        for table in sorted(tables):
            cursor.execute(f'SELECT * FROM "{table}"')  # noqa: S608 (a name that the database gave)
            names = [column[0] for column in cursor.description]
            for row in cursor.fetchall():
                values: dict[str, Any] = dict(zip(names, row, strict=True))
                if table in IDS:
                    values.pop("id")
                values.pop("applied", None)
                if "content_type_id" in values:
                    values["content_type_id"] = types[values["content_type_id"]]
                yield UUID.sub("-", f"row {table}: {sorted(values.items())}")
