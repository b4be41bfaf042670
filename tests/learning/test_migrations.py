"""Migrations convert rows that were written before them."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader

from apps.learning.models import Certificate
from tests.factories.courses import LessonFactory, SectionFactory
from tests.learning.quiz import make_quiz

BEFORE = ("learning", "0002_milestones_and_revisions")


@pytest.fixture
def old_models(transactional_db: None) -> Any:
    """The tables before the migration, and the models that match them."""
    call_command("migrate", *BEFORE, verbosity=0)
    yield MigrationLoader(connection).project_state([BEFORE]).apps
    call_command("migrate", verbosity=0)


@pytest.mark.database
@pytest.mark.long
def test_older_certificates_list_the_work_done_before_their_issue(
    leo: Any, course: Any, now: datetime, old_models: Any
) -> None:
    section = SectionFactory(course=course)
    video_lessons = [LessonFactory(section=section, course=course, kind="video", duration=100) for _ in range(3)]
    quizzes = [make_quiz(course) for _ in range(3)]
    enrollment = old_models.get_model("learning", "Enrollment").objects.create(
        user_id=leo.pk, course_id=course.pk, enrolled_at=now, last_activity_at=now
    )
    later = now + timedelta(days=1)
    # One was watched in full, one nearly, one after the certificate was issued.
    for video_lesson, watched, completed_at in zip(video_lessons, (140, 93, 90), (now, now, later), strict=True):
        old_models.get_model("learning", "LessonProgress").objects.create(
            enrollment=enrollment,
            lesson_id=video_lesson.pk,
            watched_seconds=watched,
            started_at=now,
            updated_at=now,
            completed_at=completed_at,
        )
    # The second quiz first, then the first one twice; the third was passed after the certificate was issued.
    for number, (quiz, percent, submitted_at) in enumerate(
        [(quizzes[1], 90, now), (quizzes[0], 75, now), (quizzes[0], 100, now), (quizzes[2], 100, later)], start=1
    ):
        old_models.get_model("learning", "Attempt").objects.create(
            enrollment=enrollment,
            quiz_id=quiz.pk,
            number=number,
            started_at=now,
            submitted_at=submitted_at,
            percent=percent,
            is_passed=True,
        )
    old_models.get_model("learning", "Certificate").objects.create(
        enrollment=enrollment, code="OLD-CERTIFICATE", lesson_count=11, issued_at=now
    )

    call_command("migrate", "learning", verbosity=0)

    certificate = Certificate.objects.get()
    assert (certificate.code, certificate.lesson_count) == ("OLD-CERTIFICATE", 11)
    assert (certificate.video_seconds, certificate.watched_seconds) == (200, 193)
    titles = [quiz.lesson.title for quiz in quizzes[:2]]
    assert [quiz["percent"] for quiz in certificate.quizzes] == [75, 90]
    assert [quiz["title"] for quiz in certificate.quizzes] == titles
