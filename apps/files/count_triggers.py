# ruff: noqa: S608 (the statements consist of constants)
"""The triggers that keep the counts of `apps.files.counts`, and the SQL that says what counts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from studyplatform.kit.db.triggers import Trigger

CROWDED = 32  # rows of one key that PostgreSQL folds into one


@dataclass(frozen=True)
class Source:
    """A table whose rows count. ``key`` and ``size`` are expressions of a row {row}; a row whose key is null does not
    count. ``columns``: on SQLite, updates of others are ignored."""

    table: str
    key: str
    size: str
    columns: str


SOURCES = [
    Source(
        "files_upload",
        "CASE WHEN {row}.part_of_id IS NOT NULL THEN NULL"
        " WHEN {row}.completed_at IS NULL OR {row}.purpose = 'partial' THEN 'held'"
        " WHEN {row}.purpose <> 'file' THEN NULL"
        " WHEN {row}.in_files > 0 THEN 'kind:' || {row}.library_kind"
        " WHEN {row}.in_bin > 0 THEN 'bin'"
        " ELSE 'loose' END",
        "{row}.length",
        "part_of_id, completed_at, purpose, in_files, in_bin, library_kind, length, owner_id",
    ),
    Source(
        "files_videoasset",
        "'video'",
        "{row}.source_bytes + {row}.former_bytes",
        "source_bytes, former_bytes, owner_id",
    ),
    Source("files_binnedoriginal", "'original'", "{row}.size", "size, owner_id"),
    Source(
        "files_file",
        "CASE WHEN {row}.deleted_at IS NULL THEN 'folder:' || COALESCE({row}.folder_id, 0)"
        " WHEN {row}.binned_with_id IS NULL THEN 'binned' ELSE 'with:' || {row}.binned_with_id END",
        "{row}.size",
        "deleted_at, binned_with_id, folder_id, size, owner_id",
    ),
]
INSERT_COUNTS = (
    "INSERT INTO files_storagecount (owner_id, key, files, bytes)"
    " SELECT owner_id, key, SUM(files), SUM(bytes) FROM ({rows}) AS counted WHERE key IS NOT NULL"
    " GROUP BY owner_id, key HAVING SUM(files) <> 0 OR SUM(bytes) <> 0"
)


def rows_of(source: Source, table: str, sign: str) -> str:
    """A query for the counts of the rows of ``table``, negative with the sign "-"."""
    key, size = source.key.format(row="changed"), source.size.format(row="changed")
    return f"SELECT owner_id, {key} AS key, {sign}1 AS files, {sign}({size}) AS bytes FROM {table} AS changed"


# --- Triggers on PostgreSQL: one statement counts all rows that a statement changed ------------------

_FUNCTION = "CREATE OR REPLACE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN %s; RETURN NULL; END $$"
_TABLES = {
    "INSERT": "NEW TABLE AS added",
    "DELETE": "OLD TABLE AS removed",
    "UPDATE": "OLD TABLE AS removed NEW TABLE AS added",
}
_REFER = """UPDATE files_upload SET in_files = in_files + referred.files, in_bin = in_bin + referred.bin{kind}
    FROM ({rows}) AS referred WHERE files_upload.id = referred.upload_id"""
_VERSIONS = """
    SELECT upload_id, {sign}SUM(CASE WHEN files_file.deleted_at IS NULL THEN 1 ELSE 0 END) AS files,
        {sign}SUM(CASE WHEN files_file.deleted_at IS NULL THEN 0 ELSE 1 END) AS bin, MAX(files_file.kind) AS kind
    FROM {table} AS versions JOIN files_file ON files_file.id = versions.file_id GROUP BY upload_id"""
_MOVES = """
    SELECT upload_id, SUM(CASE WHEN added.deleted_at IS NULL THEN 1 ELSE -1 END) AS files,
        SUM(CASE WHEN added.deleted_at IS NULL THEN -1 ELSE 1 END) AS bin
    FROM added JOIN removed ON removed.id = added.id
    JOIN files_fileversion ON files_fileversion.file_id = added.id
    WHERE (added.deleted_at IS NULL) <> (removed.deleted_at IS NULL) GROUP BY upload_id"""
_FOLD = f"""
DECLARE crowded record; locked bigint[];
BEGIN
    FOR crowded IN SELECT owner_id, key FROM (SELECT DISTINCT owner_id, key FROM added) AS keys WHERE {CROWDED} < (
        SELECT COUNT(*) FROM files_storagecount WHERE owner_id = keys.owner_id AND key = keys.key
    ) LOOP
        locked := ARRAY(
            SELECT id FROM files_storagecount WHERE owner_id = crowded.owner_id AND key = crowded.key
            ORDER BY id FOR UPDATE SKIP LOCKED
        );
        -- The others are being folded by another transaction. The row inserted below fires this trigger again: without
        -- this condition it would fold that one row, and so on without end.
        CONTINUE WHEN cardinality(locked) <= {CROWDED};
        WITH gone AS (DELETE FROM files_storagecount WHERE id = ANY(locked) RETURNING files, bytes)
        INSERT INTO files_storagecount (owner_id, key, files, bytes)
        SELECT crowded.owner_id, crowded.key, SUM(files), SUM(bytes) FROM gone
        HAVING SUM(files) <> 0 OR SUM(bytes) <> 0;
    END LOOP;
    RETURN NULL;
END"""


def _on_postgresql() -> Iterator[Trigger]:
    for source in SOURCES:
        added, removed = rows_of(source, "added", ""), rows_of(source, "removed", "-")
        both = {"INSERT": added, "DELETE": removed, "UPDATE": f"{removed} UNION ALL {added}"}
        for event, rows in both.items():
            yield _after(event, source.table, INSERT_COUNTS.format(rows=rows))
    for event, table, sign in (("INSERT", "added", ""), ("DELETE", "removed", "-")):
        kind = ", library_kind = referred.kind" if event == "INSERT" else ""
        rows = _VERSIONS.format(table=table, sign=sign)
        yield _after(event, "files_fileversion", _REFER.format(rows=rows, kind=kind))
    yield _after("UPDATE", "files_file", _REFER.format(rows=_MOVES, kind=""))
    fold = f"CREATE OR REPLACE FUNCTION {{name}}() RETURNS trigger LANGUAGE plpgsql AS $$ {_FOLD} $$"
    yield Trigger("files_storagecount", _body("INSERT", "files_storagecount"), fold)


def _after(event: str, table: str, statement: str) -> Trigger:
    return Trigger(table, _body(event, table), _FUNCTION % statement)


def _body(event: str, table: str) -> str:
    return f"AFTER {event} ON {table} REFERENCING {_TABLES[event]} FOR EACH STATEMENT EXECUTE FUNCTION {{name}}()"


# --- Triggers on SQLite: one row per user and key, which no other process can write at the same time -


def _on_sqlite() -> Iterator[Trigger]:
    for source in SOURCES:
        table, old, new = source.table, _key(source, "old"), _key(source, "new")
        take = _add(source, "old", "-")
        give = f"{_add(source, 'new', '+')} {_insert(source, 'new')}"
        yield Trigger(table, f"AFTER INSERT ON {table} BEGIN {give} END")
        yield Trigger(table, f"AFTER DELETE ON {table} BEGIN {take} END")
        sizes = f"{source.size.format(row='old')} <> {source.size.format(row='new')}"
        changed = f"{old} IS NOT {new} OR {sizes} OR old.owner_id <> new.owner_id"
        yield Trigger(table, f"AFTER UPDATE OF {source.columns} ON {table} WHEN {changed} BEGIN {take} {give} END")
    is_binned = "(SELECT deleted_at IS NOT NULL FROM files_file WHERE id = {row}.file_id)"
    for event, row, sign in (("INSERT", "new", "+"), ("DELETE", "old", "-")):
        binned = is_binned.format(row=row)
        kind = ", library_kind = (SELECT kind FROM files_file WHERE id = new.file_id)" if row == "new" else ""
        refer = (
            f"UPDATE files_upload SET in_files = in_files {sign} (1 - {binned}), in_bin = in_bin {sign} {binned}{kind}"
            f" WHERE id = {row}.upload_id AND {binned} IS NOT NULL;"
        )
        yield Trigger("files_fileversion", f"AFTER {event} ON files_fileversion BEGIN {refer} END")
    # A file may have several versions with the same contents.
    versions = (
        "(SELECT COUNT(*) FROM files_fileversion WHERE file_id = new.id AND upload_id = files_upload.id)"
        " * (CASE WHEN new.deleted_at IS NULL THEN 1 ELSE -1 END)"
    )
    move = (
        f"UPDATE files_upload SET in_files = in_files + {versions}, in_bin = in_bin - {versions}"
        " WHERE id IN (SELECT upload_id FROM files_fileversion WHERE file_id = new.id);"
    )
    body = "AFTER UPDATE OF deleted_at ON files_file WHEN (old.deleted_at IS NULL) <> (new.deleted_at IS NULL)"
    yield Trigger("files_file", f"{body} BEGIN {move} END")


def _key(source: Source, row: str) -> str:
    return f"({source.key.format(row=row)})"


def _add(source: Source, row: str, sign: str) -> str:
    size = source.size.format(row=row)
    return (
        f"UPDATE files_storagecount SET files = files {sign} 1, bytes = bytes {sign} ({size})"
        f" WHERE owner_id = {row}.owner_id AND key = {_key(source, row)};"
    )


def _insert(source: Source, row: str) -> str:
    # Not an upsert: the conflict clause of the statement that fires a trigger would overrule it.
    key = _key(source, row)
    return (
        "INSERT INTO files_storagecount (owner_id, key, files, bytes)"
        f" SELECT {row}.owner_id, {key}, 1, {source.size.format(row=row)} WHERE {key} IS NOT NULL AND NOT EXISTS"
        f" (SELECT 1 FROM files_storagecount WHERE owner_id = {row}.owner_id AND key = {key});"
    )


def wanted(vendor: str) -> Iterator[Trigger]:
    """The triggers for a database."""
    return _on_postgresql() if vendor == "postgresql" else _on_sqlite()
