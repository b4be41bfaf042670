"""A version is published while a learner has the course open: nothing is lost, and what is gone says so."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from importlib import import_module
from typing import Any
from uuid import uuid4

import pytest
from django.apps import apps
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from apps.accounts.models import User
from apps.courses import services
from apps.courses.models import Course, Lesson, Question, Quiz
from apps.courses.queries.content_tree import read_tree
from apps.courses.services.applying import apply_tree
from apps.courses.services.outline_rows import refresh_outline
from apps.learning import services as learning
from apps.learning.models import Attempt, Enrollment, LessonProgress, Note
from apps.learning.queries.marking import essays_for
from studyplatform.kit.errors import AppError
from tests.factories.courses import CourseFactory, LessonFactory, QuestionFactory, QuizFactory
from tests.factories.files import VideoFactory
from tests.factories.learning import EnrollmentFactory, LessonProgressFactory

pytestmark = pytest.mark.django_db
NOW = datetime.now(UTC)  # the API has no other
EARLIER = NOW - timedelta(hours=1)


@dataclass
class River:
    """A published course, its author, its reviewer, and a learner who has its pages open."""

    course: Course
    author: User
    reviewer: User
    enrollment: Enrollment
    browser: Client

    @property
    def learner(self) -> User:
        return self.enrollment.user

    def lesson(self, slug: str) -> Lesson:
        return Lesson.with_removed.select_related("quiz").get(course=self.course, slug=slug)

    def begin(self) -> Course:
        return services.begin_version(course=self.course, by=self.author, now=NOW)

    def publish(self) -> None:
        """Submit the version and approve it, after the course was changed as the test wants it."""
        services.submit_course(course=self.course, by=self.author, now=NOW)
        services.decide_submission(course=self.course, by=self.reviewer, outcome="approved", now=NOW)
        self.course = Course.objects.get(pk=self.course.pk)
        learning.recount_course(course=self.course, now=NOW)

    def publish_without(self, *slugs: str) -> None:
        copy = self.begin()
        for slug in slugs:
            services.delete_lesson(lesson=copy.lessons.get(slug=slug), by=self.author, now=NOW)
        self.publish()

    def open_attempt(self) -> Attempt:
        quiz = Quiz.objects.select_related("lesson__course").get(lesson__course=self.course, lesson__slug="quiz")
        return learning.draw_attempt(enrollment=self.enrollment, quiz=quiz, number=1, now=EARLIER)

    def submit(self, attempt: Attempt, **chosen: str) -> Any:
        """Submit answers by the first word of the prompts."""
        uids = {row["prompt"].split()[0]: row["uid"] for row in Attempt.objects.get(pk=attempt.pk).asked}
        answers = {uids[word]: {"id": choice} for word, choice in chosen.items()}
        return self.post(f"attempts/{attempt.uid}/submit/", {"answers": answers})

    def post(self, address: str, body: Any = None) -> Any:
        return self.browser.post(f"/api/v1/{address}", body or {}, content_type="application/json")

    def answers(self, address: str) -> Any:
        return self.browser.get(f"/api/v1/{address}").json()

    def begin_lesson(self, slug: str, **facts: Any) -> LessonProgress:
        lesson = self.lesson(slug)
        Enrollment.objects.filter(pk=self.enrollment.pk).update(last_lesson=lesson)
        begun = {"started_at": EARLIER, "updated_at": EARLIER}
        return LessonProgressFactory(enrollment=self.enrollment, lesson=lesson, **begun, **facts)

    def counts(self) -> tuple[int, int, int]:
        found = Enrollment.objects.select_related("course").get(pk=self.enrollment.pk)
        return found.completed_lessons, found.required_count, found.percent


@pytest.fixture
def river(ada: User, sam: User, leo: User, client: Client) -> River:
    course = CourseFactory(title="Rivers", slug="rivers", instructor=ada, status="published")
    first = LessonFactory(section__course=course, title="Springs", slug="springs", body="Water rises.")
    film = VideoFactory(owner=ada, duration=300)
    LessonFactory(section=first.section, title="Deltas", slug="deltas", kind="video", duration=300, video=film)
    LessonFactory(section=first.section, title="Mouths", slug="mouths", body="It ends.")
    quiz = QuizFactory(lesson__section=first.section, lesson__slug="quiz", lesson__title="What runs", pass_percent=50)
    QuestionFactory(quiz=quiz, prompt="Which way does it run?")
    QuestionFactory(quiz=quiz, prompt="Where does it end?")
    LessonFactory(section=first.section, title="Reeds", slug="reeds", body="They bend.")
    client.force_login(leo)
    refresh_outline(course, now=EARLIER)
    return River(course, ada, sam, EnrollmentFactory(user=leo, course=course), client)


# --- A lesson that goes ---------------------------------------------------------------------------


def test_what_is_watched_of_a_lesson_that_went_is_kept(river: River) -> None:
    deltas = river.begin_lesson("deltas", watched=[[0, 20]], watched_seconds=20)
    river.publish_without("deltas")

    saved = river.post(f"lessons/{deltas.lesson.uid}/progress/", {"position": 45, "watched": [[20, 45]]})

    assert (saved.status_code, saved.json()["watched_seconds"]) == (200, 45)
    deltas.refresh_from_db()
    assert (deltas.position, deltas.watched) == (45, [[0, 45]])
    river.enrollment.refresh_from_db()
    assert river.enrollment.last_lesson == river.lesson("mouths"), "the course resumes after it"
    assert river.counts() == (0, 4, 0)
    page = river.browser.get("/learn/rivers/deltas")
    assert page.status_code == 404
    assert "no longer part of the course" in page.content.decode()
    assert 'href="/learn/rivers"' in page.content.decode()
    assert river.browser.get("/learn/rivers")["Location"] == "/learn/rivers/mouths"
    assert river.browser.get(f"/api/v1/lessons/{deltas.lesson.uid}/player/").json()["code"] == "LESSON_TAKEN_OUT"
    # Nobody begins it now who has not begun it before.
    LessonProgress.objects.filter(pk=deltas.pk).delete()
    again = river.post(f"lessons/{deltas.lesson.uid}/progress/", {"position": 70, "watched": [[60, 70]]})
    assert (again.status_code, again.json()["code"]) == (404, "LESSON_TAKEN_OUT")


def test_a_text_that_went_is_completed_and_leads_on(river: River) -> None:
    mouths = river.begin_lesson("mouths")
    river.publish_without("mouths")

    answer = river.browser.post("/learn/rivers/mouths/complete")

    assert answer["Location"] == "/learn/rivers/quiz"
    said = [str(one) for one in answer.wsgi_request._messages]
    assert said == ["“Mouths” was taken out of the course in a newer version. What you did in it is kept."]
    mouths.refresh_from_db()
    assert mouths.completed_at is not None
    assert river.post(f"lessons/{mouths.lesson.uid}/complete/").json()["course_percent"] == 0
    assert river.counts() == (0, 4, 0)


def test_notes_of_a_lesson_that_went_are_saved_and_read(river: River) -> None:
    deltas = river.begin_lesson("deltas")
    address = f"/api/v1/lessons/{deltas.lesson.uid}/notes/"
    edit = {"key": "a" * 16, "revision": 1, "at": 1, "text": "Silt!", "is_deleted": False}
    sent = {"kind": "note", "second": 7, "edits": [edit], "replaced": []}
    before = uuid4()
    assert river.browser.put(f"{address}{before}/", sent, content_type="application/json").status_code == 200
    river.publish_without("deltas")

    for uid in (before, uuid4()):
        later = {**edit, "revision": 2, "text": "Silt and sand."}
        saved = river.browser.put(f"{address}{uid}/", {**sent, "edits": [later]}, content_type="application/json")
        assert (saved.status_code, saved.json()["text"]) == (200, "Silt and sand.")
    assert len(river.answers(address.removeprefix("/api/v1/"))["results"]) == 2
    assert Note.objects.count() == 2
    assert "Silt and sand." in river.browser.get("/me/course/rivers/notes").content.decode()
    assert river.browser.put("/api/v1/courses/rivers/bookmark/").status_code == 204


def test_a_lesson_that_went_before_it_was_begun_says_so_too(river: River) -> None:
    river.publish_without("deltas")

    page = river.browser.get("/learn/rivers/deltas")

    assert "“Deltas” was taken out in a newer version." in page.content.decode()
    for address in ("complete/", "attempts/"):
        assert river.post(f"lessons/{river.lesson('deltas').uid}/{address}").json()["code"] == "LESSON_TAKEN_OUT"
    assert Client().get("/learn/rivers/deltas").status_code == 404
    assert b"Deltas" not in Client().get("/learn/rivers/deltas").content


# --- An attempt -----------------------------------------------------------------------------------


def test_an_attempt_at_a_quiz_that_went_is_submitted_and_reviewed(river: River) -> None:
    attempt = river.open_attempt()
    river.publish_without("quiz")

    page = river.browser.get("/learn/rivers/quiz")
    assert page.status_code == 200
    assert "Which way does it run?" in page.content.decode()
    assert "was taken out of the course" in page.content.decode()
    quiz = river.answers(f"lessons/{river.lesson('quiz').uid}/quiz/")
    assert (quiz["attempt"]["uid"], quiz["may_attempt"]) == (str(attempt.uid), False)
    assert len(river.answers(f"attempts/{attempt.uid}/")["questions"]) == 2

    done = river.submit(attempt, Which="b", Where="a")

    assert done.status_code == 200
    result = done.json()["result"]
    assert (result["percent"], result["is_passed"], len(result["questions"])) == (50, True, 2)
    assert result["next"]["title"] == "Reeds"
    assert result["may_try_again"] is False
    assert river.counts() == (0, 4, 0)
    assert LessonProgress.objects.get(lesson=river.lesson("quiz")).completed_at is not None
    again = river.browser.get("/learn/rivers/quiz")
    assert (again.status_code, "50" in again.content.decode()) == (200, True)
    refused = river.post(f"lessons/{river.lesson('quiz').uid}/attempts/")
    assert (refused.status_code, refused.json()["code"]) == (404, "LESSON_TAKEN_OUT")


def test_an_attempt_is_submitted_as_a_form_after_its_quiz_went(river: River) -> None:
    attempt = river.open_attempt()
    river.publish_without("quiz")
    uid = attempt.asked[0]["uid"]

    answer = river.browser.post(f"/learn/rivers/quiz/attempts/{attempt.uid}", {f"q.{uid}": "b"})

    assert answer["Location"] == "/learn/rivers/quiz"
    assert "50" in river.browser.get("/learn/rivers/quiz").content.decode()


def test_an_attempt_keeps_its_address_when_another_quiz_has_its_title(river: River) -> None:
    attempt = river.open_attempt()
    copy = river.begin()
    services.delete_lesson(lesson=copy.lessons.get(slug="quiz"), by=river.author, now=NOW)
    section = copy.sections.get()
    added = services.add_lesson(section=section, by=river.author, kind="quiz", title="Quiz", position=1, now=NOW)
    QuestionFactory(quiz=added.quiz, prompt="Who swims?")
    river.publish()

    assert "Which way does it run?" in river.browser.get("/learn/rivers/quiz").content.decode()
    assert "Who swims?" not in river.browser.get("/learn/rivers/quiz").content.decode()
    assert river.course.lessons.get(kind="quiz").slug == "quiz-2"
    river.submit(attempt, Which="b", Where="a")
    assert "50" in river.browser.get("/learn/rivers/quiz").content.decode()


def test_a_removed_quiz_gets_another_address_if_a_stored_lesson_has_its_own(river: River) -> None:
    attempt = river.open_attempt()
    river.publish_without("quiz")
    tree = read_tree(river.course)
    lesson = tree["sections"][0]["lessons"][0] | {"uid": str(uuid4()), "slug": "quiz", "title": "Quiz"}
    tree["sections"][0]["lessons"].append(lesson)
    with CaptureQueriesContext(connection) as queries:
        apply_tree(tree, river.course, river.author, NOW, version=3)

    assert len(queries) < 60
    quiz = Lesson.with_removed.get(quiz__attempts=attempt)
    assert quiz.slug == "quiz-2"
    sent = {f"q.{attempt.asked[0]['uid']}": "b"}
    answer = river.browser.post(f"/learn/rivers/quiz/attempts/{attempt.uid}", sent)
    assert answer["Location"] == "/learn/rivers/quiz-2"
    assert "50" in river.browser.get("/learn/rivers/quiz-2").content.decode()


def test_an_attempt_ends_with_its_own_questions(river: River) -> None:
    attempt = river.open_attempt()
    copy = river.begin()
    first, second = Question.objects.filter(quiz__lesson__course=copy).order_by("position")
    first.prompt, first.answer = "Which way does it flow?", {"id": "a"}
    first.save()
    services.delete_question(question=second, by=river.author, now=NOW)
    QuestionFactory(quiz=first.quiz, prompt="How deep is it?")
    river.publish()

    shown = river.answers(f"attempts/{attempt.uid}/")
    assert ["it run" in one["prompt_html"] or "it end" in one["prompt_html"] for one in shown["questions"]] == [
        True
    ] * 2
    done = river.submit(attempt, Which="a", Where="b").json()

    # The corrected answer of the first question counts as well as the former one.
    learning.remark_questions(questions=[Question.objects.get(prompt__contains="flow").pk], tells_passed=True, now=NOW)
    attempt.refresh_from_db()
    assert (done["result"]["points"], attempt.percent, attempt.is_passed) == (2, 100, True)
    assert [one["prompt"].split()[0] for one in attempt.results] == ["Which", "Where"]


def test_an_attempt_of_long_ago_ends_with_the_questions_that_it_had(river: River) -> None:
    """Attempts did not always store what they ask: the upgrade does it for those that are open."""
    old, closed = river.open_attempt(), EnrollmentFactory(course=river.course)
    bare = {"asked": [], "pass_percent": None, "time_limit": None}
    done = Attempt.objects.create(enrollment=closed, quiz=old.quiz, number=1, started_at=EARLIER, submitted_at=NOW)
    Attempt.objects.update(**bare)
    import_module("apps.learning.migrations.0021_questions_of_open_attempts").keep_questions(apps, None)

    kept = Attempt.objects.get(pk=old.pk)
    assert (kept.asked, kept.pass_percent, kept.time_limit) == (old.asked, 50, 0)
    done.refresh_from_db()
    assert {name: getattr(done, name) for name in bare} == bare
    copy = river.begin()
    first, second = Question.objects.filter(quiz__lesson__course=copy).order_by("position")
    first.prompt, first.answer = "Which way does it flow?", {"id": "a"}
    first.save()
    services.delete_question(question=second, by=river.author, now=NOW)
    Quiz.objects.filter(pk=first.quiz_id).update(pass_percent=100, time_limit=60)
    river.publish()

    sent = river.submit(old, Which="b", Where="b").json()["result"]
    assert (sent["percent"], sent["is_passed"], len(sent["questions"])) == (100, True, 2)


def test_an_overdue_attempt_is_closed_with_the_questions_that_it_had(river: River) -> None:
    Quiz.objects.update(time_limit=60)
    attempt = river.open_attempt()
    copy = river.begin()
    gone = Question.objects.filter(quiz__lesson__course=copy).first()
    services.delete_question(question=gone, by=river.author, now=NOW)
    river.publish()

    begun = river.post(f"lessons/{river.lesson('quiz').uid}/attempts/").json()

    assert (begun["number"], len(begun["questions"])) == (2, 1)
    attempt.refresh_from_db()
    assert (attempt.percent, len(attempt.results)) == (0, 2)


def test_an_open_attempt_keeps_its_rules(river: River) -> None:
    """A stricter pass mark and a time limit are for attempts that begin after them."""
    attempt = river.open_attempt()
    copy = river.begin()
    Quiz.objects.filter(lesson__course=copy).update(pass_percent=100, time_limit=60, max_attempts=1)
    river.publish()

    shown = river.answers(f"attempts/{attempt.uid}/")
    assert (shown["pass_percent"], shown["time_limit"], shown["seconds_left"]) == (50, 0, None)
    done = river.submit(attempt, Which="b").json()

    assert (done["result"]["percent"], done["result"]["is_passed"]) == (50, True)
    quiz = Quiz.objects.get(lesson=river.lesson("quiz"))
    other = EnrollmentFactory(course=river.course)
    fresh = learning.draw_attempt(enrollment=other, quiz=quiz, number=1, now=NOW)
    assert (fresh.pass_percent, fresh.time_limit) == (100, 60)


def test_an_easier_pass_mark_counts_for_an_open_attempt(river: River) -> None:
    Quiz.objects.update(pass_percent=100, time_limit=86_400)
    attempt = river.open_attempt()
    copy = river.begin()
    Quiz.objects.filter(lesson__course=copy).update(pass_percent=50, time_limit=0)
    river.publish()

    assert river.submit(attempt, Which="b").json()["result"]["is_passed"] is True


def test_a_published_version_keeps_lessons_and_attempts(river: River) -> None:
    for slug in ("springs", "deltas"):
        assert river.browser.get(f"/learn/rivers/{slug}").status_code == 200
    attempt = river.open_attempt()

    river.publish_without("deltas", "quiz")

    assert river.browser.get("/learn/rivers/springs").status_code == 200
    assert Attempt.objects.filter(pk=attempt.pk, submitted_at=None).exists()
    assert river.course.lesson_count == 3
    with pytest.raises(AppError):
        learning.open_attempt(user=river.learner, lesson_uid=river.lesson("quiz").uid, now=NOW)


def test_an_essay_in_a_quiz_that_went_is_still_marked(river: River) -> None:
    quiz = river.lesson("quiz").quiz
    QuestionFactory(quiz=quiz, kind="essay", prompt="Why?", options={"limit": 500}, answer={})
    attempt = river.open_attempt()
    river.publish_without("quiz")
    essay = next(row["uid"] for row in attempt.asked if row["kind"] == "essay")
    sent = river.post(f"attempts/{attempt.uid}/submit/", {"answers": {essay: {"text": "It falls."}}})
    assert sent.json()["result"]["waiting"] == 1

    [waiting] = essays_for(river.author)
    learning.mark_essay(by=river.author, essay=waiting, earned=Decimal(1), comment="", revision=0, now=NOW)

    attempt.refresh_from_db()
    assert (attempt.waiting, attempt.percent) == (0, 33)
