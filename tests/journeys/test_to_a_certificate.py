"""From registration to a verified certificate in one learner's browser, on both databases."""

import json
import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.core import mail
from django.test import Client

from apps.courses.models import Course, Lesson
from apps.learning.models import Attempt, Certificate
from studyplatform.kit import jobs
from tests.factories.courses import CourseFactory, LessonFactory, SectionFactory
from tests.factories.files import VideoFactory
from tests.learning.quiz import make_quiz, right_answers

pytestmark = [pytest.mark.database, pytest.mark.django_db]

MORNING = datetime(2026, 3, 20, 9, 0, tzinfo=UTC)
AMARA = {
    "first_name": "Amara",
    "last_name": "Lindgren",
    "email": "amara@example.org",
    "password": "QuietRiver26",
    "confirmation": "QuietRiver26",
    "terms": "on",
}


@pytest.fixture
def rivers_course() -> Course:
    """Return a course with a text of 200 words, a video of 100 seconds and a quiz."""
    course = CourseFactory(slug="rivers", title="Rivers", status="published")
    section = SectionFactory(course=course)
    LessonFactory(section=section, slug="read", body="word " * 200)
    video = VideoFactory(owner=course.instructor, duration=100)
    LessonFactory(section=section, slug="watch", kind=Lesson.Kind.VIDEO, video=video, duration=100)
    make_quiz(course)
    return course


def call_api(browser: Client, method: str, path: str, data: Any) -> tuple[int, dict[str, Any]]:
    """Call the API and return the status and body of the response."""
    answer = browser.generic(method, f"/api/v1{path}", json.dumps(data), "application/json")
    return answer.status_code, answer.json()


def test_a_learner_registers_completes_a_course_and_gets_a_certificate(client: Client, rivers_course: Course) -> None:
    read, watch, quiz = (rivers_course.lessons.get(kind=kind) for kind in ("text", "video", "quiz"))
    with time_machine.travel(MORNING, tick=False) as clock:
        client.post("/auth/register", AMARA)
        jobs.run_pending("default")
        code = re.search(r"\b(\d{6})\b", str(mail.outbox[-1].body))
        assert code
        client.post("/auth/verify-email", {"code": code[1]})
        assert call_api(client, "POST", "/enrollments/", {"course": "rivers"})[0] == 201

        assert client.get("/learn/rivers/read").status_code == 200
        client.post("/learn/rivers/read/complete")
        assert call_api(client, "GET", "/enrollments/", None)[1]["results"][0]["percent"] == 0, (
            "reading too fast does not count"
        )
        clock.shift(timedelta(minutes=1))
        client.post("/learn/rivers/read/complete")
        assert read.progress.get().completed_at is not None

        client.get("/learn/rivers/watch")
        for second in range(0, 100, 10):
            clock.shift(timedelta(seconds=10))
            heartbeat = {"position": second + 10, "watched": [[second, second + 10]]}
            assert call_api(client, "POST", f"/lessons/{watch.uid}/progress/", heartbeat)[0] == 200
        assert watch.progress.get().completed_at is not None

        client.get(f"/learn/rivers/{quiz.slug}")
        status, attempt = call_api(client, "POST", f"/lessons/{quiz.uid}/attempts/", {})
        assert status == 201, attempt
        clock.shift(timedelta(minutes=2))
        uid = Attempt.objects.get().uid
        answers = {"answers": right_answers(quiz.quiz)}
        status, result = call_api(client, "POST", f"/attempts/{uid}/submit/", answers)
        assert status == 200, result

        certificate = Certificate.objects.get()
        pdf = client.get(f"/certificates/{certificate.code}.pdf")
        assert (pdf.status_code, pdf["Content-Type"]) == (200, "application/pdf")
        page = Client().get(f"/certificates/{certificate.code}").content.decode()
        assert "Amara Lindgren" in page
        assert "100%" in page.replace(" %", "%"), "the share of the video that was watched"
