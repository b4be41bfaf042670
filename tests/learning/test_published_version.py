"""A version is published while a learner has the course open: nothing is lost, and what is gone says so."""

from datetime import UTC, datetime

import pytest
from django.test import Client

from apps.accounts.models import User
from apps.courses import services
from apps.courses.models import Course
from apps.learning.models import Attempt, LessonProgress
from tests.factories.courses import CourseFactory, LessonFactory, QuestionFactory, QuizFactory
from tests.factories.learning import AttemptFactory, EnrollmentFactory

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 3, 15, 10, 0, tzinfo=UTC)


def test_a_learner_goes_on_while_a_version_is_published(ada: User, sam: User, leo: User, client: Client) -> None:
    live = CourseFactory(title="Rivers", slug="rivers", instructor=ada, status="published")
    kept = LessonFactory(section__course=live, title="Springs", slug="springs")
    gone = LessonFactory(section=kept.section, title="Deltas", slug="deltas")
    quiz = QuizFactory(lesson__section=kept.section, lesson__slug="quiz")
    QuestionFactory(quiz=quiz, prompt="Which way does it run?")
    enrollment = EnrollmentFactory(user=leo, course=live)
    client.force_login(leo)
    for lesson in (kept, gone):
        assert client.get(f"/learn/rivers/{lesson.slug}").status_code == 200
    attempt = AttemptFactory(enrollment=enrollment, quiz=quiz)

    copy = services.begin_version(course=live, by=ada, now=NOW)
    for slug in ("deltas", "quiz"):
        services.delete_lesson(lesson=copy.lessons.get(slug=slug), by=ada, now=NOW)
    services.submit_course(course=live, by=ada, now=NOW)
    services.decide_submission(course=live, by=sam, outcome="approved", now=NOW)

    assert client.get("/learn/rivers/springs").status_code == 200
    answer = client.get("/learn/rivers/deltas")
    assert answer.status_code == 404
    content = answer.content.decode()
    assert "no longer part of the course" in content
    assert "/course/lessons?course=rivers" in content
    assert LessonProgress.objects.filter(enrollment=enrollment, lesson=gone).exists()
    assert Attempt.objects.filter(pk=attempt.pk, submitted_at=None).exists()
    assert Course.objects.get(slug="rivers").lesson_count == 1
