"""Factories of chats with the tutor."""

from uuid import uuid4

from factory.declarations import LazyAttribute, LazyFunction, SelfAttribute, Sequence, SubFactory
from factory.django import DjangoModelFactory

from apps.tutor.models import Answer, Chat, Citation, Exchange
from tests.factories.accounts import UserFactory
from tests.factories.courses import THEN, LessonFactory


class ChatFactory(DjangoModelFactory[Chat]):
    class Meta:
        model = Chat

    user = SubFactory(UserFactory)
    title = Sequence(lambda n: f"Question {n}")
    created_at = THEN
    changed_at = THEN


class ExchangeFactory(DjangoModelFactory[Exchange]):
    class Meta:
        model = Exchange

    chat = SubFactory(ChatFactory)
    user = SelfAttribute("chat.user")
    key = LazyFunction(uuid4)
    position = LazyAttribute(lambda exchange: exchange.chat.exchanges.count() + 1)
    question = Sequence(lambda n: f"Why does river {n} bend?")
    created_at = THEN


class AnswerFactory(DjangoModelFactory[Answer]):
    """A finished answer of the search."""

    class Meta:
        model = Answer

    exchange = SubFactory(ExchangeFactory)
    number = LazyAttribute(lambda answer: answer.exchange.answers.count() + 1)
    state = Answer.State.FINISHED
    text = "> Water on the outside of a curve flows faster. [1]"
    provider = "search"
    created_at = THEN
    ended_at = THEN


class CitationFactory(DjangoModelFactory[Citation]):
    class Meta:
        model = Citation

    answer = SubFactory(AnswerFactory)
    number = LazyAttribute(lambda citation: citation.answer.citations.count() + 1)
    passage_uid = LazyFunction(uuid4)
    lesson = SubFactory(LessonFactory)
    course = SelfAttribute("lesson.course")
    text = "Water on the outside of a curve flows faster."
