"""Answers that explain a quiz are withheld during a retake, and return when it is submitted: every way out."""

import json
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone
from markupsafe import escape

from apps.accounts.models import User
from apps.courses.models import Course, Lesson, Quiz
from apps.learning import services as learning
from apps.learning.models import Attempt, Enrollment, PracticeCard
from apps.tutor import providers
from apps.tutor.exports import of_tutor
from apps.tutor.models import Answer, Chat, Exchange
from apps.tutor.providers import Usage
from apps.tutor.queries.shapes import answer_out
from apps.tutor.queries.withheld import withheld_answers
from apps.tutor.services import generating, preparing
from apps.tutor.streaming import alone
from tests.factories.learning import AttemptFactory
from tests.factories.tokens import make_token
from tests.factories.tutor import AnswerFactory, ChatFactory, CitationFactory, ExchangeFactory
from tests.forum.sockets import with_sockets
from tests.tutor.client import Assistant

pytestmark = pytest.mark.django_db
API = "/api/v1/tutor"
SECRET = "An oxbow is a bend that the river has cut off."
TAKEN = "This answer is hidden because it explains a quiz you're taking. It will reappear when you submit."
State = Answer.State


@pytest.fixture
def quiz(rivers: dict[str, Lesson], enrollment: Enrollment) -> Quiz:
    """A quiz that Leo has passed."""
    found: Quiz = rivers["check"].quiz
    AttemptFactory(enrollment=enrollment, quiz=found, submitted_at=timezone.now(), is_passed=True)
    return found


@pytest.fixture
def chat(leo: User, course: Course) -> Chat:
    return ChatFactory(user=leo, course=course, title="Lakes")


@pytest.fixture
def answer(chat: Chat, quiz: Quiz) -> Answer:
    """An answer that quotes the explanation of the quiz."""
    found: Answer = AnswerFactory(
        exchange=ExchangeFactory(chat=chat, question="What is such a lake?", mode="cards"),
        text=f"Front: What is an oxbow?\nBack: {SECRET} [1]",
        explains=[quiz.lesson_id],
    )
    CitationFactory(answer=found, lesson=quiz.lesson, heading="What is an oxbow?", text=SECRET)
    return found


@pytest.fixture
def retake(answer: Answer, quiz: Quiz, enrollment: Enrollment) -> Attempt:
    return AttemptFactory(enrollment=enrollment, quiz=quiz)


def submit(attempt: Attempt) -> None:
    attempt.submitted_at = timezone.now()
    attempt.save()


def body_of(response: Any) -> str:
    parts = response.streaming_content if response.streaming else [response.content]
    return b"".join(parts).decode()


def ways_out(browser: Client, answer: Answer) -> dict[str, str]:
    chat = answer.exchange.chat
    archive = {part.path: list(part.rows or ()) for part in of_tutor(chat.user)}
    return {
        "page": body_of(browser.get(f"/chat/?c={chat.uid}")),
        "chat": body_of(browser.get(f"{API}/chats/{chat.uid}/")),
        "answer": body_of(browser.get(f"{API}/answers/{answer.uid}/")),
        "rating": body_of(browser.put(f"{API}/answers/{answer.uid}/rating/", {"rating": 1}, "application/json")),
        "stop": body_of(browser.post(f"{API}/answers/{answer.uid}/stop/")),
        "export": body_of(browser.get(f"/chat/{chat.uid}/export")),
        "export by the API": body_of(browser.get(f"{API}/chats/{chat.uid}/export/")),
        "archive": json.dumps(archive["tutor/answers.json"], default=str),
    }


def test_nothing_shows_the_answer_during_a_retake_and_all_show_it_after(
    browser_of: Any, leo: User, answer: Answer, quiz: Quiz, enrollment: Enrollment
) -> None:
    browser = browser_of(leo)
    assert [way for way, text in ways_out(browser, answer).items() if "cut off" not in text] == []

    attempt = AttemptFactory(enrollment=enrollment, quiz=quiz)
    shown = ways_out(browser, answer)
    assert [way for way, text in shown.items() if "cut off" in text or "oxbow" in text] == []
    assert [way for way, text in shown.items() if "It will reappear when you submit." not in text] == []
    assert Answer.objects.get(pk=answer.pk).text == answer.text

    submit(attempt)
    assert [way for way, text in ways_out(browser, answer).items() if "cut off" not in text] == []


def test_what_is_shown_of_a_withheld_answer(leo: User, answer: Answer, retake: Attempt) -> None:
    shown = answer_out(leo, answer, timezone.now())
    assert (shown["withheld"], shown["text"], shown["citations"], shown["cards"]) == (TAKEN, "", [], [])
    assert shown["html"] == f'<p class="small muted">{escape(TAKEN)}</p>'
    assert shown["follow_ups"] == []


def test_an_answer_returns_when_its_quiz_shows_answers_again(leo: User, answer: Answer, quiz: Quiz) -> None:
    assert answer_out(leo, answer, timezone.now())["withheld"] == ""
    quiz.reveal = Quiz.Reveal.NEVER
    quiz.save()
    assert answer_out(leo, answer, timezone.now())["withheld"] == (
        "This answer is hidden because it explains a quiz you haven't finished. It will reappear when the quiz's "
        "answers do."
    )
    quiz.reveal = Quiz.Reveal.ALWAYS
    quiz.save()
    assert answer_out(leo, answer, timezone.now())["text"] == answer.text


def test_the_attempts_of_others_withhold_nothing(leo: User, mia: User, answer: Answer, quiz: Quiz) -> None:
    AttemptFactory(enrollment__user=mia, enrollment__course=quiz.lesson.course, quiz=quiz)
    assert answer_out(leo, answer, timezone.now())["withheld"] == ""
    assert withheld_answers(leo) == {}


def test_cards_of_a_withheld_answer_are_not_practiced(
    browser_of: Any, leo: User, answer: Answer, retake: Attempt
) -> None:
    path = f"{API}/answers/{answer.uid}/cards/"
    refused = browser_of(leo).post(path, {"cards": [0]}, "application/json")
    assert (refused.status_code, refused.json()["code"]) == (409, "AI_ANSWER_WITHHELD")
    assert not PracticeCard.objects.exists()
    submit(retake)
    assert browser_of(leo).post(path, {"cards": [0]}, "application/json").json() == {"added": 1}


def test_chats_are_not_found_by_their_answers(browser_of: Any, leo: User, answer: Answer, retake: Attempt) -> None:
    browser = browser_of(leo)
    assert browser.get(f"{API}/chats/?search=cut+off").json()["results"] == []
    assert len(browser.get(f"{API}/chats/?search=such+a+lake").json()["results"]) == 1


def test_assistants_are_told_nothing_of_it(leo: User, answer: Answer, retake: Attempt) -> None:
    assistant = Assistant(make_token(leo)[1])
    told = assistant.call(
        "ask_tutor", question="Which lakes does a river leave behind?", course=retake.quiz.lesson.course.slug
    )
    assert "cut off" not in json.dumps(told)
    assert "cut off" not in json.dumps(assistant.send("resources/list"))


class Model:
    """Repeats what the test gives it, without a citation, and remembers its prompts."""

    name, is_search = "model", False

    def __init__(self, *pieces: str) -> None:
        self.pieces, self.prompts = pieces, list[Any]()

    async def stream(self, prompt: Any) -> Any:
        self.prompts.append(prompt)
        for piece in self.pieces:
            yield piece
        yield Usage()


def ask_model(monkeypatch: pytest.MonkeyPatch, chat: Chat, question: str, *pieces: str) -> tuple[Answer, Model]:
    model = Model(*pieces)
    monkeypatch.setattr(providers, "current", lambda *_: model)
    waiting = AnswerFactory(
        exchange=ExchangeFactory(chat=chat, question=question), state=State.WAITING, text="", ended_at=None
    )
    alone.generate(waiting.uid)
    return Answer.objects.get(pk=waiting.pk), model


@pytest.mark.django_db(transaction=True)
def test_what_a_model_was_told_is_withheld_without_a_citation_and_what_it_repeats_later_too(
    chat: Chat, quiz: Quiz, leo: User, enrollment: Enrollment, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, model = ask_model(monkeypatch, chat, "What is an oxbow, a bend cut off?", "It was severed by the stream.")
    assert any(part.kind == "explanation" for one in model.prompts[0].passages for part in one.parts)
    assert (first.explains, first.citations.filter(lesson=quiz.lesson).exists()) == ([quiz.lesson_id], False)
    Chat.objects.filter(pk=chat.pk).update(course=None)
    later, model = ask_model(monkeypatch, chat, "Tell me more about it", "As I said, it was severed by the stream.")
    assert "severed" in model.prompts[0].history[0].answer
    assert later.explains == [quiz.lesson_id]

    # Or the filter would refuse all that follows: the chat asks what the quiz asks.
    Exchange.objects.filter(pk=first.exchange_id).update(question="What is that lake?")
    attempt = AttemptFactory(enrollment=enrollment, quiz=quiz)
    assert {answer_out(leo, one, timezone.now())["withheld"] for one in (first, later)} == {TAKEN}
    assert set(withheld_answers(leo)) == {first.pk, later.pk}
    during, model = ask_model(monkeypatch, chat, "Say it again", "I don't know.")
    assert "severed" not in repr(model.prompts[0])
    assert (during.explains, answer_out(leo, during, timezone.now())["withheld"]) == ([], "")
    submit(attempt)
    assert withheld_answers(leo) == {}


def interrupted(chat: Chat, quiz: Quiz, state: str = State.INTERRUPTED) -> Answer:
    """An answer that ended in the middle, when nothing was cited yet."""
    found: Answer = AnswerFactory(
        exchange=ExchangeFactory(chat=chat), state=state, text=f"{SECRET} And", provider="model", is_search=False,
        explains=[quiz.lesson_id],
    )  # fmt: skip
    return found


def test_an_interrupted_answer_is_withheld_and_goes_on_after_the_retake(
    browser_of: Any, leo: User, chat: Chat, quiz: Quiz, enrollment: Enrollment, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer, browser = interrupted(chat, quiz), browser_of(leo)
    attempt = AttemptFactory(enrollment=enrollment, quiz=quiz)
    shown = answer_out(leo, answer, timezone.now())
    assert (shown["withheld"], shown["state"]) == (TAKEN, "finished")
    refused = browser.post(f"{API}/answers/{answer.uid}/continue/")
    assert (refused.status_code, refused.json()["code"]) == (409, "AI_ANSWER_WITHHELD")
    assert Answer.objects.get(pk=answer.pk).state == State.INTERRUPTED

    # It went on before the retake began, and is claimed after it.
    Answer.objects.filter(pk=answer.pk).update(state=State.WAITING)
    claimed = generating.claim(answer.uid, timezone.now())
    assert claimed is not None
    with pytest.raises(Exception, match="explains a quiz"):
        preparing.prepare(claimed)

    submit(attempt)
    assert "cut off" in preparing.prepare(claimed).prompt.written
    assert Answer.objects.get(pk=answer.pk).explains == [quiz.lesson_id]


@pytest.mark.django_db(transaction=True)
def test_the_search_withholds_only_what_it_quotes(chat: Chat, quiz: Quiz, rivers: dict[str, Lesson], leo: User) -> None:
    asked = ["Why does a river bend on the outside of a curve?", "What is an oxbow, a bend that was cut off?"]
    answers = [
        AnswerFactory(exchange=ExchangeFactory(chat=chat, question=one), state=State.WAITING, text="", ended_at=None)
        for one in asked
    ]
    for one in answers:
        alone.generate(one.uid)
    found = [Answer.objects.get(pk=one.pk) for one in answers]
    assert [one.explains for one in found] == [[], [quiz.lesson_id]]


@pytest.mark.django_db(transaction=True)
@pytest.mark.database
@pytest.mark.parametrize("state", [State.FINISHED, State.STREAMING, State.INTERRUPTED])
def test_the_socket_replays_nothing_of_it(
    browser_of: Any, leo: User, chat: Chat, quiz: Quiz, enrollment: Enrollment, state: str
) -> None:
    answer = interrupted(chat, quiz, state)
    if state == State.STREAMING:  # by another process
        Answer.objects.filter(pk=answer.pk).update(lease_until=timezone.now() + generating.LEASE)
    AttemptFactory(enrollment=enrollment, quiz=quiz)

    async def story(socket: Any) -> None:
        await socket.send_json_to({"type": "follow", "answer": str(answer.uid), "offset": 0})
        if state == State.STREAMING:
            assert await socket.receive_nothing(1.5)
            return
        message = await socket.receive_json_from(30)
        assert (message["type"], message["answer"]["withheld"]) == ("ended", TAKEN)
        assert "cut off" not in json.dumps(message)

    with_sockets([browser_of(leo)], "/ws/tutor/", story)


@pytest.mark.django_db(transaction=True)
@pytest.mark.database
def test_beginning_a_retake_stops_the_answers_that_explain_its_quiz(leo: User, chat: Chat, quiz: Quiz) -> None:
    explaining = interrupted(chat, quiz, State.STREAMING)
    other = AnswerFactory(exchange=ExchangeFactory(chat=chat), state=State.STREAMING, ended_at=None)
    Attempt.objects.filter(quiz=quiz).update(submitted_at=timezone.now() - timedelta(hours=1))

    learning.open_attempt(user=leo, lesson_uid=quiz.lesson.uid, now=timezone.now())

    explaining.refresh_from_db()
    other.refresh_from_db()
    assert (explaining.state, other.state) == (State.STOPPED, State.STREAMING)
    assert answer_out(leo, explaining, timezone.now())["withheld"] == TAKEN


def test_few_queries_tell_what_is_withheld(
    browser_of: Any, leo: User, chat: Chat, quiz: Quiz, retake: Attempt, django_assert_max_num_queries: Any
) -> None:
    for _number in range(10):
        interrupted(chat, quiz)
    browser = browser_of(leo)
    browser.get("/chat/")
    with django_assert_max_num_queries(19):
        shown = browser.get(f"{API}/chats/{chat.uid}/").json()
    assert {one["answers"][0]["withheld"] for one in shown["exchanges"]} == {TAKEN}
    with django_assert_max_num_queries(19):
        body_of(browser.get(f"{API}/chats/{chat.uid}/export/"))


def test_a_question_of_the_same_chat_is_told_nothing_of_it(answer: Answer, retake: Attempt) -> None:
    waiting = AnswerFactory(
        exchange=ExchangeFactory(chat=answer.exchange.chat, key=uuid4()), state=State.WAITING, text="", ended_at=None
    )
    claimed = generating.claim(waiting.uid, timezone.now())
    assert claimed is not None
    assert "cut off" not in repr(preparing.prepare(claimed).prompt.history)
