"""The learner's calls as every kind of person, and what attackers try."""

import json
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from apps.courses.models import Lesson
from apps.learning import services
from apps.learning.models import Attempt, Bookmark, Enrollment, LessonProgress
from apps.learning.queries.lessons import lesson_of
from apps.learning.queries.player import signed_sources
from studyplatform.kit import jobs
from studyplatform.kit.errors import NotAuthenticated
from tests.factories.courses import CourseFactory
from tests.factories.files import CaptionFactory, VideoFactory
from tests.factories.learning import CertificateFactory, EnrollmentFactory
from tests.learning.quiz import SECRETS, make_quiz, right_answers

PEOPLE = ["nobody", "mia", "leo", "ada", "eve", "sam"]
NOT_EVEN_A_UUID = "00000000-0000-4000-8000-000000000000"


@pytest.fixture
def ask(request, browser_of):
    """A call as one of the cast; answers the status, the problem's code and the data."""

    def call(who, method, path, data=None):
        person = request.getfixturevalue(who)
        client = Client() if who == "nobody" else browser_of(person)
        body = None if data is None else json.dumps(data)
        answer = client.generic(method, f"/api/v1{path}", body or "", "application/json")
        found = json.loads(answer.content) if answer.content else {}
        return answer.status_code, found.get("code") if answer.status_code >= 400 else None, found

    return call


@pytest.fixture
def film_with_words(film, ada):
    film.video = VideoFactory(owner=ada, duration=100)
    film.save()
    CaptionFactory(video=film.video)
    return film


def test_enrolling(ask, course):
    assert ask("nobody", "POST", "/enrollments/", {"course": course.slug})[:2] == (401, "NOT_AUTHENTICATED")
    status, _, enrollment = ask("mia", "POST", "/enrollments/", {"course": course.slug, "percent": 100, "user": 1})
    assert (status, enrollment["percent"], enrollment["course"]["slug"]) == (201, 0, course.slug)
    assert ask("mia", "POST", "/enrollments/", {"course": course.slug})[:2] == (409, "ALREADY_ENROLLED")
    assert ask("mia", "POST", "/enrollments/", {})[:2] == (400, "VALIDATION_FAILED")
    hidden, dear = CourseFactory(), CourseFactory(status="published", pricing="premium")
    assert ask("mia", "POST", "/enrollments/", {"course": hidden.slug})[:2] == (404, "COURSE_NOT_FOUND")
    assert ask("mia", "POST", "/enrollments/", {"course": dear.slug})[:2] == (402, "PAYMENT_REQUIRED")


def test_a_users_own_enrollments_are_paginated(ask, leo, mia, enrollment, browser_of, django_assert_max_num_queries):
    EnrollmentFactory(user=mia)
    EnrollmentFactory.create_batch(30, user=leo)

    browser = browser_of(leo)

    with django_assert_max_num_queries(6):
        found = browser.get("/api/v1/enrollments/?page_size=25").json()

    assert (found["count"], len(found["results"])) == (31, 25)
    assert ask("mia", "GET", "/enrollments/")[2]["count"] == 1
    assert ask("nobody", "GET", "/enrollments/")[0] == 401


@pytest.mark.parametrize(
    ("who", "status", "may_save"),
    [
        ("nobody", 401, None),
        ("mia", 403, None),
        ("leo", 200, True),
        ("ada", 200, False),
        ("eve", 403, None),
        ("sam", 200, False),
    ],
)
def test_the_player_s_start(ask, enrollment, film_with_words, who, status, may_save):
    answered, code, found = ask(who, "GET", f"/lessons/{film_with_words.uid}/player/")

    assert answered == status
    if status == 200:
        assert found["may_save"] is may_save
        assert found["sources"]["master"].startswith("/media/v/")
        assert found["transcript"] == [{"start": 0.0, "end": 2.0, "text": "Hello."}]
    else:
        assert code in {"NOT_AUTHENTICATED", "ENROLLMENT_REQUIRED"}
        assert "sources" not in found


def test_the_server_notes_that_the_player_opened_a_lesson(ask, enrollment, film_with_words):
    for who in ("leo", "leo", "ada"):
        assert ask(who, "GET", f"/lessons/{film_with_words.uid}/player/")[0] == 200

    [opened] = LessonProgress.objects.all()
    assert (opened.enrollment, opened.lesson, opened.watched_seconds) == (enrollment, film_with_words, 0)


def test_previews_play_for_everyone_and_keep_nothing(ask, film_with_words):
    film_with_words.is_preview = True
    film_with_words.save()

    assert ask("nobody", "GET", f"/lessons/{film_with_words.uid}/player/")[2]["may_save"] is False
    body = {"position": 3, "watched": [[0, 3]]}
    assert ask("nobody", "POST", f"/lessons/{film_with_words.uid}/progress/", body)[0] == 401
    assert ask("mia", "POST", f"/lessons/{film_with_words.uid}/progress/", body)[:2] == (403, "ENROLLMENT_REQUIRED")
    assert not LessonProgress.objects.exists()


def test_only_a_visitor_of_a_preview_gets_addresses_for_everyone(film_with_words, leo, enrollment, browser_of, client):
    """The last door, should a policy ever let a visitor through: addresses for everyone need a preview."""
    opened = lesson_of(leo, film_with_words.uid)
    with pytest.raises(NotAuthenticated):
        signed_sources(opened, now=timezone.now(), holder=None)

    Lesson.objects.filter(pk=film_with_words.pk).update(is_preview=True)
    path = f"/api/v1/lessons/{film_with_words.uid}/player/"
    for_all, his = (one.get(path).json()["sources"]["captions"][0]["url"] for one in (client, browser_of(leo)))

    assert client.get(for_all).status_code == 200
    assert client.get(his).status_code == 403


def test_heartbeats(ask, enrollment, film):
    path = f"/lessons/{film.uid}/progress/"
    status, _, found = ask("leo", "POST", path, {"position": 12.5, "watched": [[0, 12]], "completed": True})

    assert (status, found["position"], found["watched_seconds"], found["completed"]) == (200, 12.5, 12, False)
    forged = ask("leo", "POST", path, {"position": 99, "watched": [[0, 100]]})[2]
    assert forged["watched_seconds"] <= 31
    assert forged["completed"] is False
    assert ask("leo", "POST", f"/lessons/{NOT_EVEN_A_UUID}/progress/", {"position": 1})[:2] == (
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
def test_nonsense_is_no_progress(ask, enrollment, film, body):
    assert ask("leo", "POST", f"/lessons/{film.uid}/progress/", body)[:2] == (400, "VALIDATION_FAILED")
    assert not LessonProgress.objects.exists()


def test_a_heartbeat_with_a_token_costs_three_queries(leo, enrollment, film, client, django_assert_num_queries):
    services.save_watching(user=leo, lesson_uid=film.uid, position=1, watched=[[0, 1]], now=timezone.now())
    client.get("/auth/login")
    login = client.post(
        "/api/v1/auth/login", {"email": leo.email, "password": "StudyDemo1"}, content_type="application/json"
    )
    bearer = {"Authorization": f"Bearer {login.json()['token']}"}
    body = {"position": 4, "watched": [[0, 4]]}

    with django_assert_num_queries(3):
        answer = Client().post(
            f"/api/v1/lessons/{film.uid}/progress/", body, content_type="application/json", headers=bearer
        )

    assert answer.status_code == 200


def _a_minute_ago() -> None:
    """Attempts were opened a minute ago: there was time to answer."""
    Attempt.objects.update(started_at=timezone.now() - timedelta(minutes=1))


def test_submitting_a_quiz_costs_eleven_queries(ask, leo, enrollment, course, browser_of, django_assert_num_queries):
    quiz, browser = make_quiz(course), browser_of(leo)
    opened = ask("leo", "POST", f"/lessons/{quiz.lesson.uid}/attempts/")[2]
    path, body = f"/api/v1/attempts/{opened['uid']}/submit/", {"answers": right_answers(quiz)}
    _a_minute_ago()

    with django_assert_num_queries(11 + 2):  # its transaction is a savepoint here
        answer = browser.post(path, body, content_type="application/json")

    assert answer.json()["result"]["is_passed"]


def test_marking_a_text(ask, enrollment, lessons):
    path = f"/lessons/{lessons[0].uid}/complete/"

    assert ask("nobody", "POST", path)[0] == 401
    assert ask("mia", "POST", path)[:2] == (403, "ENROLLMENT_REQUIRED")
    assert ask("ada", "POST", path)[:2] == (403, "ENROLLMENT_REQUIRED")
    assert ask("leo", "POST", path)[2]["newly_completed"] is True
    assert ask("leo", "POST", path)[2]["newly_completed"] is False


def test_no_answer_is_in_a_call_or_a_page_before_submission(ask, course, enrollment, lessons, browser_of, leo):
    quiz = make_quiz(course, rewatch=lessons[0])
    page = f"/learn/{course.slug}/{quiz.lesson.slug}"
    opened = ask("leo", "POST", f"/lessons/{quiz.lesson.uid}/attempts/")[2]
    seen = [
        json.dumps(opened),
        json.dumps(ask("leo", "GET", f"/attempts/{opened['uid']}/")[2]),
        json.dumps(ask("leo", "GET", f"/lessons/{quiz.lesson.uid}/quiz/")[2]),
        browser_of(leo).get(page).content.decode(),
    ]

    assert len(opened["questions"]) == 7
    for text in seen:
        assert "Which of the two?" in text
        assert not [secret for secret in SECRETS if secret in text]
    for question in opened["questions"]:
        assert set(question) == {
            "uid", "kind", "prompt_html", "points", "options", "left", "right", "unit", "tolerance"
        }  # fmt: skip
    order = next(question for question in opened["questions"] if question["kind"] == "ordering")
    assert [option["id"] for option in order["options"]] != ["s", "r", "q", "p"]

    result = ask("leo", "POST", f"/attempts/{opened['uid']}/submit/", {"answers": {}})[2]
    assert result["questions"] == []
    for text in (json.dumps(result), browser_of(leo).get(page).content.decode()):
        assert "No questions answered this time" in text
        assert not [secret for secret in SECRETS if secret in text]


def test_submitting(ask, course, enrollment):
    quiz = make_quiz(course)
    opened = ask("leo", "POST", f"/lessons/{quiz.lesson.uid}/attempts/")[2]
    path, answers = f"/attempts/{opened['uid']}/submit/", right_answers(quiz)
    assert ask("leo", "POST", path, {"answers": answers})[:2] == (409, "QUIZ_ANSWERED_TOO_FAST")
    _a_minute_ago()
    uid = next(iter(answers))

    for who, status in {"nobody": 401, "mia": 404, "ada": 404, "eve": 404, "sam": 404}.items():
        assert ask(who, "POST", path, {"answers": answers})[0] == status
        assert ask(who, "GET", f"/attempts/{opened['uid']}/")[0] == status
    status, code, found = ask("leo", "POST", path, {"answers": {uid: {"id": "zz"}}})
    assert (status, code, list(found["fields"])) == (400, "VALIDATION_FAILED", [f"answers.{uid}"])
    assert ask("leo", "POST", path, {"answers": {uid: "b"}})[0] == 400
    assert ask("leo", "POST", path, {"answers": [1]})[0] == 400
    assert ask("leo", "POST", path, {})[0] == 400
    first = ask("leo", "POST", path, {"answers": answers, "score": 99, "is_passed": True})[2]
    assert (first["result"]["percent"], first["result"]["is_passed"]) == (100, True)
    assert (first["progress"]["newly_completed"], first["progress"]["completed_lessons"]) == (True, 1)
    assert ask("leo", "POST", path, {"answers": answers})[2] == {**first, "progress": None}
    assert ask("leo", "POST", path, {"answers": {}})[:2] == (409, "QUIZ_ATTEMPT_CLOSED")
    assert Attempt.objects.get().percent == 100


def test_passing_a_quiz_says_which_milestone_it_reached(ask, course, enrollment, lessons):
    for lesson in lessons[1:]:
        lesson.delete()
    quiz = make_quiz(course)
    opened = ask("leo", "POST", f"/lessons/{quiz.lesson.uid}/attempts/")[2]
    _a_minute_ago()

    passed = ask("leo", "POST", f"/attempts/{opened['uid']}/submit/", {"answers": right_answers(quiz)})[2]

    assert passed["progress"]["milestone"] == 50


def test_bookmarks_and_ratings(ask, course, enrollment):
    bookmark, rating = f"/courses/{course.slug}/bookmark/", f"/courses/{course.slug}/rating/"

    assert ask("nobody", "PUT", bookmark)[0] == 401
    assert [ask("mia", "PUT", bookmark)[0], ask("mia", "PUT", bookmark)[0], Bookmark.objects.count()] == [
        204,
        204,
        1,
    ]
    assert [ask("mia", "DELETE", bookmark)[0], Bookmark.objects.count()] == [204, 0]
    assert ask("mia", "PUT", f"/courses/{CourseFactory().slug}/bookmark/")[:2] == (404, "COURSE_NOT_FOUND")
    assert ask("mia", "PUT", rating, {"stars": 5})[:2] == (403, "ENROLLMENT_REQUIRED")
    assert ask("leo", "PUT", rating, {"stars": 6})[:2] == (400, "VALIDATION_FAILED")
    assert ask("leo", "PUT", rating, {"stars": 4, "text": "Clear."})[2]["stars"] == 4


def test_the_outline_hides_what_is_hidden(ask, course, enrollment):
    assert [ask(who, "GET", f"/courses/{course.slug}/outline/")[0] for who in PEOPLE] == [200] * 6
    course.status = "suspended"
    course.save()
    assert [ask(who, "GET", f"/courses/{course.slug}/outline/")[0] for who in PEOPLE] == [404, 404, 200, 200, 404, 200]


def test_certificates_are_listed_to_their_owner_and_verified_by_anyone(ask, enrollment):
    code = CertificateFactory(enrollment=enrollment).code

    assert ask("leo", "GET", "/certificates/")[2]["count"] == 1
    assert ask("mia", "GET", "/certificates/")[2]["count"] == 0
    found = ask("nobody", "GET", f"/certificates/{code.lower()}/")[2]
    assert found["learner_name"] == "Leo Marsh"
    assert "email" not in json.dumps(found)
    assert "leo" not in found.values()
    assert ask("nobody", "GET", "/certificates/WRONGWRONG22/")[:2] == (404, "CERTIFICATE_UNKNOWN")


def test_a_changed_outline_recounts_the_enrollments(
    leo, enrollment, ada, course, lessons, django_capture_on_commit_callbacks
):
    from apps.courses.services import delete_lesson

    services.complete_lesson(user=leo, lesson_uid=lessons[0].uid, now=timezone.now())
    with django_capture_on_commit_callbacks(execute=True):
        delete_lesson(lesson=lessons[5], by=ada, now=timezone.now())
    jobs.run_pending("default")

    assert Enrollment.objects.get(pk=enrollment.pk).percent == 20
