"""``python -m tests.e2e.offline_course``: a section to learn without a connection, and its learners."""

from __future__ import annotations

import django

from tests.e2e.offline import COURSE
from tests.e2e.prepare import FILM, add_person

LEARNERS = ("offline-1", "offline-2", "offline-3")
TEXT = "Water runs downhill, and takes the shortest way.\n\n" + "It carries sand.\n\n" * 30
SHORT_SECONDS = 20
SECRET = "Sediment of the seventh terrace"
"""Stands in a lesson and nowhere else."""


def make() -> None:
    """A published course: a video, a text, two quizzes with a time limit, and a text."""
    from apps.courses.models import Course, Lesson
    from apps.courses.services.outline_rows import refresh_outline
    from tests.factories.courses import CourseFactory, LessonFactory, QuestionFactory, QuizFactory, SectionFactory
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
    LessonFactory(section=section, slug="the-text", title="The text", body=f"{TEXT}\n\n{SECRET}, and $x^2$.")
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
