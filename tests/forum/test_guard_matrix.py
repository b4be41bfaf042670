"""Who gets in where: every entry point of the discussions, tried as everyone, on the board of a course that is closed.

The board is that of a suspended course of Ada's: those enrolled, its instructor and admins read it. A row says what
each of :data:`WHO` gets: ``yes``, ``login`` (a visitor is sent to sign in), or the status of the refusal
(400 and 422: let in, but something is missing in the form). A new entry point needs a row.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.utils import timezone

from apps.accounts.models import User
from apps.forum import services
from apps.forum.api.urls import urlpatterns as api_patterns
from apps.forum.models import ModerationAction, PostFile, Tag
from apps.forum.services.message_safety import report_message
from apps.forum.services.messages import send_message
from apps.forum.urls import urlpatterns
from studyplatform.routing import websocket_urlpatterns
from tests.factories.accounts import UserFactory
from tests.factories.courses import CourseFactory, LessonFactory, SectionFactory
from tests.factories.files import FileFactory
from tests.factories.forum import AnnouncementCopyFactory
from tests.factories.learning import EnrollmentFactory
from tests.factories.topics import BoardFactory, make_post, make_topic
from tests.forum.sockets import is_refused

WHO = ("visitor", "banned", "blocked", "enrolled", "no longer enrolled", "other instructor", "instructor", "admin")
WRITTEN = {"source": "A text that says enough.", "edits": "0", "title": "A title", "kind": "question"}

API = {"source": "A text that says enough.", "edits": 0, "title": "A title", "kind": "question", "level": "watching",
       "on": True, "reason": "spam", "action": "hide", "board": "closed", "number": 1}  # fmt: skip

TABLE: dict[str, str] = {
    # visitor banned blocked enrolled no-longer-enrolled other-instructor instructor admin
    "GET index":                                   "yes yes yes yes yes yes yes yes",
    "POST mark-all-read":                          "login yes login yes yes yes yes yes",
    "GET new":                                     "login yes login yes yes yes yes yes",
    "POST new":                                    "login 403 login yes 422 422 yes yes",
    "GET board":                                   "404 yes 404 yes 404 404 yes yes",
    "POST board-follow":                           "login yes login yes 404 404 yes yes",
    "GET feed":                                    "404 404 404 404 404 404 404 404",
    "GET tag":                                     "404 yes 404 yes 404 404 yes yes",
    "POST tag-follow":                             "login yes login yes 404 404 yes yes",
    "GET image":                                   "404 yes 404 yes 404 404 yes yes",
    "GET file":                                    "404 yes 404 yes 404 404 yes yes",
    "GET lesson":                                  "404 yes 404 yes 404 404 yes yes",
    "GET topic":                                   "404 yes 404 yes 404 404 yes yes",
    "GET topic-posts":                             "login yes login yes 404 404 yes yes",
    "POST reply":                                  "login 403 login yes 404 404 yes yes",
    "POST topic-follow":                           "login yes login yes 404 404 yes yes",
    "GET post":                                    "404 yes 404 yes 404 404 yes yes",
    "POST post-vote":                              "login 403 login yes 404 404 yes yes",
    "POST post-react?kind=thanks":                 "login 403 login yes 404 404 yes yes",
    "POST post-accept":                            "login 403 login 403 404 404 yes yes",
    "GET post-edit":                               "login 403 login 403 404 404 yes yes",
    "POST post-edit":                              "login 403 login 403 404 404 yes yes",
    "GET post-delete":                             "login 403 login 403 404 404 yes yes",
    "POST post-delete":                            "login 403 login 403 404 404 yes yes",
    "POST post-restore":                           "login 404 login 404 404 404 yes yes",
    "GET post-history":                            "404 yes 404 yes 404 404 yes yes",
    "GET post-report":                             "login 403 login yes 404 404 yes yes",
    "POST post-report":                            "login 403 login yes 404 404 yes yes",
    "POST post-decide":                            "login 404 login 404 404 404 yes yes",
    "POST decide-all":                             "login 404 login 404 404 404 yes yes",
    "POST decision-undo":                          "login 404 login 404 404 404 yes yes",
    "POST ban-lift":                               "login 404 login 404 404 404 yes yes",
    "GET messages":                                "login yes login yes yes yes yes yes",
    "GET message-new":                             "login 404 login 404 404 404 404 404",
    "POST message-new":                            "login 404 login 404 404 404 404 404",
    "GET announcement":                            "login 404 login 404 404 404 404 404",
    "GET message-file":                            "login 404 login 404 404 404 yes 404",
    "GET message-report":                          "login 404 login 404 404 404 yes 404",
    "POST message-report":                         "login 404 login 404 404 404 yes 404",
    "GET conversation":                            "login 404 login 404 404 404 404 404",
    "POST conversation":                           "login 404 login 404 404 404 404 404",
    "GET conversation-part":                       "login 404 login 404 404 404 yes 404",
    "POST conversation-read":                      "login 404 login 404 404 404 yes 404",
    "POST conversation-unread":                    "login 404 login 404 404 404 yes 404",
    "POST conversation-block":                     "login 404 login 404 404 404 yes 404",
    "GET teaching-messages":                       "login 403 login 403 403 yes yes yes",
    "GET teaching-message-new":                    "login 403 login 403 403 yes yes yes",
    "POST teaching-message-new":                   "login 403 login 403 403 404 404 404",
    "GET teaching-announcements":                  "login 403 login 403 403 yes yes yes",
    "POST teaching-announcements":                 "login 403 login 403 403 yes yes yes",
    "GET teaching-conversation":                   "login 403 login 403 403 404 yes 404",
    "POST teaching-conversation":                  "login 403 login 403 403 404 yes 404",
    "GET moderation":                              "login 403 login 403 403 403 403 yes",
    "POST moderation-ban":                         "login 403 login 403 403 403 403 yes",
    "POST moderation-message":                     "login 403 login 403 403 403 403 yes",
    "POST topic-pin":                              "login 404 login 404 404 404 yes yes",
    "POST topic-close":                            "login 404 login 404 404 404 yes yes",
    "GET topic-rename":                            "login 403 login 403 404 404 yes yes",
    "POST topic-rename":                           "login 403 login 403 404 404 yes yes",
    "GET topic-move":                              "login 404 login 404 404 404 yes yes",
    "POST topic-move":                             "login 404 login 404 404 404 422 422",
    "GET topic-merge":                             "login 404 login 404 404 404 yes yes",
    "POST topic-merge":                            "login 404 login 404 404 404 yes yes",
    "GET topic-split":                             "login 404 login 404 404 404 yes yes",
    "POST topic-split":                            "login 404 login 404 404 404 422 422",
    "GET teaching":                                "login 403 login 403 403 yes yes yes",
    "POST teaching": "login 403 login 403 403 404 yes 404",
    "GET api forum/similar/":                      "401 yes 401 yes yes yes yes yes",
    "GET api forum/boards/":                                   "yes yes yes yes yes yes yes yes",
    "PUT api forum/boards/<slug:slug>/follow/":                "401 yes 401 yes 404 404 yes yes",
    "PUT api forum/read/":                                     "401 yes 401 yes yes yes yes yes",
    "GET api forum/lists/<str:tab>/":                          "yes yes yes yes yes yes yes yes",
    "POST api forum/topics/":                                  "401 403 401 yes 404 404 yes yes",
    "GET api forum/topics/<int:topic>/":                       "404 yes 404 yes 404 404 yes yes",
    "PATCH api forum/topics/<int:topic>/":                     "401 403 401 403 404 404 yes yes",
    "GET api forum/topics/<int:topic>/posts/":                 "404 yes 404 yes 404 404 yes yes",
    "POST api forum/topics/<int:topic>/posts/":                "401 403 401 yes 404 404 yes yes",
    "PUT api forum/topics/<int:topic>/follow/":                "401 yes 401 yes 404 404 yes yes",
    "PUT api forum/topics/<int:topic>/read/":                  "401 yes 401 yes 404 404 yes yes",
    "POST api forum/topics/<int:topic>/merge/":                "401 404 401 404 404 404 400 400",
    "POST api forum/topics/<int:topic>/split/":                "401 404 401 404 404 404 yes yes",
    "GET api forum/posts/<int:post>/":                         "404 yes 404 yes 404 404 yes yes",
    "PATCH api forum/posts/<int:post>/":                       "401 403 401 403 404 404 yes yes",
    "DELETE api forum/posts/<int:post>/":                      "401 403 401 403 404 404 yes yes",
    "POST api forum/posts/<int:post>/restore/":                "401 404 401 404 404 404 yes yes",
    "PUT api forum/posts/<int:post>/vote/":                    "401 403 401 yes 404 404 yes yes",
    "PUT api forum/posts/<int:post>/reaction/":                "401 403 401 yes 404 404 yes yes",
    "PUT api forum/posts/<int:post>/accepted/":                "401 403 401 403 404 404 yes yes",
    "POST api forum/posts/<int:post>/report/":                 "401 403 401 yes 404 404 yes yes",
    "POST api forum/posts/<int:post>/decision/":               "401 404 401 404 404 404 yes yes",
    "GET api forum/queue/":                                    "401 404 401 404 404 yes yes yes",
    "POST api forum/preview/":                     "401 yes 401 yes yes yes yes yes",
    "GET api forum/people/?topic={topic}":         "401 yes 401 yes 404 404 yes yes",
    "GET api forum/topics/":                       "401 yes 401 yes yes yes yes yes",
    "GET api forum/drafts/<slug:key>/":            "401 yes 401 yes yes yes yes yes",
    "PUT api forum/drafts/<slug:key>/":            "401 yes 401 yes yes yes yes yes",
    "DELETE api forum/drafts/<slug:key>/":         "401 yes 401 yes yes yes yes yes",
}  # fmt: skip


@dataclass
class Places:
    """What the addresses name, and who asks."""

    people: dict[str, User | None]
    names: dict[str, Any]

    def of(self, name: str) -> dict[str, Any]:
        return self.names | self.names.get(f"for {name}", {})


@pytest.fixture
def places(ada: User, leo: User, eve: User, ben: User, sam: User, own_folders: Any) -> Places:
    now = timezone.now()
    course = CourseFactory(instructor=ada, slug="closed", title="Closed course", status="published")
    lesson = LessonFactory(course=course, section=SectionFactory(course=course))
    board = BoardFactory(course=course, slug="closed", title="Closed course")
    banned, gone, kim, lea = (UserFactory(username=name) for name in ("banned", "gone", "kim", "lea"))
    for user in (banned, leo, kim, lea, ben):
        EnrollmentFactory(user=user, course=course)
    EnrollmentFactory(user=gone, course=course, revoked_at=now)
    topic = make_topic(board=board, author=kim, lesson=lesson)
    topic.tags.add(Tag.objects.create(slug="tides", name="tides"))
    post, deleted, hidden = make_post(topic, author=lea), make_post(topic, author=lea), make_post(topic, author=lea)
    services.delete(post=deleted, by=lea, now=now)
    services.hide(post=hidden, by=ada, now=now)
    ban = services.ban(user=banned, by=ada, board=board, days=3, reason="Adverts", now=now)
    stored = FileFactory(owner=lea).current
    PostFile.objects.create(post=post, upload=stored, uid=stored.uid, name="notes.pdf")
    message = send_message(course=course, learner=kim, user=kim, source="Why?", files=[FileFactory(owner=kim)], now=now)
    complaint = report_message(message=message, user=ada, reason="spam", note="", now=now)
    told = AnnouncementCopyFactory(user=kim, announcement__course=course).announcement
    course.status = "suspended"
    course.save()
    talk = {"uid": message.conversation.uid}
    names: dict[str, Any] = {
        "board": "closed", "slug": "closed", "tab": "latest", "tag": "tides", "topic": topic.pk, "post": post.pk,
        "uid": stored.uid, "ban": ban.pk, "action": ModerationAction.objects.get(kind="hidden").pk, "user": lea.pk,
        "key": "new", "for post-restore": {"post": deleted.pk}, "for lesson": {"uid": lesson.uid},
        "for api forum/posts/<int:post>/restore/": {"post": deleted.pk},
        **{f"for {one}": talk for one in ("conversation", "conversation-part", "conversation-read",
           "conversation-unread", "conversation-block", "teaching-conversation")},
        "for announcement": {"uid": told.uid}, "for message-file": {"uid": message.files.get().uid},
        "for message-report": {"uid": message.uid}, "for moderation-message": {"uid": complaint.uid},
    }  # fmt: skip
    people = [None, banned, ben, leo, gone, eve, ada, sam]
    return Places(dict(zip(WHO, people, strict=True)), names)


@contextmanager
def taken_back() -> Iterator[None]:
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def entry_points() -> dict[str, str]:
    """The address patterns of the app, by name."""
    found = {str(one.name): f"/{one.pattern}" for one in urlpatterns}
    return found | {f"api {one.pattern}": f"/api/v1/{one.pattern}" for one in api_patterns}


def filled(pattern: str, names: dict[str, Any]) -> str:
    return re.sub(r"<\w+:(\w+)>", lambda found: str(names[found[1]]), pattern)


def answer_for(browser: Client, method: str, address: str, sent: dict[str, Any]) -> str:
    is_api = address.startswith("/api/")
    more: dict[str, Any] = {"content_type": "application/json"} if is_api and method != "GET" else {}
    more["headers"] = {"Accept": "application/json"}  # so that a refused form is not led back to its page
    answer = getattr(browser, method.lower())(address, sent if method != "GET" else None, **more)
    if answer.status_code == 302 and "login" in answer["Location"]:
        return "login"
    return "yes" if answer.status_code < 400 else str(answer.status_code)


SENT: dict[str, dict[str, Any]] = {
    "post-vote": {"on": "1"}, "post-accept": {"on": "1"}, "post-react?kind=thanks": {"on": "1"},
    "post-report": {"reason": "spam"}, "post-decide": {"action": "hide"}, "decide-all": {"action": "hide"},
    "topic-follow": {"level": "watching"}, "board-follow": {"level": "watching"}, "tag-follow": {"level": "watching"},
    "moderation-ban": {"reason": "Adverts", "days": "1"}, "moderation-message": {"decision": "dismiss"},
    "message-report": {"reason": "spam"}, "conversation-block": {"on": "1"}, "new": WRITTEN | {"board": "closed"},
    "teaching-announcements": WRITTEN | {"course": "closed", "subject": "Hello", "audience": "everyone"},
    "api forum/posts/<int:post>/reaction/": {"kind": "thanks", "on": True},
    "api forum/drafts/<slug:key>/": {"source": "Half a", "written_at": "2026-01-15T12:00:00Z"},
}  # fmt: skip


def tried(places: Places, browsers: dict[str, Client], row: str) -> list[str]:
    """What each of :data:`WHO` gets at a row of the table: ``METHOD name`` or ``METHOD name?query``."""
    method, _, rest = row.partition(" ")
    name, _, query = rest.partition("?")
    address = filled(entry_points()[name], places.of(name)) + (f"?{query}" if query else "")
    address = address.replace("{topic}", str(places.names["topic"]))
    sent = SENT.get(rest, SENT.get(name, API if name.startswith("api ") else WRITTEN))
    if name in {"decide-all", "teaching"} or sent is API:
        sent = sent | {"posts": [places.names["post"]], "topic": places.names["topic"]}
    got = []
    for who in WHO:
        with taken_back():
            got.append(answer_for(browsers[who], method, address, sent))
    return got


@pytest.fixture
def browsers(places: Places) -> dict[str, Client]:
    found = {who: Client() for who in WHO}
    for who, user in places.people.items():
        if user is not None:
            found[who].force_login(user)
    return found


@pytest.mark.django_db
def test_everyone_gets_what_the_table_says(places: Places, browsers: dict[str, Client]) -> None:
    wrong = {}
    for row, expected in TABLE.items():
        got = tried(places, browsers, row)
        if got != expected.split():
            wrong[row] = " ".join(got)
    assert wrong == {}


def test_each_entry_point_has_a_row() -> None:
    rows = {row.partition(" ")[2].partition("?")[0] for row in TABLE}
    assert set(entry_points()) - rows == set()
    assert {str(one.pattern) for one in websocket_urlpatterns if "forum" in str(one.pattern)} | {"ws/messages/"} == set(
        SOCKETS
    )


# Who may open a socket.
SOCKETS = {
    "ws/forum/topics/<int:topic>/": "no yes no yes no no yes yes",
    "ws/messages/": "no yes no yes yes yes yes yes",
}


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
def test_sockets_open_for_those_who_may_read(places: Places, browsers: dict[str, Client]) -> None:
    for pattern, expected in SOCKETS.items():
        address = "/" + filled(pattern, places.names)
        got = ["no" if is_refused(browsers[who], address) else "yes" for who in WHO if who != "visitor"]
        assert got == expected.split()[1:], pattern
