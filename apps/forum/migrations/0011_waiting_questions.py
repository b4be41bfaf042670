from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("forum", "0010_revisions_shown"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="topic",
            index=models.Index(
                models.F("board"),
                condition=models.Q(
                    ("accepted", None),
                    ("first_reply_at", None),
                    ("kind", "question"),
                    ("locked_at", None),
                    ("state", "visible"),
                ),
                name="topic_waiting",
            ),
        ),
    ]
