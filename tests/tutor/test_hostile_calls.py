"""Calls of the tutor that no client of ours sends: refused as the caller's mistake, never by a crash."""

import json
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone

from apps.accounts.models import User
from apps.courses.models import Lesson
from apps.learning.models import Enrollment
from apps.tutor.models import Answer, Chat
from studyplatform.kit import sockets
from tests.factories.learning import AttemptFactory, FlashCardFactory, MissedCardFactory
from tests.factories.tokens import make_token
from tests.factories.tutor import AnswerFactory
from tests.forum.sockets import with_sockets
from tests.tutor.client import Assistant

pytestmark = pytest.mark.django_db
API = "/api/v1/tutor"
NESTED: Any = json.loads('{"a":[' * 15 + "1" + "]}" * 15)
ODD = [
    None, True, 0, -1, 1.0, 1.5, 1e308, 10**30, "", " ", "\n", "x\n", "%00", "💥" * 50, "../..", "[]", [], {}, [[]],
    [None], NESTED, "\u202e", "a/b\n", "١", "urn:uuid:" + "0" * 32, {"$ref": "#"}, "1" * 5000,
]  # fmt: skip


def part_of(odd: list[Any], turn: int, parts: int) -> list[Any]:
    """One part of these values, another one each turn."""
    return odd[turn % parts :: parts]


@pytest.fixture(params=[3, pytest.param(1, marks=pytest.mark.long)], ids=["a third", "all"])
def parts(request: pytest.FixtureRequest) -> int:
    """Into how many parts the odd values are divided, of which each field of a call gets one.

    The fields of a tool are read by the same code, so that each value meets it all the same.
    """
    count: int = request.param
    return count


FINE = {200, 201, 204, 400, 403, 404, 409, 413, 415, 422, 429}


@pytest.fixture
def assistant(leo: User, enrollment: Enrollment, rivers: dict[str, Lesson]) -> Assistant:
    return Assistant(make_token(leo)[1])


@pytest.mark.parametrize(
    ("tool", "good"),
    [
        (
            "search_courses",
            {"query": "river", "cursor": "MQ", "category": "x", "difficulty": "beginner", "price": "free"},
        ),
        ("get_lesson", {"lesson": "rivers-and-their-work/springs", "cursor": "MQ"}),
        ("list_progress", {"course": "rivers-and-their-work", "cursor": "MQ"}),
        ("create_note", {"lesson": "rivers-and-their-work/springs", "text": "Note", "second": None}),
        ("ask_tutor", {"question": "Why does a river bend?", "course": "rivers-and-their-work"}),
        ("practice_quiz", {"source": "", "card": "", "turn": 0, "answer": {"id": "a"}, "rating": 3}),
    ],
)
def test_tools_survive_every_argument(
    assistant: Assistant, leo: User, tool: str, good: dict[str, Any], parts: int
) -> None:
    if "card" in good:
        good = {**good, "card": str(FlashCardFactory(user=leo).uid)}
    for turn, (name, right) in enumerate(good.items()):
        for odd in [*part_of(ODD, turn, parts), f"{right}\n", [right], {"a": right}]:
            message = assistant.send("tools/call", name=tool, arguments={**good, name: odd})
            said = json.dumps(message)
            assert "SERVER_ERROR" not in said, (name, odd, said)
            assert '"code": -32603' not in said, (name, odd, said)


@pytest.mark.parametrize("kind", ["single", "multiple", "truth", "numeric", "text", "ordering", "matching", "gaps"])
def test_practice_survives_every_answer(
    assistant: Assistant, leo: User, rivers: dict[str, Lesson], enrollment: Enrollment, kind: str
) -> None:
    options = [{"id": one, "text": one} for one in "abc"]
    rights = {
        "single": (options, {"id": "b"}),
        "multiple": (options, {"ids": ["a", "c"]}),
        "truth": ([], {"value": True}),
        "numeric": ({"unit": "km"}, {"value": 3.25, "tolerance": 0}),
        "text": ([], {"accepted": ["silt"]}),
        "ordering": (options, {"ids": ["a", "b", "c"]}),
        "matching": ({"left": options, "right": options}, {"pairs": {"a": "a", "b": "b", "c": "c"}}),
        "gaps": (
            {"gaps": [{"number": 1, "kind": "single", "points": 1, "options": options}]},
            {"gaps": {"1": {"id": "a"}}},
        ),
    }
    question = rivers["check"].quiz.questions.get()
    question.kind, (question.options, question.answer) = kind, rights[kind]
    question.save()
    AttemptFactory(enrollment=enrollment, quiz=question.quiz, submitted_at=timezone.now(), is_passed=True)
    card = MissedCardFactory(user=leo, question=question)
    fields: dict[str, list[Any]] = {
        "id": ["", "a", "z", "\n", "x" * 41],
        "ids": [[], ["a"], ["a", "a"], ["z"], ["a", "b", "c"], ["a"] * 51],
        "value": [True, False, 1, None],
        "text": ["", "1e999", "nan", "-inf", "1/0", "1" * 400, "٣", "0x1p3", "1_0", "💥", "1,5", "--1"],
        "gaps": [{}, {"1": "a"}, {"1": "z"}, {"2": "a"}, {"1": ""}, {"": ""}],
        "pairs": [{}, {"a": "a"}, {"z": "a"}, {"a": "z", "b": "z", "c": "z"}, {"": ""}],
    }
    for name, values in fields.items():
        for place, value in enumerate(values):
            for turn in (None,) if place else (None, 0, 10**6):
                given = {"card": str(card.uid), "answer": {name: value}, **({} if turn is None else {"turn": turn})}
                said = json.dumps(assistant.send("tools/call", name="practice_quiz", arguments=given))
                assert "SERVER_ERROR" not in said, (name, value, said)


@pytest.mark.parametrize(
    ("method", "names"),
    [
        ("resources/read", ["uri", "_meta"]),
        ("resources/list", ["cursor", "_meta"]),
        ("tools/call", ["name", "_meta", "arguments"]),
        ("tools/list", ["cursor", "_meta"]),
        ("initialize", ["protocolVersion", "capabilities", "clientInfo", "_meta"]),
        ("x", []),
    ],
)
def test_methods_survive_every_parameter(assistant: Assistant, method: str, names: list[str], parts: int) -> None:
    for place, odd in enumerate(ODD):
        for params in (odd, *({"name": "x", name: odd} for name in names[place % parts :: parts])):
            answer = assistant.post({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
            assert answer.status_code in {200, 202, 400}, (params, answer.content)
            assert b"SERVER_ERROR" not in answer.content, (params, answer.content)
            assert b"-32603" not in answer.content, (params, answer.content)


@pytest.fixture
def answer(leo: User) -> Answer:
    return AnswerFactory(exchange__chat__user=leo, exchange__mode="cards", text="Front: a\nBack: b")


def test_rest_survives_every_field(browser_of: Any, leo: User, answer: Answer, parts: int) -> None:
    browser: Client = browser_of(leo)
    browser.raise_request_exception = False
    chat, exchange = answer.exchange.chat, answer.exchange
    asking: dict[str, Any] = {
        "question": "Why?",
        "key": str(uuid4()),
        "mode": "ask",
        "lesson": None,
        "second": 1,
        "course": None,
    }
    calls: list[tuple[str, str, dict[str, Any]]] = [
        ("post", "/chats/", asking),
        ("post", f"/chats/{chat.uid}/exchanges/", asking),
        ("patch", f"/chats/{chat.uid}/", {"title": "A", "course": None, "lesson": None}),
        ("put", f"/exchanges/{exchange.uid}/", {"question": "So?", "key": str(uuid4())}),
        ("put", f"/answers/{answer.uid}/rating/", {"rating": 1, "reason": ""}),
        ("post", f"/answers/{answer.uid}/cards/", {"cards": [0]}),
        ("post", f"/answers/{answer.uid}/continue/", {}),
        ("post", f"/exchanges/{exchange.uid}/answers/", {}),
    ]
    for verb, path, body in calls:
        bodies = [{**body, name: odd} for turn, name in enumerate(body) for odd in part_of(ODD, turn, parts)] + ODD
        for sent in bodies:
            found = getattr(browser, verb)(API + path, json.dumps(sent), content_type="application/json")
            assert found.status_code in FINE, (verb, path, sent, found.content)
    for path in (
        "/chats/?search={0}&cursor={0}",
        "/suggestions/?course={0}&lesson={0}",
        f"/chats/{chat.uid}/?before={{0}}",
    ):
        for odd in (*ODD, "٣.٣٣٣٣٣٣_٣", "99999999999.999999_999999999999999999"):
            assert browser.get(API + path.format(odd)).status_code in FINE, (path, odd)
    for path in ("/chat/?c={0}&before={0}", "/chat/?cursor={0}", "/chat/?course={0}&lesson={0}"):
        for odd in (*ODD, "99999999999.999999_999999999999999999"):
            assert browser.get(path.format(odd)).status_code in {*FINE, 302}, (path, odd)
    assert Chat.objects.filter(pk=chat.pk).exists()


@pytest.mark.django_db(transaction=True)
@pytest.mark.database
def test_the_socket_survives_every_message(browser_of: Any, leo: User, answer: Answer, monkeypatch: Any) -> None:
    monkeypatch.setattr(sockets, "MAX_MESSAGES_AT_ONCE", 1000)
    deep = json.loads("[" * 400 + "]" * 400)

    async def story(socket: Any) -> None:
        short = [odd for odd in ODD if len(json.dumps(odd)) * 2 < sockets.MAX_MESSAGE_LENGTH]
        for odd in [*short, "1" * 1000, deep, str(uuid4()), str(answer.uid)]:
            for kind in ("follow", "unfollow", "x", None, [], {}):
                await socket.send_json_to({"type": kind, "answer": odd, "offset": odd})
            await socket.send_json_to({"type": "follow", "answer": str(answer.uid), "offset": odd})
            while (await socket.receive_json_from(30))["type"] != "ended":
                pass

    with_sockets([browser_of(leo)], "/ws/tutor/", story)
