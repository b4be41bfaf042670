"""The switches of a course, at every door of the tutor."""

import json
from io import StringIO
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from django.core.management import call_command
from django.test import Client

from apps.accounts.models import User
from apps.courses.errors import NotCourseStaff
from apps.courses.models import Course, Lesson
from apps.learning.models import Enrollment
from apps.tutor import grounding, services
from apps.tutor.errors import TutorTurnedOff
from apps.tutor.models import Answer, CourseTutor, Exchange
from apps.tutor.providers import Prompt
from apps.tutor.retrieval.search import scope_of, search
from apps.tutor.streaming import alone
from tests.factories.courses import CourseFactory
from tests.factories.tokens import make_token
from tests.factories.tutor import AnswerFactory, CitationFactory
from tests.tutor.client import Assistant

pytestmark = pytest.mark.django_db
API, PAGES, JSON = "/api/v1/tutor", "/dashboard/instructor/tutor/", "application/json"
QUESTION = "Why does a river bend?"


@pytest.fixture
def off(rivers: dict[str, Lesson], enrollment: Enrollment) -> Course:
    """The course of the rivers, in which Leo is enrolled, without a tutor."""
    CourseTutor.objects.create(course=enrollment.course, is_enabled=False)
    return enrollment.course


def test_staff_switch_and_others_cannot(browser_of, ada: User, eve: User, mia: User, sam: User, course: Course) -> None:
    own = browser_of(ada)
    listed, page = own.get(PAGES), own.get(f"{PAGES}{course.slug}")
    assert course.title in listed.content.decode()
    assert 'name="is_enabled"' in page.content.decode()
    own.post(f"{PAGES}{course.slug}/switches", {"demands_grounding": "on"})
    saved = CourseTutor.objects.get()
    assert (saved.is_enabled, saved.demands_grounding) == (False, True)
    assert browser_of(sam).post(f"{PAGES}{course.slug}/switches", {"is_enabled": "on"}).status_code == 302
    saved.refresh_from_db()
    assert (saved.is_enabled, saved.demands_grounding) == (True, False)

    for other in (eve, mia):
        assert browser_of(other).get(f"{PAGES}{course.slug}").status_code in {302, 403}
        assert browser_of(other).post(f"{PAGES}{course.slug}/switches", {}).status_code in {302, 403}
        with pytest.raises(NotCourseStaff):
            services.set_switches(course=course, by=other, is_enabled=False, demands_grounding=False)
    assert course.title not in browser_of(eve).get(PAGES).content.decode()
    saved.refresh_from_db()
    assert saved.is_enabled
    assert browser_of(ada).get(f"{PAGES}no-such-course").status_code in {302, 403}
    assert browser_of(sam).get(f"{PAGES}no-such-course").status_code == 404


def test_lessons_offer_no_tutor(browser_of, leo: User, off: Course, rivers: dict[str, Lesson]) -> None:
    browser, address = browser_of(leo), f"/learn/{off.slug}/{rivers['deltas'].slug}"

    assert 'id="tutor"' not in browser.get(address).content.decode()
    assert f'"slug": "{off.slug}"' not in browser.get("/chat/").content.decode()
    CourseTutor.objects.update(is_enabled=True)
    assert 'id="tutor"' in browser.get(address).content.decode()


def test_no_call_asks_about_it(browser_of, leo: User, off: Course, rivers: dict[str, Lesson]) -> None:
    browser: Client = browser_of(leo)
    lesson = rivers["deltas"]
    answer = AnswerFactory(exchange__chat__user=leo, exchange__chat__course=off, state="stopped")
    in_lesson = AnswerFactory(exchange__chat__user=leo, exchange__lesson=lesson)
    everywhere = AnswerFactory(exchange__chat__user=leo)
    exchange, chat = answer.exchange, answer.exchange.chat
    body = {"question": QUESTION, "key": str(uuid4())}
    before = Answer.objects.count()
    calls = [
        ("post", "/chats/", body | {"course": off.slug}),
        ("post", "/chats/", body | {"lesson": lesson.slug}),
        ("post", f"/chats/{chat.uid}/exchanges/", body),
        ("post", f"/chats/{everywhere.exchange.chat.uid}/exchanges/", body | {"lesson": lesson.slug}),
        ("patch", f"/chats/{everywhere.exchange.chat.uid}/", {"course": off.slug}),
        ("put", f"/exchanges/{exchange.uid}/", body),
        ("put", f"/exchanges/{in_lesson.exchange.uid}/", body),
        ("post", f"/exchanges/{exchange.uid}/answers/", {}),
        ("post", f"/exchanges/{in_lesson.exchange.uid}/answers/", {}),
        ("post", f"/answers/{answer.uid}/continue/", {}),
        ("get", f"/suggestions/?course={off.slug}", None),
    ]
    for verb, path, sent in calls:
        call = getattr(browser, verb)
        found = call(API + path) if sent is None else call(API + path, sent, content_type=JSON)
        assert (verb, path, found.status_code, found.json()["code"]) == (verb, path, 403, "AI_TURNED_OFF")
    assert (Answer.objects.count(), Exchange.objects.filter(question=QUESTION).count()) == (before, 0)
    assert browser.get(f"{API}/chats/{chat.uid}/").status_code == 200  # what was answered stays readable


def test_a_question_that_waits_when_the_tutor_is_turned_off_is_not_answered(
    browser_of, leo: User, rivers: dict[str, Lesson], enrollment: Enrollment
) -> None:
    sent = {"question": QUESTION, "key": str(uuid4()), "course": enrollment.course.slug}
    begun = browser_of(leo).post(f"{API}/chats/", sent, content_type=JSON).json()
    CourseTutor.objects.create(course=enrollment.course, is_enabled=False)
    alone.generate(UUID(begun["exchange"]["answers"][0]["uid"]))

    answer = Answer.objects.get()
    assert (answer.state, answer.error_code, answer.text) == ("failed", "AI_TURNED_OFF", "")


def test_questions_about_all_courses_leave_it_out(leo: User, off: Course) -> None:
    assert search(QUESTION, scope_of(leo)) == []
    assert services.ask(user=leo, question=QUESTION)[0].is_declined
    CourseTutor.objects.update(is_enabled=True)
    assert search(QUESTION, scope_of(leo))


def test_what_it_answered_before_is_not_told_to_a_model(
    browser_of, leo: User, off: Course, rivers: dict[str, Lesson]
) -> None:
    cited = CitationFactory(lesson=rivers["meanders"], answer__exchange__chat__user=leo)
    sent = {"question": QUESTION, "key": str(uuid4())}
    path = f"{API}/chats/{cited.answer.exchange.chat.uid}/exchanges/"
    [asked] = browser_of(leo).post(path, sent, content_type=JSON).json()["answers"]
    generating = pytest.importorskip("apps.tutor.services.generating")
    preparing = pytest.importorskip("apps.tutor.services.preparing")
    claimed = generating.claim(UUID(asked["uid"]), cited.answer.created_at)
    assert [one.answer for one in preparing.prepare(claimed).prompt.history] == [""]


def test_assistants_and_the_command_are_refused(leo: User, off: Course, tmp_path: Path) -> None:
    assistant = Assistant(make_token(leo)[1])
    assert assistant.refusal("ask_tutor", question=QUESTION, course=off.slug) == "AI_TURNED_OFF"
    assert assistant.data("ask_tutor", question=QUESTION)["is_declined"]
    with pytest.raises(TutorTurnedOff):
        services.ask(user=leo, question=QUESTION, course=off)

    questions = tmp_path / "questions.jsonl"
    rows = [{"id": 1, "question": QUESTION, "course": off.slug}, {"id": 2, "question": QUESTION}]
    questions.write_text("\n".join(map(json.dumps, rows)))
    call_command("ask_tutor", user=leo.email, file=str(questions), stdout=(out := StringIO()))
    first, second = map(json.loads, out.getvalue().splitlines())
    assert (first["declined"], first["passages"], second["declined"]) == (True, [], True)
    assert "turned the tutor off" in first["answer"]


@pytest.mark.parametrize("in_course", [True, False])
def test_a_course_that_demands_it_gets_no_answer_from_elsewhere(
    leo: User, rivers: dict[str, Lesson], enrollment: Enrollment, in_course: bool
) -> None:
    scope = scope_of(leo)
    prompt = Prompt(
        user=leo,
        question=QUESTION,
        mode="ask",
        scope=scope,
        course=enrollment.course if in_course else None,
        passages=tuple(search(QUESTION, scope)),
    )
    text = "Paris is the capital of France and has two million inhabitants."
    assert grounding.check(text, prompt, is_search=False).kind == "outside"
    CourseTutor.objects.create(course=enrollment.course, demands_grounding=True)
    assert grounding.check(text, prompt, is_search=False).kind == "declined"


def test_the_list_needs_few_queries(browser_of, ada: User, django_assert_max_num_queries) -> None:
    courses = CourseFactory.create_batch(25, instructor=ada)
    CourseTutor.objects.bulk_create(CourseTutor(course=one, is_enabled=False) for one in courses)
    browser = browser_of(ada)
    browser.get(PAGES)
    with django_assert_max_num_queries(10):
        page = browser.get(PAGES)
    assert page.content.decode().count('class="course-cell"') == 20
