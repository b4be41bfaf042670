"""Chats as calls: their own only, nothing twice, nothing lost."""

from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from django.test import Client
from django.utils import timezone

from apps.accounts.models import User
from apps.courses.models import Lesson
from apps.learning.models import Enrollment, PracticeCard
from apps.tutor import services
from apps.tutor.models import Answer, Chat, Exchange, UsageDay
from apps.tutor.site_help import find_help
from apps.tutor.streaming import alone
from tests.factories.tutor import AnswerFactory, ChatFactory, CitationFactory, ExchangeFactory

pytestmark = pytest.mark.django_db
API = "/api/v1/tutor"
JSON = "application/json"


@pytest.fixture
def browser(browser_of, leo: User) -> Client:
    return browser_of(leo)


def ask(browser: Client, path: str = "/chats/", **more):
    sent = {"question": "Why does a river bend?", "key": str(uuid4())} | more
    return browser.post(API + path, sent, content_type=JSON)


def test_a_question_begins_a_chat_once_however_often_it_is_sent(browser: Client, leo: User) -> None:
    key = str(uuid4())
    first, again = ask(browser, key=key), ask(browser, key=key)

    assert (first.status_code, again.status_code) == (201, 201)
    assert first.json()["exchange"]["uid"] == again.json()["exchange"]["uid"]
    assert Chat.objects.get().title == "Why does a river bend?"
    answer = Answer.objects.get()
    assert (answer.state, UsageDay.objects.get().questions) == ("waiting", 1)
    listed = browser.get(f"{API}/chats/").json()
    assert [one["uid"] for one in listed["results"]] == [first.json()["chat"]["uid"]]


def test_chats_of_others_do_not_exist(browser_of, mia: User, leo: User, client: Client) -> None:
    answer = AnswerFactory(exchange__chat__user=leo)
    chat, exchange = answer.exchange.chat, answer.exchange
    other = browser_of(mia)
    key = str(uuid4())
    calls = [
        ("get", f"/chats/{chat.uid}/", None),
        ("patch", f"/chats/{chat.uid}/", {"title": "Mine"}),
        ("delete", f"/chats/{chat.uid}/", None),
        ("post", f"/chats/{chat.uid}/restore/", None),
        ("get", f"/chats/{chat.uid}/export/", None),
        ("post", f"/chats/{chat.uid}/exchanges/", {"question": "So?", "key": key}),
        ("put", f"/exchanges/{exchange.uid}/", {"question": "So?", "key": key}),
        ("post", f"/exchanges/{exchange.uid}/answers/", None),
        ("get", f"/answers/{answer.uid}/", None),
        ("post", f"/answers/{answer.uid}/continue/", None),
        ("post", f"/answers/{answer.uid}/stop/", None),
        ("put", f"/answers/{answer.uid}/rating/", {"rating": 1}),
        ("post", f"/answers/{answer.uid}/cards/", {"cards": [0]}),
    ]
    for verb, path, body in calls:
        found = getattr(other, verb)(API + path, body, content_type=JSON) if body else getattr(other, verb)(API + path)
        assert (path, found.status_code, found.json()["code"]) == (path, 404, "CHAT_NOT_FOUND")
        visited = getattr(client, verb)(API + path, body or {}, content_type=JSON)
        assert visited.status_code == 401
    assert other.get(f"/chat/{chat.uid}/export").status_code == 404
    assert other.get(f"{API}/chats/").json()["results"] == []
    assert not Exchange.objects.filter(user=mia).exists()
    # The key of somebody else's question is free for others.
    assert ask(other, key=str(exchange.key)).status_code == 201


def test_answers_quote_what_the_learner_may_open(browser: Client, rivers: dict[str, Lesson], enrollment: Enrollment):
    begun = ask(browser, course=enrollment.course.slug).json()
    [answer] = begun["exchange"]["answers"]
    assert alone.generate(UUID(answer["uid"]))
    assert not alone.generate(UUID(answer["uid"]))

    shown = browser.get(f"{API}/answers/{answer['uid']}/").json()
    assert (shown["state"], shown["kind"], shown["is_search"]) == ("finished", "", True)
    cited = shown["citations"][0]
    assert (cited["lesson"]["slug"], cited["can_open"]) == ("meanders", True)
    assert f'href="{cited["url"]}"' in shown["html"]
    exported = browser.get(f"/chat/{begun['chat']['uid']}/export")
    text = b"".join(exported.streaming_content).decode()
    assert exported["Content-Type"].startswith("text/markdown")
    assert "# Why does a river bend?" in text
    assert cited["url"] in text

    Enrollment.objects.update(revoked_at=timezone.now())
    later = browser.get(f"{API}/answers/{answer['uid']}/").json()["citations"][0]
    assert (later["can_open"], later["url"]) == (False, None)


def test_a_lesson_that_is_closed_to_the_learner_is_no_scope(browser_of, mia: User, rivers: dict[str, Lesson]) -> None:
    lesson = rivers["deltas"]
    found = ask(browser_of(mia), course=lesson.course.slug, lesson=lesson.slug)

    assert found.status_code == 403
    assert not Chat.objects.exists()
    assert ask(browser_of(mia), course="no-such-course").status_code == 404


@pytest.mark.parametrize("period", ["HOUR", "DAY"])
def test_limits_count_every_answer_and_say_when_to_come_back(browser: Client, settings, period: str) -> None:
    setattr(settings, f"TUTOR_SEARCHES_PER_{period}", 3)
    begun = ask(browser).json()
    uid = begun["exchange"]["uid"]
    browser.post(f"{API}/answers/{begun['exchange']['answers'][0]['uid']}/stop/")
    assert browser.post(f"{API}/exchanges/{uid}/answers/").status_code == 201
    assert browser.put(f"{API}/exchanges/{uid}/", {"question": "So?", "key": str(uuid4())}, JSON).status_code == 200
    assert browser.get(f"{API}/status/").json()["limits"][period.lower()] == {"left": 0, "of": 3}

    refused = ask(browser)
    assert (refused.status_code, refused.json()["code"]) == (429, "RATE_LIMIT_EXCEEDED")
    assert 0 < int(refused["Retry-After"]) <= 24 * 3600
    assert Chat.objects.count() == 1
    assert UsageDay.objects.get().questions == 3


def test_editing_a_question_removes_what_followed(browser: Client, leo: User) -> None:
    chat = ChatFactory(user=leo)
    first, second = ExchangeFactory(chat=chat), ExchangeFactory(chat=chat)
    old = [AnswerFactory(exchange=one) for one in (first, first, second)]
    sent = {"question": "Why are deltas flat?", "key": str(uuid4())}
    for _ in range(2):
        shown = browser.put(f"{API}/exchanges/{first.uid}/", sent, JSON).json()

    assert (shown["question"], [one["state"] for one in shown["answers"]]) == ("Why are deltas flat?", ["waiting"])
    assert [one.pk for one in chat.exchanges.all()] == [first.pk]
    assert not Answer.objects.filter(pk__in=[one.pk for one in old]).exists()
    assert UsageDay.objects.get().questions == 1
    assert browser.put(f"{API}/exchanges/{second.uid}/", sent, JSON).status_code == 404


def test_another_answer_is_asked_for_once_at_a_time(browser: Client, leo: User) -> None:
    exchange = AnswerFactory(exchange__chat__user=leo).exchange
    path = f"{API}/exchanges/{exchange.uid}/answers/"

    assert [browser.post(path).json()["number"] for _ in range(3)] == [2, 2, 2]


def test_answers_that_did_not_end_well_go_on(browser: Client, leo: User) -> None:
    now = timezone.now()
    for state, lease, after in [
        ("stopped", None, "waiting"),
        ("failed", None, "waiting"),
        ("interrupted", None, "waiting"),
        ("finished", None, "finished"),
        ("streaming", now + timedelta(seconds=9), "streaming"),
        ("streaming", now - timedelta(seconds=1), "waiting"),
    ]:
        answer = AnswerFactory(exchange__chat__user=leo, state=state, lease_until=lease, text="Water")
        path = f"{API}/answers/{answer.uid}/"
        if lease and lease < now:
            assert browser.get(path).json()["state"] == "interrupted"
        shown = browser.post(f"{path}continue/").json()
        assert (state, shown["state"], shown["text"]) == (state, after, "Water")


def test_a_new_question_stops_the_answer_before(browser: Client) -> None:
    begun = ask(browser).json()
    ask(browser, f"/chats/{begun['chat']['uid']}/exchanges/")

    assert list(Answer.objects.order_by("pk").values_list("state", flat=True)) == ["stopped", "waiting"]


def test_chats_are_renamed_found_deleted_and_restored(browser: Client, leo: User) -> None:
    chat = ExchangeFactory(chat__user=leo, question="Why do 100% of rivers_bend?").chat
    ExchangeFactory(chat__user=leo, question="What is a delta?")
    path = f"{API}/chats/{chat.uid}/"

    assert browser.patch(path, {"title": "Bends"}, JSON).json()["title"] == "Bends"
    for wanted in ("bends", "100%", "rivers_b"):
        found = browser.get(f"{API}/chats/", {"search": wanted}).json()["results"]
        assert [one["uid"] for one in found] == [str(chat.uid)]
    assert browser.patch(path, {}, JSON).status_code == 400
    assert browser.patch(path, {"title": "x" * 200}, JSON).status_code == 400
    assert browser.patch(path, {"title": "\u3164"}, JSON).json()["fields"]["title"][0]["code"] == "invisible"
    assert browser.delete(path).status_code == 204
    assert browser.delete(path).status_code == 404
    assert browser.get(path).status_code == 404
    assert ask(browser, f"/chats/{chat.uid}/exchanges/").status_code == 404
    assert browser.post(f"{path}restore/").json()["title"] == "Bends"

    browser.delete(path)
    services.forget_chat(chat_id=chat.pk, now=timezone.now() + timedelta(days=29))
    assert Chat.objects.filter(pk=chat.pk).exists()
    services.forget_chat(chat_id=chat.pk, now=timezone.now() + timedelta(days=31))
    assert not Chat.objects.filter(pk=chat.pk).exists()


def test_lists_are_paged_without_gaps(browser: Client, leo: User) -> None:
    chats = ChatFactory.create_batch(65, user=leo)  # all changed at the same moment
    seen, cursor = [], ""
    while cursor is not None:
        found = browser.get(f"{API}/chats/", {"cursor": cursor}).json()
        seen += [one["uid"] for one in found["results"]]
        cursor = found["next"]
    assert seen == [str(one.uid) for one in reversed(chats)]
    for wrong in ("x", "1_2", "9" * 50, "99999999999.000000_999999999999999999"):
        assert browser.get(f"{API}/chats/", {"cursor": wrong}).status_code in {200, 400}

    ExchangeFactory.create_batch(45, chat=chats[0])
    path, positions, before = f"{API}/chats/{chats[0].uid}/", [], {}
    while True:
        page = browser.get(path, before).json()
        positions = [one["position"] for one in page["exchanges"]] + positions
        if not page["has_earlier"]:
            break
        before = {"before": page["exchanges"][0]["position"]}
    assert positions == list(range(1, 46))


def test_a_long_chat_needs_few_queries(browser: Client, leo: User, django_assert_max_num_queries) -> None:
    chat = ChatFactory(user=leo)
    for exchange in ExchangeFactory.create_batch(25, chat=chat):
        CitationFactory.create_batch(2, answer=AnswerFactory(exchange=exchange))
    ChatFactory.create_batch(40, user=leo)

    with django_assert_max_num_queries(14):
        assert len(browser.get(f"{API}/chats/{chat.uid}/").json()["exchanges"]) == 20
    with django_assert_max_num_queries(5):
        assert browser.get(f"{API}/chats/").json()["next"]


def test_ratings_are_kept_and_taken_back(browser: Client, leo: User) -> None:
    answer = AnswerFactory(exchange__chat__user=leo)
    path = f"{API}/answers/{answer.uid}/rating/"

    assert browser.put(path, {"rating": -1, "reason": "Too long"}, JSON).json()["rating"] == -1
    answer.refresh_from_db()
    assert answer.rating_reason == "Too long"
    assert browser.put(path, {"rating": None}, JSON).json()["rating"] is None
    answer.refresh_from_db()
    assert (answer.rating, answer.rating_reason) == (None, "")
    assert browser.put(path, {"rating": 2}, JSON).status_code == 400


def test_cards_go_into_practice_once(browser: Client, leo: User) -> None:
    text = "Front: What bends a river?\nBack: Faster water outside. [1]\n\nFront: What is a delta?\nBack: New land."
    answer = AnswerFactory(exchange__chat__user=leo, exchange__mode="cards", text=text)
    path = f"{API}/answers/{answer.uid}/"

    assert browser.get(path).json()["cards"] == [
        {"front": "What bends a river?", "back": "Faster water outside."},
        {"front": "What is a delta?", "back": "New land."},
    ]
    assert browser.post(f"{path}cards/", {"cards": [0, 0]}, JSON).json() == {"added": 1}
    assert browser.post(f"{path}cards/", {"cards": [0, 1]}, JSON).json() == {"added": 1}
    assert browser.post(f"{path}cards/", {"cards": [2]}, JSON).status_code == 400
    assert PracticeCard.objects.filter(user=leo).count() == 2
    other = AnswerFactory(exchange__chat__user=leo, text=text)
    assert browser.post(f"{API}/answers/{other.uid}/cards/", {"cards": [0]}, JSON).status_code == 400


def test_suggestions_come_from_the_lesson(browser: Client, rivers: dict[str, Lesson], enrollment: Enrollment) -> None:
    course = enrollment.course.slug
    modes = [
        [one["mode"] for one in browser.get(f"{API}/suggestions/", where).json()["questions"]]
        for where in ({"course": course, "lesson": "meanders"}, {"course": course}, {})
    ]
    assert modes[0][-2:] == ["summary", "quiz"]
    assert modes[1][0] == "ask"
    assert modes[1][-2:] == ["quiz", "plan"]
    assert modes[2] == ["ask", "plan"]
    enrollment.delete()
    asked = browser.get(f"{API}/suggestions/").json()["questions"]
    assert "How do I enroll in a course?" in [one["text"] for one in asked]
    assert all(find_help(one["text"]) for one in asked)
    assert browser.get(f"{API}/suggestions/", {"course": "nothing"}).status_code == 404


def test_the_html_of_an_answer_is_safe_and_links_what_can_be_opened(leo: User) -> None:
    from apps.tutor.queries.shapes import html_of

    shown = html_of(
        "<script>x</script> [1] `[1]` [2] [3] ![x](http://e.example/x.png)",
        {1: ('/learn/a/b?t=1"', "1.1 <"), 2: (None, "2")},
    )
    assert "<script" not in shown
    assert 'href="/learn/a/b?t=1&#34;">1.1 &lt;</a>' in shown
    assert "<code>[1]</code>" in shown
    assert '<span class="cite" data-citation="2">2</span>' in shown
    assert "[3]" in shown
    assert "<img" not in shown


def test_broken_questions_are_refused(browser: Client) -> None:
    for wrong in (
        {"question": " "},
        {"question": "a\x00b"},
        {"key": "x"},
        {"mode": "dance"},
        {"second": -1},
        {"second": 10**12},
        {"lesson": "../x"},
    ):
        assert (wrong, ask(browser, **wrong).status_code) == (wrong, 400)
    assert not Chat.objects.exists()
