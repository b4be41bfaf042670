import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('courses', '0005_subjects'),
        ('files', '0003_kept_files'),
    ]

    operations = [
        migrations.AddField(
            model_name='lesson',
            name='file',
            field=models.OneToOneField(blank=True, help_text='What a file lesson hands out. While it does, the upload cannot be deleted.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='lesson', to='files.upload'),
        ),
    ]
