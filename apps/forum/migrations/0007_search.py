"""The search index of posts, what each database needs to search it, and when topics got their first reply."""

import django.db.models.deletion
from django.db import migrations, models

from studyplatform.kit.db.new_database import RunOnNewDatabase
from studyplatform.kit.text.folding import fold


SQLITE = [
    """CREATE VIRTUAL TABLE forum_search USING fts5(
        title, tags, body,
        content='forum_postdocument', content_rowid='post_id',
        tokenize='porter unicode61 remove_diacritics 2', prefix='2 3'
    )""",
    """CREATE TRIGGER forum_search_added AFTER INSERT ON forum_postdocument BEGIN
        INSERT INTO forum_search(rowid, title, tags, body) VALUES (new.post_id, new.title, new.tags, new.body);
    END""",
    """CREATE TRIGGER forum_search_removed AFTER DELETE ON forum_postdocument BEGIN
        INSERT INTO forum_search(forum_search, rowid, title, tags, body)
        VALUES ('delete', old.post_id, old.title, old.tags, old.body);
    END""",
    """CREATE TRIGGER forum_search_changed AFTER UPDATE ON forum_postdocument BEGIN
        INSERT INTO forum_search(forum_search, rowid, title, tags, body)
        VALUES ('delete', old.post_id, old.title, old.tags, old.body);
        INSERT INTO forum_search(rowid, title, tags, body) VALUES (new.post_id, new.title, new.tags, new.body);
    END""",
]
SQLITE_BACK = [
    "DROP TRIGGER forum_search_added",
    "DROP TRIGGER forum_search_removed",
    "DROP TRIGGER forum_search_changed",
    "DROP TABLE forum_search",
]
POSTGRESQL = [
    """ALTER TABLE forum_postdocument ADD COLUMN document tsvector GENERATED ALWAYS AS (
        setweight(to_tsvector('english', title), 'A') || setweight(to_tsvector('english', tags), 'B') ||
        setweight(to_tsvector('english', body), 'D')
    ) STORED""",
    "CREATE INDEX forum_search_document ON forum_postdocument USING gin (document)",
]
POSTGRESQL_BACK = ["ALTER TABLE forum_postdocument DROP COLUMN document"]
FIRST_REPLIES = """UPDATE forum_topic SET first_reply_at = (
    SELECT MIN(post.published_at) FROM forum_post post
    WHERE post.topic_id = forum_topic.id AND post.state = 'visible' AND NOT post.is_opening
        AND post.author_id <> forum_topic.author_id
)"""


def _run(statements):
    def run(apps, schema_editor):
        for statement in statements.get(schema_editor.connection.vendor, []):
            schema_editor.execute(statement)

    return run


def _index(apps, schema_editor):
    """Index the posts that exist; their Markdown, as their plain text isn't stored."""
    Post, PostDocument = (apps.get_model("forum", name) for name in ("Post", "PostDocument"))
    for post in Post.objects.select_related("topic").prefetch_related("topic__tags").iterator(chunk_size=500):
        tags = "\n".join(tag.name for tag in post.topic.tags.all()) if post.is_opening else ""
        title = post.topic.title if post.is_opening else ""
        PostDocument.objects.create(post=post, title=fold(title), tags=fold(tags), body=fold(post.source))


class Migration(migrations.Migration):

    dependencies = [
        ('forum', '0006_writing'),
    ]

    operations = [
        migrations.CreateModel(
            name='PostDocument',
            fields=[
                ('post', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='document', serialize=False, to='forum.post')),
                ('title', models.TextField(blank=True, help_text='Of the topic, if it is the opening post.')),
                ('tags', models.TextField(blank=True, help_text='Of the topic, if it is the opening post.')),
                ('body', models.TextField()),
            ],
        ),
        migrations.AddField(
            model_name='topic',
            name='first_reply_at',
            field=models.DateTimeField(help_text='When its first visible reply by someone else appeared.', null=True),
        ),
        RunOnNewDatabase(
            _run({"sqlite": SQLITE, "postgresql": POSTGRESQL}),
            _run({"sqlite": SQLITE_BACK, "postgresql": POSTGRESQL_BACK}),
        ),
        migrations.RunPython(_index, migrations.RunPython.noop),
        migrations.RunSQL(FIRST_REPLIES, migrations.RunSQL.noop),
    ]
