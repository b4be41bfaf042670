"""``python -m tests.e2e.offline_course``: a section to learn without a connection, and its learners."""

from __future__ import annotations

import django

from tests.e2e.offline import COURSE
from tests.e2e.prepare import FILM, add_person

LEARNERS = tuple(f"offline-{number}" for number in range(1, 12))
TEXT = "Water runs downhill, and takes the shortest way.\n\n" + "It carries sand.\n\n" * 30
SHORT_SECONDS = 15
SECRET = "Sediment of the seventh terrace"
"""Stands in a lesson and nowhere else."""
TABLE = b"depth,flow\n1,0.4\n2,0.9\n" * 20_000
"""A file of the text, of about half a megabyte."""


def make() -> None:
    """A published course: a video, a text with a file, two quizzes with a time limit, and a text."""
    from django.core.files.base import ContentFile
    from django.core.files.storage import default_storage

    from apps.courses.models import Course, CourseFileUse, Lesson, LessonDownload
    from apps.courses.services.outline_rows import refresh_outline
    from tests.factories.courses import (
        CourseFactory,
        CourseFileFactory,
        LessonFactory,
        QuestionFactory,
        QuizFactory,
        SectionFactory,
    )
    from tests.factories.files import StoredFileFactory
    from tests.factories.learning import EnrollmentFactory

    film = Lesson.objects.select_related("course", "video").get(slug=FILM.rsplit("/", 1)[1])
    course = CourseFactory(
        slug=COURSE,
        title="Rivers without a net",
        subject=film.course.subject,
        instructor=film.course.instructor,
        status=Course.Status.PUBLISHED,
    )
    section = SectionFactory(course=course, title="Upstream")
    LessonFactory(
        section=section,
        slug="the-film",
        title="The film",
        kind=Lesson.Kind.VIDEO,
        video=film.video,
        duration=film.duration,
        chapters=film.chapters,
    )
    text = LessonFactory(section=section, slug="the-text", title="The text", body=f"{TEXT}\n\n{SECRET}, and $x^2$.")
    table = StoredFileFactory(owner=course.instructor, filename="flow.csv", length=len(TABLE), media_type="text/csv")
    default_storage.save(table.stored_as, ContentFile(TABLE))
    facts = {"width": None, "height": None, "rendition_width": 0, "name": "flow.csv", "media_type": "text/csv"}
    file = CourseFileFactory(course=course, upload=table, **facts)
    LessonDownload.objects.create(lesson=text, file=file, name="Flow at each depth.csv", position=1)
    CourseFileUse.objects.create(file=file, place=CourseFileUse.Place.LESSON, lesson=text)
    quiz = QuizFactory(
        lesson__section=section,
        lesson__slug="the-quiz",
        lesson__title="The quiz",
        time_limit=900,
        max_attempts=3,
        pass_percent=50,
    )
    QuestionFactory(quiz=quiz, prompt="Which bank does the river undercut?")
    QuestionFactory(quiz=quiz, prompt="Which one grows?")
    short = QuizFactory(
        lesson__section=section, lesson__slug="the-short-quiz", lesson__title="The short quiz", time_limit=SHORT_SECONDS
    )
    QuestionFactory(quiz=short, prompt="Where does it end?")
    LessonFactory(section=section, slug="the-end", title="The end", body="It ends in the sea.")
    refresh_outline(course, now=course.published_at or course.created_at)
    for name in LEARNERS:
        EnrollmentFactory(user=add_person(name), course=course)


if __name__ == "__main__":
    django.setup()
    make()
