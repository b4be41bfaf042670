"""``python -m tests.e2e.versioned_course make`` or ``publish``: a course of which a version takes lessons out."""

from __future__ import annotations

import sys

import django

from tests.e2e.prepare import FILM, add_person

COURSE = "four-banks"
LEARNER = "version-learner"
LONG_TEXT = "Water runs downhill.\n\n" * 50  # its end is not in sight, so nothing completes it
NOTE = "Shorter, and the last lesson says more."


def make() -> None:
    """A published course with two videos, a text, a quiz and a text, and a learner of it."""
    from apps.courses.models import Course, Lesson
    from apps.courses.services.outline_rows import refresh_outline
    from tests.factories.courses import CourseFactory, LessonFactory, QuestionFactory, QuizFactory, SectionFactory
    from tests.factories.learning import EnrollmentFactory

    film = Lesson.objects.select_related("course", "video").get(slug=FILM.rsplit("/", 1)[1])
    course = CourseFactory(
        slug=COURSE,
        title="Four banks",
        subject=film.course.subject,
        instructor=film.course.instructor,
        status=Course.Status.PUBLISHED,
    )
    section = SectionFactory(course=course, title="All")
    picture = {"kind": Lesson.Kind.VIDEO, "video": film.video, "duration": film.duration}
    LessonFactory(section=section, slug="the-kept-film", title="The kept film", **picture)
    LessonFactory(section=section, slug="the-lost-film", title="The lost film", **picture)
    LessonFactory(section=section, slug="the-lost-text", title="The lost text", body=LONG_TEXT)
    quiz = QuizFactory(lesson__section=section, lesson__slug="the-lost-quiz", lesson__title="The lost quiz")
    QuestionFactory(quiz=quiz)
    LessonFactory(section=section, slug="the-end", title="The end", body="It ends in the sea.")
    refresh_outline(course, now=course.published_at or course.created_at)
    EnrollmentFactory(user=add_person(LEARNER), course=course)


def publish() -> None:
    """Publish version 2 without the lessons whose titles say that they are lost."""
    from django.utils import timezone

    from apps.accounts.models import User
    from apps.courses import services
    from apps.courses.models import Course

    now = timezone.now()
    course = Course.objects.get(slug=COURSE)
    copy = services.begin_version(course=course, by=course.instructor, now=now)
    for lesson in list(copy.lessons.filter(slug__contains="-lost-")):
        services.delete_lesson(lesson=lesson, by=course.instructor, now=now)
    services.choose_for_learners(course=course, by=course.instructor, choices={"note": NOTE})
    services.submit_course(course=course, by=course.instructor, now=now)
    admin = User.objects.get(email="admin@example.com")
    services.decide_submission(course=course, by=admin, outcome="approved", now=now)


if __name__ == "__main__":
    django.setup()
    {"make": make, "publish": publish}[sys.argv[1]]()
