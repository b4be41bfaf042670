import uuid

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    """Sessions become one table with their users. Users who are signed in have to sign in once more."""

    dependencies = [("accounts", "0001_initial")]

    operations = [
        migrations.DeleteModel("BrowserSession"),
        migrations.CreateModel(
            name="BrowserSession",
            fields=[
                (
                    "session_key",
                    models.CharField(max_length=40, primary_key=True, serialize=False, verbose_name="session key"),
                ),
                ("session_data", models.TextField(verbose_name="session data")),
                ("expire_date", models.DateTimeField(db_index=True, verbose_name="expire date")),
                ("uid", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("user_agent", models.CharField(blank=True, max_length=256)),
                ("address", models.GenericIPAddressField(null=True)),
                ("signed_in_at", models.DateTimeField(null=True)),
                ("last_seen_at", models.DateTimeField(help_text="Kept to the hour.")),
                (
                    "user",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="browser_sessions",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={"verbose_name": "session", "verbose_name_plural": "sessions", "abstract": False},
        ),
        migrations.RemoveField("user", "token_epoch"),
        migrations.RemoveField("user", "is_staff"),
        migrations.RemoveField("user", "is_superuser"),
        migrations.AddField("user", "email_verified_at", models.DateTimeField(blank=True, null=True)),
        migrations.RenameField("loginlock", "last_failure_at", "last_attempt_at"),
        migrations.AddField(
            "loginlock",
            "checking",
            models.PositiveSmallIntegerField(default=0, help_text="Attempts whose password is being checked."),
        ),
        migrations.AddIndex("loginlock", models.Index(fields=["last_attempt_at"], name="login_lock_age")),
        migrations.CreateModel(
            name="EmailProof",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("email", models.EmailField(max_length=254)),
                ("code_hash", models.CharField(max_length=64)),
                ("tries", models.PositiveSmallIntegerField(default=0, help_text="Wrong codes so far.")),
                ("sent_at", models.DateTimeField()),
                (
                    "user",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="email_proof",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(condition=models.Q(("tries__lte", 10)), name="email_proof_few_tries")
                ],
            },
        ),
    ]
