"""The learner's API calls, made by each kind of user, including forged and malformed ones."""

import json
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from apps.courses.models import Lesson
from apps.learning import services
from apps.learning.models import Achievement, Attempt, Bookmark, Enrollment, LearnedDay, LessonProgress, WatchedDay
from apps.learning.queries.lessons import lesson_of
from apps.learning.queries.player import signed_sources
from studyplatform.kit import jobs
from studyplatform.kit.errors import NotAuthenticated
from tests.factories.courses import CourseFactory
from tests.factories.files import CaptionFactory, VideoFactory
from tests.factories.learning import CertificateFactory, EnrollmentFactory
from tests.learning.quiz import SECRETS, make_quiz, right_answers

pytestmark = pytest.mark.edits_in_place

PEOPLE = ["nobody", "mia", "leo", "ada", "eve", "sam"]
NOT_EVEN_A_UUID = "00000000-0000-4000-8000-000000000000"


@pytest.fixture
def captioned_lesson(video_lesson, ada):
    video_lesson.video = VideoFactory(owner=ada, duration=100)
    video_lesson.save()
    CaptionFactory(video=video_lesson.video)
    return video_lesson


def test_a_user_enrolls_once_and_only_in_an_available_course(call_as, course):
    assert call_as("nobody", "POST", "/enrollments/", {"course": course.slug})[:2] == (401, "NOT_AUTHENTICATED")
    status, _, enrollment = call_as("mia", "POST", "/enrollments/", {"course": course.slug, "percent": 100, "user": 1})
    assert (status, enrollment["percent"], enrollment["course"]["slug"]) == (201, 0, course.slug)
    assert call_as("mia", "POST", "/enrollments/", {"course": course.slug})[:2] == (409, "ALREADY_ENROLLED")
    assert call_as("mia", "POST", "/enrollments/", {})[:2] == (400, "VALIDATION_FAILED")
    hidden, dear = CourseFactory(), CourseFactory(status="published", pricing="premium")
    assert call_as("mia", "POST", "/enrollments/", {"course": hidden.slug})[:2] == (404, "COURSE_NOT_FOUND")
    assert call_as("mia", "POST", "/enrollments/", {"course": dear.slug})[:2] == (402, "PAYMENT_REQUIRED")


def test_a_users_own_enrollments_are_paginated(
    call_as, leo, mia, enrollment, browser_of, django_assert_max_num_queries
):
    EnrollmentFactory(user=mia)
    EnrollmentFactory.create_batch(30, user=leo)

    browser = browser_of(leo)

    with django_assert_max_num_queries(6):
        found = browser.get("/api/v1/enrollments/?page_size=25").json()

    assert (found["count"], len(found["results"])) == (31, 25)
    assert call_as("mia", "GET", "/enrollments/")[2]["count"] == 1
    assert call_as("nobody", "GET", "/enrollments/")[0] == 401


@pytest.mark.parametrize(
    ("user_name", "status", "may_save"),
    [
        ("nobody", 401, None),
        ("mia", 403, None),
        ("leo", 200, True),
        ("ada", 200, False),
        ("eve", 403, None),
        ("sam", 200, False),
    ],
)
def test_the_player_starts_for_enrolled_learners_and_staff_only(
    call_as, enrollment, captioned_lesson, user_name, status, may_save
):
    answered, code, found = call_as(user_name, "GET", f"/lessons/{captioned_lesson.uid}/player/")

    assert answered == status
    if status == 200:
        assert found["may_save"] is may_save
        assert found["sources"]["master"].startswith("/media/v/")
        assert found["transcript"] == [{"start": 0.0, "end": 2.0, "text": "Hello."}]
    else:
        assert code in {"NOT_AUTHENTICATED", "ENROLLMENT_REQUIRED"}
        assert "sources" not in found


def test_starting_the_player_records_that_the_learner_opened_the_lesson(call_as, enrollment, captioned_lesson):
    for user_name in ("leo", "leo", "ada"):
        assert call_as(user_name, "GET", f"/lessons/{captioned_lesson.uid}/player/")[0] == 200

    [opened] = LessonProgress.objects.all()
    assert (opened.enrollment, opened.lesson, opened.watched_seconds) == (enrollment, captioned_lesson, 0)


def test_previews_play_for_everyone_and_save_no_progress(call_as, captioned_lesson):
    captioned_lesson.is_preview = True
    captioned_lesson.save()

    assert call_as("nobody", "GET", f"/lessons/{captioned_lesson.uid}/player/")[2]["may_save"] is False
    body = {"position": 3, "watched": [[0, 3]]}
    assert call_as("nobody", "POST", f"/lessons/{captioned_lesson.uid}/progress/", body)[0] == 401
    assert call_as("mia", "POST", f"/lessons/{captioned_lesson.uid}/progress/", body)[:2] == (
        403,
        "ENROLLMENT_REQUIRED",
    )
    assert not LessonProgress.objects.exists()


def test_only_previews_have_media_addresses_that_work_for_everyone(
    captioned_lesson, leo, enrollment, browser_of, client
):
    """Signing is the last guard: even if a policy let a visitor through, only a preview is signed for everyone."""
    opened = lesson_of(leo, captioned_lesson.uid)
    with pytest.raises(NotAuthenticated):
        signed_sources(opened, now=timezone.now(), session_key=None)

    Lesson.objects.filter(pk=captioned_lesson.pk).update(is_preview=True)
    path = f"/api/v1/lessons/{captioned_lesson.uid}/player/"
    for_all, his = (one.get(path).json()["sources"]["captions"][0]["url"] for one in (client, browser_of(leo)))

    assert client.get(for_all).status_code == 200
    assert client.get(his).status_code == 403


def test_a_heartbeat_saves_progress_and_ignores_forged_fields(call_as, enrollment, video_lesson):
    path = f"/lessons/{video_lesson.uid}/progress/"
    status, _, found = call_as("leo", "POST", path, {"position": 12.5, "watched": [[0, 12]], "completed": True})

    assert (status, found["position"], found["watched_seconds"], found["completed"]) == (200, 12.5, 12, False)
    forged = call_as("leo", "POST", path, {"position": 99, "watched": [[0, 100]]})[2]
    assert forged["watched_seconds"] <= 31
    assert forged["completed"] is False
    assert call_as("leo", "POST", f"/lessons/{NOT_EVEN_A_UUID}/progress/", {"position": 1})[:2] == (
        404,
        "LECTURE_UNAVAILABLE",
    )


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"position": "NaN"},
        {"position": -1},
        {"position": 1, "watched": [[5, 5]]},
        {"position": 1, "watched": [[9, 2]]},
        {"position": 1, "watched": [[-3, 2]]},
        {"position": 1, "watched": [[1]]},
        {"position": 1, "watched": [["a", "b"]]},
        {"position": 1, "watched": [[0, 1]] * 501},
        {"position": 1, "at": "yesterday"},
    ],
)
def test_a_malformed_heartbeat_is_refused(call_as, enrollment, video_lesson, body):
    assert call_as("leo", "POST", f"/lessons/{video_lesson.uid}/progress/", body)[:2] == (400, "VALIDATION_FAILED")
    assert not LessonProgress.objects.exists()


def test_a_heartbeat_with_a_token_costs_three_queries(leo, enrollment, video_lesson, client, django_assert_num_queries):
    services.save_watching(user=leo, lesson_uid=video_lesson.uid, position=1, watched=[[0, 1]], now=timezone.now())
    client.get("/auth/login")
    login = client.post(
        "/api/v1/auth/login", {"email": leo.email, "password": "StudyDemo1"}, content_type="application/json"
    )
    bearer = {"Authorization": f"Bearer {login.json()['token']}"}
    body = {"position": 4, "watched": [[0, 4]]}

    with django_assert_num_queries(3):
        answer = Client().post(
            f"/api/v1/lessons/{video_lesson.uid}/progress/", body, content_type="application/json", headers=bearer
        )

    assert answer.status_code == 200


def _backdate_attempts() -> None:
    """Set the start of all attempts to a minute ago, so that there was time to answer."""
    Attempt.objects.update(started_at=timezone.now() - timedelta(minutes=1))


def test_submitting_a_quiz_costs_sixteen_queries(
    call_as, leo, enrollment, course, browser_of, django_assert_num_queries
):
    quiz, browser = make_quiz(course), browser_of(leo)
    opened = call_as("leo", "POST", f"/lessons/{quiz.lesson.uid}/attempts/")[2]
    path, body = f"/api/v1/attempts/{opened['uid']}/submit/", {"answers": right_answers(quiz)}
    _backdate_attempts()

    for kind in Achievement.Kind.values:  # each is earned once, so it is no part of the usual cost
        Achievement.objects.create(user=leo, kind=kind, earned_at=timezone.now(), day=timezone.now().date())
    LearnedDay.objects.create(user=leo, day=timezone.now().date(), lessons=1)
    WatchedDay.objects.create(user=leo, course=course, day=timezone.now().date(), seconds=0)
    leo.time_zone = f"Etc/GMT{timezone.now().hour - 12:+d}"  # at noon: late and early hours cost one query more
    leo.save()

    with django_assert_num_queries(16 + 2):  # two for the savepoint, which is the transaction outside tests
        answer = browser.post(path, body, content_type="application/json")

    assert answer.json()["result"]["is_passed"]


def test_only_enrolled_learners_mark_a_text_complete(call_as, enrollment, lessons):
    path = f"/lessons/{lessons[0].uid}/complete/"

    assert call_as("nobody", "POST", path)[0] == 401
    assert call_as("mia", "POST", path)[:2] == (403, "ENROLLMENT_REQUIRED")
    assert call_as("ada", "POST", path)[:2] == (403, "ENROLLMENT_REQUIRED")
    assert call_as("leo", "POST", path)[2]["newly_completed"] is True
    assert call_as("leo", "POST", path)[2]["newly_completed"] is False


def test_calls_and_pages_reveal_no_answers_before_submission(call_as, course, enrollment, lessons, browser_of, leo):
    quiz = make_quiz(course, rewatch=lessons[0])
    page = f"/learn/{course.slug}/{quiz.lesson.slug}"
    opened = call_as("leo", "POST", f"/lessons/{quiz.lesson.uid}/attempts/")[2]
    seen = [
        json.dumps(opened),
        json.dumps(call_as("leo", "GET", f"/attempts/{opened['uid']}/")[2]),
        json.dumps(call_as("leo", "GET", f"/lessons/{quiz.lesson.uid}/quiz/")[2]),
        browser_of(leo).get(page).content.decode(),
    ]

    assert len(opened["questions"]) == 7
    for text in seen:
        assert "Which of the two?" in text
        assert not [secret for secret in SECRETS if secret in text]
    for question in opened["questions"]:
        assert set(question) == {
            "uid", "kind", "prompt_html", "points", "options", "left", "right", "unit", "tolerance",
            "number_format", "is_case_sensitive", "ignores_accents", "gaps", "limit",
        }  # fmt: skip
    order = next(question for question in opened["questions"] if question["kind"] == "ordering")
    assert [option["id"] for option in order["options"]] != ["s", "r", "q", "p"]

    result = call_as("leo", "POST", f"/attempts/{opened['uid']}/submit/", {"answers": {}})[2]
    assert result["questions"] == []
    for text in (json.dumps(result), browser_of(leo).get(page).content.decode()):
        assert "No questions answered this time" in text
        assert not [secret for secret in SECRETS if secret in text]


def test_only_the_learner_submits_an_attempt_and_only_once(call_as, course, enrollment):
    quiz = make_quiz(course)
    opened = call_as("leo", "POST", f"/lessons/{quiz.lesson.uid}/attempts/")[2]
    path, answers = f"/attempts/{opened['uid']}/submit/", right_answers(quiz)
    assert call_as("leo", "POST", path, {"answers": answers})[:2] == (409, "QUIZ_ANSWERED_TOO_FAST")
    _backdate_attempts()
    uid = next(iter(answers))

    for user_name, status in {"nobody": 401, "mia": 404, "ada": 404, "eve": 404, "sam": 404}.items():
        assert call_as(user_name, "POST", path, {"answers": answers})[0] == status
        assert call_as(user_name, "GET", f"/attempts/{opened['uid']}/")[0] == status
    status, code, found = call_as("leo", "POST", path, {"answers": {uid: {"id": "zz"}}})
    assert (status, code, list(found["fields"])) == (400, "VALIDATION_FAILED", [f"answers.{uid}"])
    assert call_as("leo", "POST", path, {"answers": {uid: "b"}})[0] == 400
    assert call_as("leo", "POST", path, {"answers": [1]})[0] == 400
    assert call_as("leo", "POST", path, {})[0] == 400
    first = call_as("leo", "POST", path, {"answers": answers, "score": 99, "is_passed": True})[2]
    assert (first["result"]["percent"], first["result"]["is_passed"]) == (100, True)
    assert (first["progress"]["newly_completed"], first["progress"]["completed_lessons"]) == (True, 1)
    assert call_as("leo", "POST", path, {"answers": answers})[2] == {**first, "progress": None}
    assert call_as("leo", "POST", path, {"answers": {}})[:2] == (409, "QUIZ_ATTEMPT_CLOSED")
    assert Attempt.objects.get().percent == 100


def test_passing_a_quiz_returns_the_milestone_reached(call_as, course, enrollment, lessons):
    for lesson in lessons[1:]:
        lesson.delete()
    quiz = make_quiz(course)
    opened = call_as("leo", "POST", f"/lessons/{quiz.lesson.uid}/attempts/")[2]
    _backdate_attempts()

    passed = call_as("leo", "POST", f"/attempts/{opened['uid']}/submit/", {"answers": right_answers(quiz)})[2]

    assert passed["progress"]["milestone"] == 50


def test_users_bookmark_courses_and_enrolled_learners_rate_them(call_as, course, enrollment):
    bookmark, rating = f"/courses/{course.slug}/bookmark/", f"/courses/{course.slug}/rating/"

    assert call_as("nobody", "PUT", bookmark)[0] == 401
    assert [call_as("mia", "PUT", bookmark)[0], call_as("mia", "PUT", bookmark)[0], Bookmark.objects.count()] == [
        204,
        204,
        1,
    ]
    assert [call_as("mia", "DELETE", bookmark)[0], Bookmark.objects.count()] == [204, 0]
    assert call_as("mia", "PUT", f"/courses/{CourseFactory().slug}/bookmark/")[:2] == (404, "COURSE_NOT_FOUND")
    assert call_as("mia", "PUT", rating, {"stars": 5})[:2] == (403, "ENROLLMENT_REQUIRED")
    assert call_as("leo", "PUT", rating, {"stars": 6})[:2] == (400, "VALIDATION_FAILED")
    assert call_as("leo", "PUT", rating, {"stars": 4})[:2] == (403, "RATING_TOO_EARLY")
    Enrollment.objects.update(percent=20)
    assert call_as("leo", "PUT", rating, {"stars": 4, "text": "Clear."})[2]["stars"] == 4


def test_the_outline_of_a_suspended_course_is_hidden_from_strangers(call_as, course, enrollment):
    assert [call_as(user_name, "GET", f"/courses/{course.slug}/outline/")[0] for user_name in PEOPLE] == [200] * 6
    course.status = "suspended"
    course.save()
    assert [call_as(user_name, "GET", f"/courses/{course.slug}/outline/")[0] for user_name in PEOPLE] == [
        404,
        404,
        200,
        200,
        404,
        200,
    ]


def test_owners_list_their_certificates_and_anyone_verifies_one(call_as, enrollment):
    code = CertificateFactory(enrollment=enrollment).code

    assert call_as("leo", "GET", "/certificates/")[2]["count"] == 1
    assert call_as("mia", "GET", "/certificates/")[2]["count"] == 0
    found = call_as("nobody", "GET", f"/certificates/{code.lower()}/")[2]
    assert found["learner_name"] == "Leo Marsh"
    assert "email" not in json.dumps(found)
    assert "leo" not in found.values()
    assert call_as("nobody", "GET", "/certificates/WRONGWRONG22/")[:2] == (404, "CERTIFICATE_UNKNOWN")


def test_changing_the_outline_recalculates_progress(
    leo, enrollment, ada, course, lessons, django_capture_on_commit_callbacks
):
    from apps.courses.services import delete_lesson

    services.complete_lesson(user=leo, lesson_uid=lessons[0].uid, now=timezone.now())
    with django_capture_on_commit_callbacks(execute=True):
        delete_lesson(lesson=lessons[5], by=ada, now=timezone.now())
    jobs.run_pending("default")

    assert Enrollment.objects.get(pk=enrollment.pk).percent == 20
