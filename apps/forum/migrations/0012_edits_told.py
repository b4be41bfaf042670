from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("forum", "0011_waiting_questions"),
    ]

    operations = [
        migrations.AddField(
            model_name="notificationrun",
            name="edited_at",
            field=models.DateTimeField(help_text="The last edit of the post whose mentions were told.", null=True),
        ),
    ]
