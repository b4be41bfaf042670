"""/chat/: what visitors read, and the chats of a user, readable without scripts."""

import json
import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from apps.accounts.models import User
from apps.courses.models import Course, Lesson
from apps.tutor.models import Chat
from tests.factories.learning import EnrollmentFactory
from tests.factories.tutor import AnswerFactory, ChatFactory, CitationFactory, ExchangeFactory

pytestmark = pytest.mark.django_db


def props_of(page: str) -> dict:
    [found] = [json.loads(one) for one in re.findall(r'<script type="application/json">(.*?)</script>', page, re.S)]
    return found


def test_visitors_read_what_the_tutor_is_and_how_to_sign_in(client: Client, leo: User) -> None:
    other = ChatFactory(user=leo, title="Leo's own question")
    page = client.get("/chat/", {"c": other.uid}).content.decode()

    assert "Ask the course itself." in page
    assert "/auth/login?next=/chat/" in page
    assert 'data-island="tutor"' not in page
    assert other.title not in page


def test_a_chat_is_readable_without_scripts(browser_of, leo: User, course: Course) -> None:
    answer = AnswerFactory(exchange__chat__user=leo)
    CitationFactory(answer=answer, lesson=course.lessons.first())
    page = browser_of(leo).get("/chat/", {"c": answer.exchange.chat.uid}).content.decode()

    assert answer.exchange.question in page
    assert "Water on the outside of a curve flows faster." in page
    props = props_of(page)
    assert props["chat"]["exchanges"][0]["answers"][0]["uid"] == str(answer.uid)
    assert [one["title"] for one in props["chats"]["results"]] == [answer.exchange.chat.title]
    assert props["status"]["status"] == "online"


@pytest.mark.parametrize("uid", ["nonsense", "00000000-0000-4000-8000-000000000000"])
def test_an_unknown_chat_is_not_found(browser_of, leo: User, uid: str) -> None:
    assert browser_of(leo).get("/chat/", {"c": uid}).status_code == 404


def test_chats_of_others_are_not_found(browser_of, leo: User, mia: User) -> None:
    chat = ChatFactory(user=leo)

    assert browser_of(mia).get("/chat/", {"c": chat.uid}).status_code == 404
    assert chat.title not in browser_of(mia).get("/chat/").content.decode()


@pytest.mark.parametrize("before", ["", "2", "-1", "x", "9" * 30, "²"])
def test_any_position_in_the_address_gives_a_page(browser_of, leo: User, before: str) -> None:
    chat = ExchangeFactory(chat__user=leo).chat

    assert browser_of(leo).get("/chat/", {"c": chat.uid, "before": before}).status_code == 200


def test_the_address_says_what_a_new_chat_is_about(browser_of, leo: User, course: Course) -> None:
    lesson = course.lessons.first()
    assert lesson is not None
    EnrollmentFactory(user=leo, course=course)
    browser = browser_of(leo)
    about = props_of(browser.get("/chat/", {"course": course.slug, "lesson": lesson.slug}).content.decode())["about"]
    assert about["course"]["slug"] == course.slug

    nothing = props_of(browser.get("/chat/", {"course": "no-such", "lesson": "\0x"}).content.decode())["about"]
    assert (nothing["course"]["slug"], nothing["lesson"]) == (course.slug, None)  # the course that was studied last


def test_a_new_chat_of_a_newcomer_is_about_all_courses(browser_of, leo: User) -> None:
    assert props_of(browser_of(leo).get("/chat/").content.decode())["about"] == {"course": None, "lesson": None}


def test_chats_are_grouped_by_day_and_come_in_parts(browser_of, leo: User, django_assert_max_num_queries) -> None:
    now = timezone.now()
    for number in range(35):
        chat = ChatFactory(user=leo, changed_at=now - timedelta(days=number // 3))
        answer = AnswerFactory(exchange=ExchangeFactory(chat=chat))
        CitationFactory(answer=answer)
    newest = Chat.objects.of(leo.pk).order_by("-changed_at").first()
    browser = browser_of(leo)
    browser.get("/chat/")
    with django_assert_max_num_queries(20):
        page = browser.get("/chat/", {"c": newest.uid}).content.decode()  # type: ignore[union-attr]  # there are 35

    for name in ("Today", "This week", "Earlier"):
        assert f"<h2>{name}</h2>" in page
    assert page.count('class="th"') == 30
    more = re.search(r'href="/chat/\?cursor=([^"]+)"', page)
    assert more is not None
    assert browser.get(f"/chat/?cursor={more[1]}").content.decode().count('class="th"') == 5
    assert browser.get("/chat/?cursor=nonsense").status_code < 500


def test_lessons_offer_the_tutor_to_the_signed_in_and_quizzes_do_not(
    browser_of, client: Client, leo: User, course: Course, rivers: dict[str, Lesson]
) -> None:
    EnrollmentFactory(user=leo, course=course)
    browser = browser_of(leo)

    assert 'popovertarget="tutor"' in browser.get(f"/learn/{course.slug}/meanders").content.decode()
    assert 'popovertarget="tutor"' not in client.get(f"/learn/{course.slug}/meanders").content.decode()
    assert 'popovertarget="tutor"' not in browser.get(f"/learn/{course.slug}/check").content.decode()
