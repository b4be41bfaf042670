from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0011_addresses_in_one_spelling")]

    operations = [
        migrations.AddField(
            model_name="user",
            name="shares_email",
            field=models.BooleanField(
                default=False, help_text="Show the email to those who teach the courses that the user takes."
            ),
        ),
    ]
