"""Models named after the glossary: the tables are renamed and keep their rows."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0005_one_truth_about_shortcuts")]

    operations = [
        migrations.RenameModel("Joining", "Registration"),
        migrations.RenameModel("HandOver", "SignInToken"),
        migrations.RenameModel("EmailProof", "EmailVerification"),
        migrations.AlterField(
            "EmailVerification",
            "user",
            models.OneToOneField(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="email_verification",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
    ]
