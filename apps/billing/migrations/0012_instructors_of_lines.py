from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [("billing", "0011_lines_of_earlier_orders")]

    operations = [
        migrations.RemoveField(model_name="order", name="instructor"),
        migrations.RemoveField(model_name="order", name="share"),
    ]
