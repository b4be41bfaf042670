"""``python -m tests.e2e.pictures COURSE LESSON COUNT``: make the lesson a text with pictures of different sizes."""

import os
import sys
from io import BytesIO
from uuid import uuid4

import django


def main(course_slug: str, lesson_slug: str, count: int) -> None:
    """Add the pictures to the course and write the text that shows them."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "studyplatform.settings.embedded")
    django.setup()
    from django.utils import timezone
    from PIL import Image

    from apps.courses import services
    from apps.courses.models import Lesson
    from tests.factories.files import FileFactory

    lesson = Lesson.objects.select_related("course__instructor").get(course__slug=course_slug, slug=lesson_slug)
    by, now = lesson.course.instructor, timezone.now()
    parts = ["A text with pictures."]
    for number in range(count):
        raw = BytesIO()
        size = (300 + 60 * (number % 9), 200 + 90 * (number % 5))
        Image.new("RGB", size, (number * 6 % 256, 120, 200)).save(raw, "PNG")
        content = raw.getvalue()
        # Unique: the library of a site that earlier runs used has pictures already.
        file = FileFactory(owner=by, name=f"plot-{number}-{uuid4()}.png", content=content, size=len(content))
        added = services.add_course_file(course=lesson.course, by=by, source=file, now=now)
        width = "" if number % 3 else "{width=50%}"
        parts.append(f'![Plot {number}]({added.address} "Plot {number}"){width}\n\nA paragraph behind it.')
    services.edit_lesson(
        lesson=lesson, by=by, title=lesson.title, summary="", body="\n\n".join(parts), is_preview=False, now=now
    )


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
