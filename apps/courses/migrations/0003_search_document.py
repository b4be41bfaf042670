"""The search document of a course, and what each database needs to search it."""

import django.db.models.deletion
from django.db import migrations, models

from studyplatform.kit.db.new_database import RunOnNewDatabase

SQLITE = [
    # Two and three letters are the usual beginnings of a last word.
    """CREATE VIRTUAL TABLE courses_search USING fts5(
        title, terms, lessons, body,
        content='courses_searchdocument', content_rowid='course_id',
        tokenize='porter unicode61 remove_diacritics 2', prefix='2 3'
    )""",
    """CREATE TRIGGER courses_search_added AFTER INSERT ON courses_searchdocument BEGIN
        INSERT INTO courses_search(rowid, title, terms, lessons, body)
        VALUES (new.course_id, new.title, new.terms, new.lessons, new.body);
    END""",
    """CREATE TRIGGER courses_search_removed AFTER DELETE ON courses_searchdocument BEGIN
        INSERT INTO courses_search(courses_search, rowid, title, terms, lessons, body)
        VALUES ('delete', old.course_id, old.title, old.terms, old.lessons, old.body);
    END""",
    """CREATE TRIGGER courses_search_changed AFTER UPDATE ON courses_searchdocument BEGIN
        INSERT INTO courses_search(courses_search, rowid, title, terms, lessons, body)
        VALUES ('delete', old.course_id, old.title, old.terms, old.lessons, old.body);
        INSERT INTO courses_search(rowid, title, terms, lessons, body)
        VALUES (new.course_id, new.title, new.terms, new.lessons, new.body);
    END""",
]
SQLITE_BACK = [
    "DROP TRIGGER courses_search_added",
    "DROP TRIGGER courses_search_removed",
    "DROP TRIGGER courses_search_changed",
    "DROP TABLE courses_search",
]
POSTGRESQL = [
    """ALTER TABLE courses_searchdocument ADD COLUMN document tsvector GENERATED ALWAYS AS (
        setweight(to_tsvector('english', title), 'A') || setweight(to_tsvector('english', terms), 'B') ||
        setweight(to_tsvector('english', lessons), 'C') || setweight(to_tsvector('english', body), 'D')
    ) STORED""",
    "CREATE INDEX courses_search_document ON courses_searchdocument USING gin (document)",
]
POSTGRESQL_BACK = ["ALTER TABLE courses_searchdocument DROP COLUMN document"]


def _run(statements):
    def run(apps, schema_editor):
        for statement in statements.get(schema_editor.connection.vendor, []):
            schema_editor.execute(statement)

    return run


class Migration(migrations.Migration):
    dependencies = [("courses", "0002_authoring")]

    operations = [
        migrations.CreateModel(
            name="SearchDocument",
            fields=[
                (
                    "course",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="search_document",
                        serialize=False,
                        to="courses.course",
                    ),
                ),
                ("title", models.TextField()),
                ("terms", models.TextField(help_text="Subject, instructor and outcomes.")),
                ("lessons", models.TextField(help_text="The titles of sections and lessons.")),
                ("body", models.TextField(help_text="Summary and description.")),
            ],
        ),
        RunOnNewDatabase(
            _run({"sqlite": SQLITE, "postgresql": POSTGRESQL}),
            _run({"sqlite": SQLITE_BACK, "postgresql": POSTGRESQL_BACK}),
        ),
    ]
