from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('courses', '0007_attachments_to_files'),
    ]

    operations = [
        migrations.RemoveField(model_name='lesson', name='attachment'),
        migrations.RemoveField(model_name='lesson', name='attachment_bytes'),
        migrations.RemoveField(model_name='lesson', name='attachment_name'),
    ]
