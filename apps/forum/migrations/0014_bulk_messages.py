import uuid

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("forum", "0013_index_words"),
        ("learning", "0024_staff_notes_and_saved_filters"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="BulkMessage",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("uid", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                (
                    "key",
                    models.UUIDField(
                        help_text="Made by the form: the same form sent twice is one bulk message.", unique=True
                    ),
                ),
                ("source", models.TextField(help_text="Markdown, before anything is filled in.")),
                ("created_at", models.DateTimeField()),
                ("expected", models.PositiveIntegerField(help_text="Number of recipients.")),
                ("sent_count", models.PositiveIntegerField(default=0)),
                ("refused_count", models.PositiveIntegerField(default=0)),
                ("done_at", models.DateTimeField(null=True)),
                (
                    "sender",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="bulk_messages",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["sender", "-created_at"], name="bulk_message_newest")],
            },
        ),
        migrations.CreateModel(
            name="BulkRecipient",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("refusal", models.CharField(blank=True, max_length=60)),
                ("handled_at", models.DateTimeField(null=True)),
                (
                    "bulk_message",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="recipients",
                        to="forum.bulkmessage",
                    ),
                ),
                (
                    "enrollment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="learning.enrollment"
                    ),
                ),
                (
                    "message",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="forum.message",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("bulk_message", "enrollment"), name="one_bulk_message_per_learner")
                ],
                "indexes": [
                    models.Index(
                        condition=models.Q(("handled_at", None)),
                        fields=["bulk_message", "id"],
                        name="bulk_recipients_waiting",
                    )
                ],
            },
        ),
    ]
