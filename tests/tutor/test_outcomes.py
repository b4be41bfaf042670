"""However an answer ends, its learner reads why: on the page, in the API, in the exported chat and in the archive."""

from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone

from apps.accounts.models import User
from apps.courses.models import Course, Lesson
from apps.learning.models import Enrollment
from apps.tutor import errors
from apps.tutor.exports import of_tutor
from apps.tutor.models import MOST_QUESTION, Answer, Chat
from apps.tutor.queries.outcomes import error_of, note_of, status_after
from apps.tutor.services import generating, preparing
from studyplatform.kit.errors import REGISTRY
from tests.factories.tutor import AnswerFactory, ExchangeFactory

State, Kind = Answer.State, Answer.Kind
API = "/api/v1/tutor"
FAILURES = sorted(
    one.code for one in REGISTRY.values() if one.__module__ == errors.__name__ and one is not errors.ChatNotFound
)
REFUSALS = [errors.ContentFiltered.code, errors.QuestionNotUnderstood.code]


def every_outcome() -> list[Answer]:
    """Each state with each kind and error that it can have, without any text."""
    kinds = [*((kind, "") for kind in Kind.values), *((Kind.FILTERED, code) for code in REFUSALS)]
    ended = [Answer(state=State.FINISHED, kind=kind, error_code=code) for kind, code in kinds]
    ended += [Answer(state=State.FAILED, error_code=code) for code in [*FAILURES, "", "A_CODE_OF_AN_EARLIER_VERSION"]]
    ended += [Answer(state=state) for state in (State.STOPPED, State.INTERRUPTED)]
    return ended


def test_no_outcome_is_silent() -> None:
    now = timezone.now()
    outcomes = every_outcome()
    assert {one.state for one in outcomes} == set(State.values) - {State.WAITING, State.STREAMING}
    for one in outcomes:
        error = error_of(one)
        assert error or note_of(one, now), (one.state, one.kind, one.error_code)
        assert error is None or (error.title and error.detail)
    died = Answer(state=State.STREAMING, lease_until=None)
    assert note_of(died, now) == note_of(Answer(state=State.INTERRUPTED), now)


def test_a_refused_question_is_no_failure_of_the_tutor() -> None:
    assert [status_after(code) for code in [None, *REFUSALS, "AI_CONTEXT_TOO_LONG", "AI_TURNED_OFF"]] == ["online"] * 5
    assert status_after("AI_UNAVAILABLE") == "offline"
    assert [status_after(code) for code in ("AI_OVERLOADED", "AI_TECHNICAL_ERROR")] == ["error"] * 2


@pytest.mark.django_db
def test_every_outcome_is_shown_everywhere(leo: User, browser_of: Any) -> None:
    exchange = ExchangeFactory(chat__user=leo)
    chat: Chat = exchange.chat
    browser = browser_of(leo)
    answer: Answer = AnswerFactory(exchange=exchange, text="")
    for one in every_outcome():
        fields = {"state": one.state, "kind": one.kind, "error_code": one.error_code}
        Answer.objects.filter(pk=answer.pk).update(**fields)
        (shown,) = browser.get(f"{API}/chats/{chat.uid}/").json()["exchanges"][0]["answers"]
        title = shown["error"]["title"] if shown["error"] else shown["note"]
        assert title, fields
        exported = b"".join(browser.get(f"/chat/{chat.uid}/export").streaming_content).decode()
        assert title in exported, fields
    page = browser.get(f"/chat/?c={chat.uid}").content.decode()
    assert title in page
    archived = next(part for part in of_tutor(leo) if part.path == "tutor/answers.json")
    assert [row["error_code"] for row in archived.rows] == [one.error_code]


@pytest.mark.django_db
def test_what_is_too_long_is_refused_with_one_code(leo: User, browser_of: Any) -> None:
    browser = browser_of(leo)
    status = browser.get(f"{API}/status/").json()
    assert status["max_question_length"] == MOST_QUESTION
    question = "🌊" * MOST_QUESTION  # a character counts once, whatever its encoding
    sent = {"question": question, "key": str(uuid4())}
    begun = browser.post(f"{API}/chats/", sent, content_type="application/json")
    assert begun.status_code == 201
    uid, exchange = begun.json()["chat"]["uid"], begun.json()["exchange"]["uid"]
    long = {"question": question + "?", "key": str(uuid4())}
    for method, path in (
        ("post", "/chats/"), ("post", f"/chats/{uid}/exchanges/"), ("put", f"/exchanges/{exchange}/"),
    ):  # fmt: skip
        refused = getattr(browser, method)(f"{API}{path}", long, content_type="application/json")
        assert (refused.status_code, refused.json()["code"]) == (413, "AI_CONTEXT_TOO_LONG")


def answered(chat: Chat, question: str) -> Answer | Exception:
    answer: Answer = AnswerFactory(
        exchange=ExchangeFactory(chat=chat, question=question), state=State.WAITING, text="", ended_at=None
    )
    claim = generating.claim(answer.uid, timezone.now())
    assert claim is not None
    (ready,) = preparing.prepare_all([preparing.Wanted(claim, "en")])
    Answer.objects.filter(pk=answer.pk).update(state=State.FINISHED, text="Water flows faster on the outside.")
    return ready if isinstance(ready, Exception) else answer


@pytest.mark.django_db
def test_every_unrelated_question_of_a_chat_is_refused_alike(
    rivers: dict[str, Lesson], course: Course, enrollment: Enrollment, leo: User
) -> None:
    chat = ExchangeFactory(chat__user=leo, chat__course=course, question="Why does a river bend?").chat
    AnswerFactory(exchange=chat.exchanges.get())
    for unrelated in ("Who won the football championship?", "Recommend me a pizza recipe"):
        assert isinstance(answered(chat, unrelated), errors.ContentFiltered), unrelated
    for related in ("And in winter?", "Can you explain it more simply?", "Why?", "Why is the outside faster?"):
        assert isinstance(answered(chat, related), Answer), related
    for wordless in ("???", "👍", "… — !"):
        assert isinstance(answered(chat, wordless), errors.QuestionNotUnderstood), wordless
    assert isinstance(answered(chat, "∫ ∂ ?"), Answer | errors.ContentFiltered)
