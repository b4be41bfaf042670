import django.db.models.deletion
import uuid
from django.conf import settings
from django.db import migrations, models


def count_required(apps, schema_editor):
    """So far no lesson was optional."""
    apps.get_model("courses", "Course").objects.update(required_count=models.F("lesson_count"))


class Migration(migrations.Migration):

    dependencies = [
        ('courses', '0023_field_edit'),
        ('files', '0016_caption_reports'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='LessonDownload',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('uid', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('name', models.CharField(help_text='The name under which learners get it.', max_length=255)),
                ('position', models.PositiveSmallIntegerField()),
            ],
        ),
        migrations.CreateModel(
            name='OutlineChange',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('uid', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('made_at', models.DateTimeField()),
                ('kind', models.CharField(choices=[('move', 'Moved'), ('remove', 'Deleted'), ('rename', 'Renamed'), ('settings', 'Settings changed'), ('duplicate', 'Duplicated'), ('question', 'Question deleted')], max_length=10)),
                ('subject', models.CharField(blank=True, help_text='The title of what was changed, if it is one.', max_length=120)),
                ('count', models.PositiveSmallIntegerField(default=1, help_text='How many sections and lessons were changed.')),
                ('facts', models.JSONField()),
                ('undone_at', models.DateTimeField(null=True)),
            ],
        ),
        migrations.RemoveConstraint(
            model_name='lesson',
            name='one_lesson_per_slug',
        ),
        migrations.RemoveConstraint(
            model_name='lesson',
            name='one_lesson_per_position',
        ),
        migrations.RemoveConstraint(
            model_name='question',
            name='one_question_per_position',
        ),
        migrations.RemoveConstraint(
            model_name='section',
            name='one_section_per_position',
        ),
        migrations.AddField(
            model_name='course',
            name='required_count',
            field=models.PositiveIntegerField(default=0, help_text='Lessons that are not optional.'),
        ),
        migrations.AddField(
            model_name='lesson',
            name='is_optional',
            field=models.BooleanField(default=False, help_text="Doesn't count for completing the course."),
        ),
        migrations.AddField(
            model_name='lesson',
            name='opens_after_days',
            field=models.PositiveSmallIntegerField(blank=True, help_text="Days after enrollment; learners can't open it before.", null=True),
        ),
        migrations.AddField(
            model_name='lesson',
            name='opens_at',
            field=models.DateTimeField(blank=True, help_text="Learners can't open it before.", null=True),
        ),
        migrations.AddField(
            model_name='lesson',
            name='removed_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='lesson',
            name='removed_by',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='question',
            name='removed_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='question',
            name='removed_by',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='section',
            name='removed_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='section',
            name='removed_by',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddConstraint(
            model_name='lesson',
            constraint=models.UniqueConstraint(condition=models.Q(('removed_at', None)), fields=('course', 'slug'), name='one_lesson_per_slug'),
        ),
        migrations.AddConstraint(
            model_name='lesson',
            constraint=models.UniqueConstraint(condition=models.Q(('removed_at', None)), fields=('section', 'position'), name='one_lesson_per_position'),
        ),
        migrations.AddConstraint(
            model_name='lesson',
            constraint=models.CheckConstraint(condition=models.Q(('opens_at', None), ('opens_after_days', None), _connector='OR'), name='lesson_opens_in_one_way'),
        ),
        migrations.AddConstraint(
            model_name='question',
            constraint=models.UniqueConstraint(condition=models.Q(('removed_at', None)), fields=('quiz', 'position'), name='one_question_per_position'),
        ),
        migrations.AddConstraint(
            model_name='section',
            constraint=models.UniqueConstraint(condition=models.Q(('removed_at', None)), fields=('course', 'position'), name='one_section_per_position'),
        ),
        migrations.AddField(
            model_name='lessondownload',
            name='file',
            field=models.ForeignKey(on_delete=django.db.models.deletion.RESTRICT, related_name='downloads', to='courses.coursefile'),
        ),
        migrations.AddField(
            model_name='lessondownload',
            name='lesson',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='downloads', to='courses.lesson'),
        ),
        migrations.AddField(
            model_name='outlinechange',
            name='course',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='outline_changes', to='courses.course'),
        ),
        migrations.AddField(
            model_name='outlinechange',
            name='made_by',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddConstraint(
            model_name='lessondownload',
            constraint=models.UniqueConstraint(fields=('lesson', 'position'), name='one_download_per_position'),
        ),
        migrations.AddConstraint(
            model_name='lessondownload',
            constraint=models.UniqueConstraint(fields=('lesson', 'file'), name='one_download_per_file'),
        ),
        migrations.AddIndex(
            model_name='outlinechange',
            index=models.Index(fields=['course', '-made_at', '-id'], name='outline_change_by_time'),
        ),
        migrations.RunPython(count_required, migrations.RunPython.noop),
    ]
