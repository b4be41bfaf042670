from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('courses', '0030_question_imports_by_jobs'),
    ]

    operations = [
        migrations.AlterField(
            model_name='outlinechange',
            name='kind',
            field=models.CharField(
                choices=[
                    ('add', 'Added'),
                    ('move', 'Moved'),
                    ('remove', 'Deleted'),
                    ('rename', 'Renamed'),
                    ('settings', 'Settings changed'),
                    ('duplicate', 'Duplicated'),
                    ('question', 'Question deleted'),
                ],
                max_length=10,
            ),
        ),
    ]
