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
            name="MessageBatch",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("uid", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                (
                    "key",
                    models.UUIDField(
                        help_text="Made by the form: the same form sent twice is one batch.", unique=True
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
                        related_name="message_batches",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["sender", "-created_at"], name="message_batch_newest")],
            },
        ),
        migrations.CreateModel(
            name="BatchRecipient",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("refusal", models.CharField(blank=True, max_length=60)),
                ("handled_at", models.DateTimeField(null=True)),
                (
                    "batch",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="recipients",
                        to="forum.messagebatch",
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
                    models.UniqueConstraint(fields=("batch", "enrollment"), name="one_message_of_batch_per_learner")
                ],
                "indexes": [
                    models.Index(
                        condition=models.Q(("handled_at", None)),
                        fields=["batch", "id"],
                        name="batch_recipients_waiting",
                    )
                ],
            },
        ),
    ]
