from django.db import migrations

from apps.accounts.email_addresses import canonical_address


def respell(apps, schema_editor):
    """Write the domains of addresses as mail servers know them. An address that another account has stays."""
    users = apps.get_model("accounts", "User").objects.using(schema_editor.connection.alias)
    for user in users.filter(email__regex=r"[^\x00-\x7f]"):
        try:
            email = canonical_address(user.email)
        except ValueError:
            continue
        if email != user.email and not users.filter(email=email).exists():
            users.filter(pk=user.pk).update(email=email)


class Migration(migrations.Migration):
    dependencies = [("accounts", "0010_links_to_sections")]

    operations = [migrations.RunPython(respell, migrations.RunPython.noop)]
