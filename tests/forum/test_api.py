"""The API of the discussions: who may do what, what readers see, odd input, and what lists cost."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from apps.accounts.models import User
from apps.forum import services
from apps.forum.models import Board, Follow, Post, ReadMark, Tag, Topic, Visit
from apps.forum.services.indexing import index_post
from apps.learning.models import Enrollment
from tests.factories.accounts import UserFactory
from tests.factories.topics import BoardFactory, fill_topic, make_post, make_topic

pytestmark = pytest.mark.django_db
Browser = Callable[[User], Client]
NOW = timezone.now()
API = "/api/v1/forum"


def send(browser: Client, method: str, path: str, body: Any = None) -> Any:
    return getattr(browser, method)(f"{API}/{path}", body, content_type="application/json")


def code_of(answer: Any) -> str:
    return str(answer.json()["code"])


WRITES: list[tuple[str, str, Any]] = [
    ("post", "topics/", {"board": "{board}", "kind": "question", "title": "Why so?", "source": "So."}),
    ("patch", "topics/{topic}/", {"title": "Another title", "tags": ["ink"]}),
    ("post", "topics/{topic}/posts/", {"source": "A reply"}),
    ("put", "posts/{other}/vote/", {"on": True}),
    ("put", "posts/{other}/reaction/", {"kind": "thanks", "on": True}),
    ("put", "posts/{other}/accepted/", {"on": True}),
    ("post", "posts/{other}/report/", {"reason": "spam"}),
    ("patch", "posts/{own}/", {"source": "Edited", "edits": 0}),
    ("delete", "posts/{own}/", None),
    ("post", "posts/{gone}/restore/", {}),
    ("patch", "topics/{topic}/", {"is_pinned": True, "is_closed": True}),
    ("post", "topics/{topic}/merge/", {"into": "{second}"}),
    ("post", "topics/{topic}/split/", {"posts": ["{other}"], "title": "Split off"}),
    ("post", "posts/{other}/decision/", {"action": "hide", "reason": "Rude"}),
]
# For each of them: visitor, not enrolled, another course's instructor, banned, author, moderator.
ALLOWED = {
    "post topics/": (401, 403, 403, 403, 201, 201),
    "patch topics/{topic}/": (401, 403, 403, 403, 200, 200),
    "post topics/{topic}/posts/": (401, 403, 403, 403, 201, 201),
    "put posts/{other}/vote/": (401, 403, 403, 403, 200, 200),
    "put posts/{other}/reaction/": (401, 403, 403, 403, 200, 200),
    "put posts/{other}/accepted/": (401, 403, 403, 403, 200, 200),
    "post posts/{other}/report/": (401, 204, 204, 403, 204, 204),
    "patch posts/{own}/": (401, 403, 403, 403, 200, 200),
    "delete posts/{own}/": (401, 403, 403, 403, 204, 204),
    "post posts/{gone}/restore/": (401, 404, 404, 404, 200, 200),
    "pin": (401, 403, 403, 403, 404, 200),
    "post topics/{topic}/merge/": (401, 404, 404, 404, 404, 200),
    "post topics/{topic}/split/": (401, 404, 404, 404, 404, 201),
    "post posts/{other}/decision/": (401, 404, 404, 404, 404, 204),
}


@pytest.mark.parametrize(
    "place", range(6), ids=["visitor", "not enrolled", "other teacher", "banned", "author", "staff"]
)
def test_each_operation_has_the_guards_of_its_page(
    place: int, board: Board, leo: User, mia: User, eve: User, ada: User, browser_of: Browser, client: Client,
    enrollment: Enrollment,
) -> None:  # fmt: skip
    banned = UserFactory()
    services.ban(user=banned, by=ada, board=board, days=1, reason="Adverts", now=NOW)
    Enrollment.objects.create(user=banned, course=enrollment.course, enrolled_at=NOW, last_activity_at=NOW)
    people: list[User | None] = [None, mia, eve, banned, leo, ada]
    found = []
    for method, path, body in WRITES:
        topic = make_topic(board=board, author=leo)
        names = {
            "board": board.slug,
            "topic": topic.pk,
            "second": make_topic(board=board).pk,
            "other": make_post(topic).pk,
            "own": make_post(topic, author=leo).pk,
            "gone": make_post(topic, author=leo, state="deleted", state_before="visible", changed_by=leo).pk,
        }
        filled = {name: one.format(**names) if isinstance(one, str) else one for name, one in (body or {}).items()}
        filled = {name: [names["other"]] if name == "posts" else one for name, one in filled.items()}
        person = people[place]
        answer = send(browser_of(person) if person else client, method, path.format(**names), filled)
        key = "pin" if "is_pinned" in filled else f"{method} {path}"
        if answer.status_code != ALLOWED[key][place]:
            found.append(f"{key}: {answer.status_code} {answer.text[:90]}")
    assert not found, "\n".join(found)


def test_held_and_removed_text_is_only_for_those_who_may_see_it(
    topic: Topic, client: Client, browser_of: Browser, leo: User, sam: User, mia: User
) -> None:
    held = make_post(topic, author=leo, state="held", source="Secret held")
    hidden = make_post(topic, author=leo, source="Secret hidden")
    services.hide(post=hidden, by=sam, now=NOW)
    gone = make_post(topic, author=leo, source="Secret gone")
    services.delete(post=gone, by=leo, now=NOW)
    secret = make_topic(author=leo, title="Secret topic", state="held", source="Secret question")
    paths = [f"topics/{topic.pk}/posts/", f"topics/{topic.pk}/", "lists/latest/", "lists/latest/?q=secret", "boards/"]
    paths += [f"posts/{post.pk}/" for post in (held, hidden, gone)] + [f"topics/{secret.pk}/", "queue/"]
    for browser in (client, browser_of(mia)):
        for path in paths:
            answer = send(browser, "get", path)
            assert "Secret" not in answer.text, path
            assert leo.username not in answer.text, path
    rows = send(client, "get", f"topics/{topic.pk}/posts/").json()["results"]
    assert [(row["state"], row["html"], row["author"]) for row in rows[1:]] == [
        ("hidden", None, None), ("deleted", None, None)
    ]  # fmt: skip
    for user in (leo, sam):
        text = send(browser_of(user), "get", f"topics/{topic.pk}/posts/").text
        assert all(word in text for word in ("Secret held", "Secret hidden", "Secret gone"))
    assert "Secret held" in send(browser_of(sam), "get", "queue/").text
    assert send(browser_of(leo), "get", "queue/").status_code == 404


def test_a_board_that_one_may_not_read_does_not_exist(
    board: Board, client: Client, browser_of: Browser, mia: User, leo: User, enrollment: Enrollment
) -> None:
    topic = make_topic(board=board, title="Inside")
    post = make_post(topic)
    assert board.course
    board.course.status = "suspended"
    board.course.save()
    paths = [
        f"topics/{topic.pk}/",
        f"topics/{topic.pk}/posts/",
        f"posts/{post.pk}/",
        f"lists/latest/?board={board.slug}",
    ]
    for browser in (client, browser_of(mia)):
        for path in paths:
            assert send(browser, "get", path).status_code == 404
        assert "Inside" not in send(browser, "get", "lists/latest/").text
    for path in paths:
        assert send(browser_of(leo), "get", path).status_code == 200
    for path in (f"topics/{topic.pk}/follow/", f"boards/{board.slug}/follow/"):
        assert send(browser_of(mia), "put", path, {"level": "watching"}).status_code == 404


def test_lists_have_the_tabs_and_filters_of_the_pages(
    general: Board, client: Client, browser_of: Browser, leo: User, topic: Topic
) -> None:
    other = make_topic(board=BoardFactory(), title="Rivers", author=leo, now=NOW - timedelta(days=2))
    other.tags.add(Tag.objects.create(slug="deltas", name="Deltas"))
    for one in (topic, other):
        index_post(one.posts.get(), one)
    answer = make_post(topic)
    services.accept(post=answer, by=topic.author, now=NOW)
    browser = browser_of(leo)

    def titles(path: str, who: Client = client) -> list[str]:
        return [row["title"] for row in send(who, "get", path).json()["results"]]

    assert titles("lists/latest/") == [topic.title, "Rivers"]
    assert titles("lists/unanswered/") == ["Rivers"]
    assert titles("lists/solved/") == [topic.title]
    assert titles("lists/mine/", browser) == ["Rivers"]
    assert titles(f"lists/latest/?board={general.slug}") == [topic.title]
    assert titles("lists/latest/?tag=deltas") == ["Rivers"]
    assert titles(f"lists/latest/?before={(NOW - timedelta(days=1)).isoformat().replace('+', '%2B')}") == ["Rivers"]
    assert titles("lists/latest/?q=rivers") == ["Rivers"]
    assert send(client, "get", "lists/latest/?q=rivers").json()["results"][0]["post"] == other.posts.get().pk
    assert titles("lists/latest/?page=99") == [topic.title, "Rivers"]
    for tab in ("following", "mine"):
        assert send(client, "get", f"lists/{tab}/").status_code == 401
    for path in ("lists/newest/", "lists/latest/?board=none", "lists/latest/?tag=none"):
        assert send(client, "get", path).status_code == 404


def test_a_learner_asks_replies_edits_and_follows(
    board: Board, leo: User, ada: User, enrollment: Enrollment, browser_of: Browser
) -> None:
    assert board.course
    lesson, browser = board.course.lessons.all()[0], browser_of(leo)
    body = {"board": board.slug, "kind": "question", "title": "Why deltas?", "source": "**So**?", "tags": ["Silt"]}
    made = send(browser, "post", "topics/", body | {"lesson": str(lesson.uid), "second": 42}).json()
    assert (made["state"], made["tags"], made["second"]) == ("visible", ["silt"], 42)
    assert made["lesson"]["uid"] == str(lesson.uid)
    topic = Topic.objects.get(pk=made["id"])
    opening = topic.posts.get()
    reply = send(browser_of(ada), "post", f"topics/{topic.pk}/posts/", {"source": "Silt.", "reply_to": opening.pk})
    assert (reply.status_code, reply.json()["reply_to"], reply.json()["author"]["is_staff"]) == (201, opening.pk, True)
    pk = reply.json()["id"]
    voted = send(browser, "put", f"posts/{pk}/vote/", {"on": True}).json()
    assert (voted["score"], voted["is_voted"]) == (1, True)
    reacted = send(browser, "put", f"posts/{pk}/reaction/", {"kind": "thanks", "on": True}).json()
    assert reacted["reactions"] == [{"kind": "thanks", "count": 1, "is_mine": True}]
    assert send(browser, "put", f"posts/{pk}/accepted/", {"on": True}).json()["is_accepted"]
    assert send(browser, "get", f"topics/{topic.pk}/").json()["accepted"] == pk
    edited = send(browser, "patch", f"posts/{opening.pk}/", {"source": "So why?", "edits": 0})
    assert (edited.json()["source"], edited.json()["edits"]) == ("So why?", 1)
    late = send(browser, "patch", f"posts/{opening.pk}/", {"source": "Lost?", "edits": 0})
    assert (late.status_code, code_of(late)) == (409, "FORUM_POST_CHANGED")
    send(browser, "put", f"topics/{topic.pk}/follow/", {"level": "muted"})
    assert Follow.objects.get(topic=topic, user=leo).level == "muted"
    send(browser, "put", f"topics/{topic.pk}/follow/", {"level": None})
    assert not Follow.objects.filter(topic=topic, user=leo).exists()
    send(browser, "put", f"topics/{topic.pk}/read/", {"number": 10**9})
    assert Visit.objects.get(topic=topic, user=leo).last_number == 2
    assert send(browser, "put", "read/").status_code == 204
    assert ReadMark.objects.filter(user=leo).exists()


def test_posts_of_new_accounts_are_held_and_decided_about(
    topic: Topic, general: Board, sam: User, browser_of: Browser
) -> None:
    newcomer = UserFactory(date_joined=NOW - timedelta(days=1))
    reply = send(browser_of(newcomer), "post", f"topics/{topic.pk}/posts/", {"source": "Hello"}).json()
    assert (reply["state"], reply["number"]) == ("held", None)
    browser = browser_of(sam)
    [case] = send(browser, "get", f"queue/?board={general.slug}").json()["results"]
    assert (case["post"], case["why"][0]["name"], case["edits"]) == (reply["id"], "New account", 0)
    stale = send(browser, "post", f"posts/{reply['id']}/decision/", {"action": "approve", "edits": 3})
    assert code_of(stale) == "FORUM_ALREADY_DECIDED"
    missing = send(browser, "post", f"posts/{reply['id']}/decision/", {"action": "reject"})
    assert (missing.status_code, code_of(missing)) == (400, "FORUM_REASON_MISSING")
    assert send(browser, "post", f"posts/{reply['id']}/decision/", {"action": "approve"}).status_code == 204
    assert Post.objects.get(pk=reply["id"]).number == 2
    send(browser_of(UserFactory()), "post", f"posts/{reply['id']}/report/", {"reason": "rude", "comment": "Hm"})
    [case] = send(browser, "get", "queue/?tab=reported").json()["results"]
    assert [one["comment"] for one in case["reports"]] == ["Hm"]


def test_rate_limits_and_lengths_are_those_of_the_pages(
    topic: Topic, leo: User, browser_of: Browser, settings: Any
) -> None:
    browser = browser_of(leo)
    for source, code in (("x" * 5001, "FORUM_POST_TOO_LONG"), (" ", "FORUM_POST_EMPTY")):
        answer = send(browser, "post", f"topics/{topic.pk}/posts/", {"source": source})
        assert (answer.status_code, code_of(answer)) == (400, code)
    settings.RATE_LIMITS = {**settings.RATE_LIMITS, "forum_post": (1, 600)}
    path = f"topics/{topic.pk}/posts/"
    assert [send(browser, "post", path, {"source": f"Reply {n}"}).status_code for n in range(2)] == [201, 429]


ODD: list[Any] = [None, [], [[]], {}, "x", 10**30, -1, 1.5, True, "\x00", {"$gt": ""}, ["a", None], "x" * 100_000]


@pytest.mark.parametrize("path", [
    "topics/", "topics/{topic}/", "topics/{topic}/posts/", "topics/{topic}/follow/", "topics/{topic}/read/",
    "topics/{topic}/merge/", "topics/{topic}/split/", "posts/{post}/", "posts/{post}/vote/", "posts/{post}/reaction/",
    "posts/{post}/accepted/", "posts/{post}/report/", "posts/{post}/decision/",
])  # fmt: skip
def test_odd_bodies_are_refused_and_never_crash(
    path: str, topic: Topic, sam: User, mia: User, browser_of: Browser
) -> None:
    fields: dict[str, dict[str, Any]] = {
        "topics/": {"board": topic.board.slug, "kind": "question", "title": "Title", "source": "So", "tags": []},
        "topics/{topic}/": {"title": "Title", "tags": ["a"], "board": topic.board.slug, "is_pinned": True},
        "topics/{topic}/posts/": {"source": "So", "reply_to": None},
        "topics/{topic}/follow/": {"level": "muted"},
        "topics/{topic}/read/": {"number": 1},
        "topics/{topic}/merge/": {"into": 1},
        "topics/{topic}/split/": {"posts": [1], "title": "Title", "kind": "question"},
        "posts/{post}/": {"source": "So", "edits": 0},
        "posts/{post}/vote/": {"on": True},
        "posts/{post}/reaction/": {"kind": "thanks", "on": True},
        "posts/{post}/accepted/": {"on": True},
        "posts/{post}/report/": {"reason": "spam", "comment": ""},
        "posts/{post}/decision/": {"action": "hide", "reason": "So", "days": 1, "everywhere": False},
    }
    methods = {"topics/{topic}/": "patch", "posts/{post}/": "patch"}
    methods |= dict.fromkeys(["topics/{topic}/follow/", "topics/{topic}/read/"], "put")
    methods |= dict.fromkeys([f"posts/{{post}}/{name}/" for name in ("vote", "reaction", "accepted")], "put")
    browser, method = browser_of(sam), methods.get(path, "post")
    address = path.format(topic=topic.pk, post=make_post(topic, author=mia).pk)
    whole = [[], [1], "x", 5, True]
    answers = [send(browser, method, address, body) for body in whole]
    assert {answer.status_code for answer in answers} == {400}
    for name in fields[path]:
        for odd in ODD:
            answer = send(browser, method, address, fields[path] | {name: odd})
            assert answer.status_code < 500, (name, odd, answer.text[:200])
            if (isinstance(odd, dict) and odd) or odd == [[]]:
                assert answer.status_code in {400, 404}, (name, odd)
    for number in (0, 10**30):
        far = path.format(topic=number, post=number)
        if far != path:
            assert send(browser, method, far, fields[path]).status_code == 404


@pytest.mark.parametrize("query", ["page=x", "page=-1", "page=" + "9" * 40, "before=2026-13-99", "board=%00", "q=%00",
    "tag=%00", "own=maybe", "q=" + "a" * 5000])  # fmt: skip
def test_odd_addresses_never_crash(query: str, topic: Topic, client: Client, sam: User, browser_of: Browser) -> None:
    for browser, path in (
        (client, "lists/latest/"),
        (client, f"topics/{topic.pk}/posts/"),
        (browser_of(sam), "queue/"),
    ):
        assert send(browser, "get", f"{path}?{query}").status_code in {200, 404}


def test_a_merged_topic_answers_with_the_other_one(
    topic: Topic, sam: User, client: Client, browser_of: Browser
) -> None:
    other = make_topic(board=topic.board, title="The other one")
    answer = send(browser_of(sam), "post", f"topics/{topic.pk}/merge/", {"into": other.pk})
    assert answer.json()["id"] == other.pk
    assert send(client, "get", f"topics/{topic.pk}/").json()["id"] == other.pk
    assert len(send(client, "get", f"topics/{topic.pk}/posts/").json()["results"]) == 2
    split = send(
        browser_of(sam),
        "post",
        f"topics/{other.pk}/split/",
        {"posts": [other.posts.get(is_opening=False).pk], "title": "Back"},
    )
    assert (split.status_code, split.json()["title"]) == (201, "Back")


def test_lists_cost_the_same_for_many_rows(
    general: Board, leo: User, sam: User, client: Client, browser_of: Browser, django_assert_max_num_queries: Any
) -> None:
    authors = UserFactory.create_batch(4)
    topics = [make_topic(board=general, author=authors[n % 4]) for n in range(30)]
    fill_topic(topics[0], 120, authors=authors)
    for n in range(30):
        held = make_post(topics[1], author=authors[n % 4], state="held")
        index_post(held, topics[1])
        index_post(topics[n].posts.get(is_opening=True), topics[n])
    reader, moderator = browser_of(leo), browser_of(sam)
    calls = [
        (client, "lists/latest/", 5), (reader, "lists/latest/?page=2", 8), (reader, "lists/latest/?q=mean", 8),
        (reader, f"topics/{topics[0].pk}/", 8), (reader, f"topics/{topics[0].pk}/posts/?page=3", 8),
        (moderator, "queue/", 8), (reader, "boards/", 5),
    ]  # fmt: skip
    for browser, path, most in calls:
        send(browser, "get", path)
        with django_assert_max_num_queries(most):
            answer = send(browser, "get", path)
        assert answer.status_code == 200
        assert len(answer.json().get("results", [1])) > 0
