"""The search reads words that the product makes, in every script. A job writes the documents of earlier posts again."""

from django.db import migrations
from django.utils import timezone


def plan(apps, schema_editor):
    if apps.get_model("forum", "PostDocument").objects.exists():
        Job, now = apps.get_model("kit", "Job"), timezone.now()
        Job.objects.create(kind="forum.index_posts", key="all", priority=-5, run_at=now, created_at=now)


class Migration(migrations.Migration):
    dependencies = [("forum", "0012_edits_told"), ("kit", "0004_announcement")]

    operations = [migrations.RunPython(plan, migrations.RunPython.noop)]
