from typing import Any

from django.db import migrations


def open_boards(apps: Any, _schema: Any) -> None:
    """Courses that were published before there were discussions get their boards."""
    Board = apps.get_model("forum", "Board")
    courses = apps.get_model("courses", "Course").objects.exclude(published_at=None).filter(board=None)
    Board.objects.bulk_create(
        Board(course=course, slug=course.slug, title=course.title, position=100, icon="book-open")
        for course in courses.iterator()
    )


class Migration(migrations.Migration):
    dependencies = [("forum", "0002_topics")]

    operations = [migrations.RunPython(open_boards, migrations.RunPython.noop)]
