import django.db.models.deletion
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('courses', '0039_discarded_versions'),
        ('learning', '0024_staff_notes_and_saved_filters'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='AnalyticsReport',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('uid', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('frequency', models.CharField(choices=[('weekly', 'Every Monday'), ('monthly', 'On the first of each month')], max_length=7)),
                ('next_at', models.DateTimeField(db_index=True)),
                ('created_at', models.DateTimeField()),
                ('course', models.ForeignKey(help_text='Null: all that the user teaches.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='analytics_reports', to='courses.course')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='analytics_reports', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('user', 'course'), name='one_analytics_report_per_course'), models.UniqueConstraint(condition=models.Q(('course', None)), fields=('user',), name='one_analytics_report_of_all')],
            },
        ),
    ]
