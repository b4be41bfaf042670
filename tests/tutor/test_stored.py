"""What is stored of chats, when rights change meanwhile, and what counts although it is gone."""

from typing import Any
from unittest.mock import patch

import pytest
from django.utils import timezone

from apps.accounts.models import User
from apps.courses.models import Course, Lesson
from apps.learning.models import Enrollment
from apps.tutor import filters, grounding, services
from apps.tutor.models import Answer, Chat, Exchange, UsageDay
from apps.tutor.providers import Prompt, Usage
from apps.tutor.queries.shapes import answer_out, exchanges_out
from apps.tutor.services import generating, preparing
from apps.tutor.services.indexing import index_course
from tests.factories.files import CaptionFactory, VideoFactory
from tests.factories.learning import AttemptFactory, EnrollmentFactory
from tests.factories.tokens import make_token
from tests.factories.tutor import AnswerFactory, ChatFactory, CitationFactory, ExchangeFactory
from tests.tutor.client import Assistant

pytestmark = pytest.mark.django_db
State = Answer.State


@pytest.fixture
def chat(leo: User, course: Course, enrollment: Enrollment) -> Chat:
    return ChatFactory(user=leo, course=course)


def explained(chat: Chat, lesson: Lesson) -> Answer:
    """An answer that quoted a passage of a lesson."""
    explains = [lesson.pk] if lesson.kind == Lesson.Kind.QUIZ else []
    answer: Answer = AnswerFactory(exchange=ExchangeFactory(chat=chat, question="What is an oxbow?"), explains=explains)
    CitationFactory(answer=answer, lesson=lesson, text="An oxbow is a bend that the river has cut off.")
    return answer


def prepared(chat: Chat, mode: str = "ask", **about: Any) -> Prompt:
    """What the provider gets for a new question."""
    exchange = ExchangeFactory(chat=chat, mode=mode, **about)
    waiting = AnswerFactory(exchange=exchange, state=State.WAITING, text="", ended_at=None)
    claimed = generating.claim(waiting.uid, timezone.now())
    assert claimed is not None
    with patch.object(filters, "check"):  # also of a question that is refused before anybody is asked
        return preparing.prepare(claimed).prompt


def test_an_explanation_is_neither_shown_nor_told_while_another_attempt_is_open(
    chat: Chat, rivers: dict[str, Lesson], enrollment: Enrollment, leo: User
) -> None:
    AttemptFactory(enrollment=enrollment, quiz=rivers["check"].quiz, submitted_at=timezone.now(), is_passed=True)
    answer = explained(chat, rivers["check"])
    assert answer_out(leo, answer, timezone.now())["citations"][0]["text"]
    assert prepared(chat).history[0].answer

    AttemptFactory(enrollment=enrollment, quiz=rivers["check"].quiz)
    shown = answer_out(leo, answer, timezone.now())
    assert (shown["citations"], shown["text"]) == ([], "")
    assert prepared(chat).history[0].answer == ""


def test_passages_of_a_lesson_that_closed_are_neither_shown_nor_told(
    chat: Chat, rivers: dict[str, Lesson], enrollment: Enrollment, leo: User
) -> None:
    answer = explained(chat, rivers["meanders"])
    assert prepared(chat).history[0].answer
    enrollment.delete()
    assert answer_out(leo, answer, timezone.now())["citations"][0]["text"] == ""
    assert prepared(chat).history[0].answer == ""


def test_what_was_said_in_a_lesson_is_told_only_while_it_is_open(
    chat: Chat, rivers: dict[str, Lesson], enrollment: Enrollment
) -> None:
    lesson = rivers["meanders"]
    lesson.kind, lesson.video = Lesson.Kind.VIDEO, VideoFactory()
    lesson.save()
    CaptionFactory(video=lesson.video, webvtt="WEBVTT\n\n00:10.000 --> 00:12.000\nSee how it bends.\n")

    assert "how it bends" in prepared(chat, "explain", lesson=lesson, second=11).transcript
    enrollment.delete()
    assert prepared(chat, "explain", lesson=lesson, second=11).transcript == ""


def test_refused_questions_are_not_told_to_the_model(chat: Chat, rivers: dict[str, Lesson]) -> None:
    AnswerFactory(exchange=ExchangeFactory(chat=chat, question="What is an oxbow?"), kind=Answer.Kind.FILTERED)
    assert prepared(chat).history == ()


def test_tokens_count_although_the_answer_is_gone(chat: Chat, leo: User, course: Course) -> None:
    waiting = AnswerFactory(exchange=ExchangeFactory(chat=chat), state=State.WAITING, text="", ended_at=None)
    claimed = generating.claim(waiting.uid, timezone.now())
    assert claimed is not None
    chat.course = None
    chat.save()  # another scope, and a question that is edited: neither changes what this answer costs the course
    Exchange.objects.filter(pk=waiting.exchange_id).delete()
    now = timezone.now()
    assert not generating.end(claimed, "Wat", state=State.STOPPED, error_code="", usage=Usage(9, 3, 120), now=now)
    assert UsageDay.objects.get(user=leo, course=course).cost_micros == 120


def test_to_continue_a_stopped_answer_counts_as_a_question(chat: Chat, leo: User) -> None:
    answer: Answer = AnswerFactory(exchange=ExchangeFactory(chat=chat), state=State.STOPPED)
    services.continue_answer(user=leo, uid=answer.uid, now=timezone.now())
    assert UsageDay.objects.get(user=leo).questions == 1
    Answer.objects.filter(pk=answer.pk).update(state=State.FAILED)
    services.continue_answer(user=leo, uid=answer.uid, now=timezone.now())
    assert UsageDay.objects.get(user=leo).questions == 1


def test_assistants_get_no_help_with_the_question_of_an_open_attempt(
    rivers: dict[str, Lesson], enrollment: Enrollment, leo: User
) -> None:
    assistant = Assistant(make_token(leo)[1])
    question = rivers["check"].quiz.questions.get()
    question.prompt = "Which bend did the river cut off in the end?"
    question.save()
    AttemptFactory(enrollment=enrollment, quiz=rivers["check"].quiz)
    assert assistant.refusal("ask_tutor", question=question.prompt) == "AI_CONTENT_FILTERED"
    assert not UsageDay.objects.filter(user=leo).exists()


def test_admins_do_not_read_what_learners_ask(chat: Chat, rivers: dict[str, Lesson]) -> None:
    answer = explained(chat, rivers["meanders"])
    shown = " ".join(map(str, [chat, answer, answer.exchange, answer.citations.get()]))
    assert not {"oxbow", "river", "Question"} & set(shown.split())
    assert str(chat.uid) in shown


def test_many_citations_are_checked_in_linear_time(leo: User, course: Course) -> None:
    seen: list[int] = []

    def keep(before: str, numbers: list[int]) -> list[int]:
        seen.append(len(before))
        return numbers

    text = "Water flows. [1] " * 2_000
    grounding._cite(text, keep)
    assert len(seen) == 2_000
    assert max(seen) <= grounding.NEAR


def test_a_model_plans_from_the_progress_and_goal_of_its_learner(
    chat: Chat, rivers: dict[str, Lesson], enrollment: Enrollment, settings: Any
) -> None:
    EnrollmentFactory(user=enrollment.user, course__title="Mountains", percent=40)
    EnrollmentFactory(course__title="Somebody else's")
    assert prepared(chat, "plan").facts == ""  # the search asks for them itself
    settings.TUTOR_URL, settings.TUTOR_MODEL = "http://127.0.0.1:9/v1", "small"
    chat.course = None
    chat.save()
    facts = prepared(chat, "plan").facts
    assert f"Course {enrollment.course.title}: {enrollment.percent} % done; next lesson" in facts
    assert "Goal: 30 min a day" in facts
    assert "Somebody" not in facts
    assert prepared(chat).facts == ""


def test_follow_up_questions_are_about_the_next_headings_of_the_cited_lesson(
    chat: Chat, rivers: dict[str, Lesson], enrollment: Enrollment, leo: User
) -> None:
    lesson = rivers["meanders"]
    names = ("Hills", "Plains", "Coasts")
    lesson.body = "\n\n".join(f"## {name}\n\nWater flows through {name} to the sea." for name in names)
    lesson.save()
    index_course(course_id=lesson.course_id, now=timezone.now())
    older, newer = explained(chat, lesson), explained(chat, lesson)
    newer.citations.update(heading="Plains")
    shown = exchanges_out(leo, chat.exchanges.order_by("position"), timezone.now())
    assert [one["answers"][0]["follow_ups"] for one in shown] == [
        [],
        ["What does “Meanders” say about “Coasts”?", "What does “Meanders” say about “Hills”?"],
    ]
    assert len(answer_out(leo, older, timezone.now())["follow_ups"]) == 3

    enrollment.delete()
    assert answer_out(leo, newer, timezone.now())["follow_ups"] == []
