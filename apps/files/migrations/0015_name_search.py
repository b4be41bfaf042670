"""The index of names (apps/files/name_search.py), which the ORM does not describe."""

from django.db import migrations

from studyplatform.kit.db.new_database import RunOnNewDatabase

POSTGRESQL = [
    # Names its functions by their schema: an index is also built while no schema is searched, as by pg_restore.
    """CREATE FUNCTION files_name_trigrams(owner_id bigint, name text) RETURNS text[]
        LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
        SELECT pg_catalog.array_agg(DISTINCT owner_id || ':' || pg_catalog.substr(name, place, 3))
        FROM pg_catalog.generate_series(1, pg_catalog.length(name) - 2) AS place
    $$""",
    # A search also reads the list of pending changes: it must stay short.
    """CREATE INDEX file_name_search ON files_file USING gin (files_name_trigrams(owner_id, sort_name))
        WITH (gin_pending_list_limit = 256) WHERE deleted_at IS NULL""",
]
POSTGRESQL_BACK = ["DROP INDEX file_name_search", "DROP FUNCTION files_name_trigrams(bigint, text)"]
SQLITE = [
    """CREATE VIRTUAL TABLE files_search USING fts5(
        trigrams, content='', detail=none, columnsize=0, tokenize='ascii'
    )"""
]
SQLITE_BACK = ["DROP TABLE files_search"]


def _run(statements):
    def run(apps, schema_editor):
        for statement in statements.get(schema_editor.connection.vendor, []):
            schema_editor.execute(statement)

    return run


class Migration(migrations.Migration):
    dependencies = [("files", "0014_checksums_of_originals")]

    operations = [
        RunOnNewDatabase(
            _run({"sqlite": SQLITE, "postgresql": POSTGRESQL}),
            _run({"sqlite": SQLITE_BACK, "postgresql": POSTGRESQL_BACK}),
        )
    ]
