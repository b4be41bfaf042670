"""``python -m tests.e2e.prepare FOLDER``: make the data that tests copy, in this folder."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import django

from tests.servers import free_port

if TYPE_CHECKING:
    from apps.accounts.models import User
    from apps.courses.models import Lesson

LEARNERS = 48
DRAFTS = 24
DEVICES = 4
SEEN = "learner-seen"  # watched the first 38 seconds of the video
FILM = "/learn/linear-algebra-geometrically/a-matrix-moves-the-plane"  # the video that is processed
DONE = "is-prepared"  # this file exists once the data is complete
SHORT = "two-moving-pictures"
LOOP = "one-picture-one-question"  # nobody is enrolled


def main(folder: Path) -> None:
    """The demo content with one processed video, and accounts and courses that tests may change."""
    for elsewhere in ("DATABASE_URL", "REDIS_URL"):
        os.environ.pop(elsewhere, None)
    os.environ |= {
        "DJANGO_SETTINGS_MODULE": "studyplatform.settings.embedded",
        "DATA_DIR": str(folder),
        "STANDIN_PORT": str(free_port()),  # the sales are made with the stand-in
    }
    django.setup()
    from django.core.management import call_command

    call_command("prepare_database", verbosity=0)
    call_command("seed_demo", verbosity=0)
    process_one_film()
    index_one_course()
    add_learners()
    add_drafts()
    add_owners_of_devices()
    (folder / DONE).touch()


def process_one_film() -> None:
    """Encode the first video of the demo in all qualities, and no other."""
    from studyplatform.kit import jobs
    from studyplatform.kit.models import Job

    films = Job.objects.filter(kind="files.process_video").order_by("-priority", "run_at", "pk")
    Job.objects.filter(pk__in=list(films.values_list("pk", flat=True)[1:])).delete()
    jobs.run_pending("media")


def index_one_course() -> None:
    """Index the course of that video for the tutor, and no other: it would take the server a minute."""
    from django.utils import timezone

    from apps.courses.models import Course
    from apps.tutor.services.indexing import index_course
    from studyplatform.kit.models import Job

    Job.objects.filter(kind="tutor.index_course").delete()
    index_course(course_id=Course.objects.get(slug=FILM.split("/")[2]).pk, now=timezone.now())


def add_learners() -> None:
    """``learner-1@example.com`` and so on, enrolled in Linear Algebra and in a course of two lessons.

    Both lessons have the same video: the first shows what follows a video, the second what ends a course.
    """
    from apps.courses.models import Course, Lesson
    from tests.factories.courses import CourseFactory, LessonFactory, SectionFactory
    from tests.factories.learning import EnrollmentFactory, LessonProgressFactory

    algebra = Course.objects.get(slug="linear-algebra-geometrically")
    film = algebra.lessons.get(slug="a-matrix-moves-the-plane")
    short = CourseFactory(
        slug=SHORT,
        title="Two moving pictures",
        subject=algebra.subject,
        instructor=algebra.instructor,
        status=Course.Status.PUBLISHED,
    )
    section = SectionFactory(course=short, title="Both")
    first, _ = (
        LessonFactory(
            section=section,
            slug=title.lower().replace(" ", "-"),
            title=title,
            kind=Lesson.Kind.VIDEO,
            video=film.video,
            duration=film.duration,
            chapters=film.chapters if title == "The second" else [],
        )
        for title in ("The first", "The second")
    )
    add_course_of_the_loop(film)
    for name in [SEEN, *(f"learner-{number}" for number in range(1, LEARNERS + 1))]:
        person = add_person(name)
        enrollments = {course.slug: EnrollmentFactory(user=person, course=course) for course in (algebra, short)}
        if name == SEEN:
            LessonProgressFactory(
                enrollment=enrollments[SHORT], lesson=first, position=38, watched=[[0, 38]], watched_seconds=38
            )


def add_course_of_the_loop(film: Lesson) -> None:
    """A free course that ends with a certificate after its only video and a quiz of one question."""
    from apps.courses.models import Course, Lesson
    from apps.courses.services.search import index_course
    from tests.factories.courses import CourseFactory, LessonFactory, QuestionFactory, QuizFactory, SectionFactory

    course = CourseFactory(
        slug=LOOP,
        title="One picture, one question",
        subject=film.course.subject,
        instructor=film.course.instructor,
        status=Course.Status.PUBLISHED,
    )
    section = SectionFactory(course=course, title="Both")
    picture = {"kind": Lesson.Kind.VIDEO, "video": film.video, "duration": film.duration}
    LessonFactory(section=section, slug="the-picture", title="The picture", **picture)
    quiz = QuizFactory(lesson__section=section, lesson__slug="the-question", lesson__title="The question")
    QuestionFactory(quiz=quiz)
    index_course(course_id=course.pk)


def add_drafts() -> None:
    """``draft-1`` and so on of ``sorter@example.com``: Downhill with Spring, Brook and River, and the empty Sea."""
    from apps.accounts.models import Role
    from tests.factories.courses import CourseFactory, LessonFactory, SectionFactory

    sorter = add_person("sorter", role=Role.INSTRUCTOR)
    for number in range(1, DRAFTS + 1):
        course = CourseFactory(slug=f"draft-{number}", title="A course to be sorted", instructor=sorter)
        section = SectionFactory(course=course, title="Downhill")
        for title in ("Spring", "Brook", "River"):
            LessonFactory(section=section, title=title, slug=title.lower())
        SectionFactory(course=course, title="Sea")


def add_owners_of_devices() -> None:
    """``device-1@example.com`` and so on, with a password and nothing else."""
    for number in range(1, DEVICES + 1):
        add_person(f"device-{number}")


def add_person(name: str, **fields: object) -> User:
    """An account with all rights of its role and the password of the demo accounts."""
    from django.utils import timezone

    from apps.accounts.models import User

    now = timezone.now()
    return User.objects.create(
        email=f"{name}@example.com",
        username=name,
        password=User.objects.get(email="student@example.com").password,  # hashed once: that is slow on purpose
        date_joined=now,
        terms_accepted_at=now,
        email_verified_at=now,
        **fields,
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
