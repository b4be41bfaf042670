from django.db import migrations
from django.utils import timezone


def take_over(apps, schema_editor):
    """What lessons handed out counts from now on as their instructor's; the bytes stay where they are."""
    Lesson = apps.get_model('courses', 'Lesson')
    Upload = apps.get_model('files', 'Upload')
    now = timezone.now()
    for lesson in Lesson.objects.exclude(attachment='').select_related('course').iterator():
        lesson.file = Upload.objects.create(
            owner_id=lesson.course.instructor_id,
            purpose='file',
            filename=lesson.attachment_name or lesson.attachment.name.rsplit('/', 1)[-1],
            length=lesson.attachment_bytes,
            offset=lesson.attachment_bytes,
            stored_as=lesson.attachment.name,
            created_at=now,
            expires_at=now,
            completed_at=now,
        )
        lesson.save(update_fields=['file'])


def give_back(apps, schema_editor):
    Lesson = apps.get_model('courses', 'Lesson')
    Upload = apps.get_model('files', 'Upload')
    for lesson in Lesson.objects.exclude(file=None).exclude(file__stored_as='').select_related('file').iterator():
        file, lesson.file = lesson.file, None
        lesson.attachment = file.stored_as
        lesson.attachment_name = file.filename
        lesson.attachment_bytes = file.length
        lesson.save(update_fields=['file', 'attachment', 'attachment_name', 'attachment_bytes'])
        Upload.objects.filter(pk=file.pk).delete()


class Migration(migrations.Migration):
    # Of its own: PostgreSQL does not alter a table in the transaction that wrote to it.

    dependencies = [
        ('courses', '0006_lesson_file'),
    ]

    operations = [
        migrations.RunPython(take_over, give_back),
    ]
