"""Each section of the settings has an address: notifications that lead to /settings/#security lead to it."""

from django.db import migrations
from django.db.models import F, Value
from django.db.models.functions import Replace


def lead_to_sections(apps, editor):
    rows = apps.get_model("accounts", "Notification").objects.filter(link__startswith="/settings/#")
    rows.update(link=Replace(F("link"), Value("/settings/#"), Value("/settings/")))


class Migration(migrations.Migration):
    dependencies = [("accounts", "0009_former_zone")]
    operations = [migrations.RunPython(lead_to_sections, migrations.RunPython.noop, elidable=True)]
