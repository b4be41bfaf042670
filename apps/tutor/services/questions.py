"""Ask the tutor: begin a chat, ask in it, ask differently, ask again."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from textwrap import shorten
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import Max

from apps.accounts.models import User
from apps.tutor import policies
from apps.tutor.errors import ChatNotFound, ContextTooLong
from apps.tutor.intents import intent_of
from apps.tutor.models import MOST_QUESTION, Answer, Chat, Exchange, Mode
from apps.tutor.queries.chats import chat_of, exchange_of
from apps.tutor.services.limits import count_question
from apps.tutor.services.scope import find_scope
from studyplatform.kit.names import tidy_name
from studyplatform.kit.policies import enforce

TITLE = 80
"""Characters of the first question that name its chat."""
State = Answer.State


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A question as the browser sends it. ``key`` is chosen there: a repeated request is the same question."""

    question: str
    key: UUID
    mode: str = "ask"
    lesson: str | None = None
    second: int | None = None


def start_chat(*, user: User, asked: Asked, course: str | None, now: datetime) -> Exchange:
    """Begin a chat with a question. ``asked.lesson`` and ``course`` are its scope too.

    :raises RateLimitExceeded: the user has asked as often as allowed.
    :raises ContextTooLong: the question has more than ``MOST_QUESTION`` characters.
    :raises TutorTurnedOff: the course has no tutor.
    :raises AppError: the user may not open the course or the lesson.
    """
    enforce(policies.ask(user))
    _require_length(asked.question)
    about = find_scope(user, course, asked.lesson)

    def create() -> Exchange:
        title = _title_of(asked.question)
        chat = Chat.objects.create(
            user=user, title=title, course=about.course, lesson=about.lesson, created_at=now, changed_at=now
        )
        return _add(chat, asked, about.lesson.pk if about.lesson else None, now)

    return _once(user, asked.key, create)


def ask_in_chat(*, user: User, uid: UUID, asked: Asked, now: datetime) -> Exchange:
    """Ask the next question in a chat. An answer that is still being written is stopped.

    :raises ChatNotFound: it isn't a chat of the user.
    :raises RateLimitExceeded: the user has asked as often as allowed.
    :raises ContextTooLong: the question has more than ``MOST_QUESTION`` characters.
    :raises TutorTurnedOff: the course has no tutor.
    :raises AppError: the user may not open the lesson.
    """
    _require_length(asked.question)
    chat = chat_of(user, uid)
    lesson = chat.lesson
    enforce(policies.ask_about(chat.course))
    if asked.lesson:
        lesson = find_scope(user, chat.course.slug if chat.course else None, asked.lesson).lesson

    def create() -> Exchange:
        locked = _lock(chat)
        _stop_all(locked, now)
        return _add(locked, asked, lesson.pk if lesson else None, now)

    return _once(user, asked.key, create)


def edit_question(*, user: User, uid: UUID, question: str, key: UUID, now: datetime) -> Exchange:
    """Ask a question differently. Its answers, and the exchanges after it, are removed. Idempotent for the same key.

    :raises ChatNotFound: it isn't an exchange of the user.
    :raises RateLimitExceeded: the user has asked as often as allowed.
    :raises ContextTooLong: the question has more than ``MOST_QUESTION`` characters.
    :raises TutorTurnedOff: the course has no tutor.
    """
    _require_length(question)
    exchange = exchange_of(user, uid)
    enforce(policies.ask_about(exchange.asked_about))
    with transaction.atomic():
        chat = _lock(exchange.chat)
        locked = Exchange.objects.filter(pk=exchange.pk).first()
        if locked is None:
            raise ChatNotFound
        if locked.key == key:
            return locked
        if Exchange.objects.filter(user=user, key=key).exists():
            raise ChatNotFound
        count_question(user=user, course_id=chat.course_id, now=now)
        chat.exchanges.filter(position__gt=locked.position).delete()
        locked.answers.all().delete()
        locked.question, locked.key = question, key
        locked.save(update_fields=["question", "key"])
        if locked.position == 1 and chat.title == (shorten(exchange.question, TITLE, placeholder="…")):
            chat.title = _title_of(question)
        _add_answer(chat, locked, 1, now)
    return locked


def _require_length(question: str) -> None:
    if len(question) > MOST_QUESTION:
        raise ContextTooLong


def ask_again(*, user: User, uid: UUID, now: datetime) -> Answer:
    """Ask for another answer. While one is being written, it is returned instead.

    :raises ChatNotFound: it isn't an exchange of the user.
    :raises RateLimitExceeded: the user has asked as often as allowed.
    :raises TutorTurnedOff: the course has no tutor.
    """
    exchange = exchange_of(user, uid)
    enforce(policies.ask_about(exchange.asked_about))
    with transaction.atomic():
        chat = _lock(exchange.chat)
        last = Answer.objects.filter(exchange=exchange).order_by("-number").first()
        if last is not None and last.state_at(now) in {State.WAITING, State.STREAMING}:
            return last
        if not Exchange.objects.filter(pk=exchange.pk).exists():
            raise ChatNotFound
        count_question(user=user, course_id=chat.course_id, now=now)
        _stop_all(chat, now)
        return _add_answer(chat, exchange, last.number + 1 if last else 1, now)


def _once(user: User, key: UUID, create: Callable[[], Exchange]) -> Exchange:
    """Create the exchange, unless there is one with this key.

    :raises ChatNotFound: its chat was deleted.
    """
    found = Exchange.objects.select_related("chat").filter(user=user, key=key).first()
    if found is None:
        try:
            with transaction.atomic():
                return create()
        except IntegrityError:  # a parallel request was faster
            found = Exchange.objects.select_related("chat").filter(user=user, key=key).first()
            if found is None:
                raise
    enforce(policies.use_chat(user, found.chat))
    return found


def _lock(chat: Chat) -> Chat:
    locked = Chat.objects.select_for_update().filter(pk=chat.pk, deleted_at=None).first()
    if locked is None:
        raise ChatNotFound
    return locked


def _add(chat: Chat, asked: Asked, lesson_id: int | None, now: datetime) -> Exchange:
    count_question(user=chat.user, course_id=chat.course_id, now=now)
    last = chat.exchanges.aggregate(last=Max("position"))["last"] or 0
    exchange = Exchange.objects.create(
        chat=chat,
        user_id=chat.user_id,
        key=asked.key,
        position=last + 1,
        question=asked.question,
        mode=_mode_of(asked),
        lesson_id=lesson_id,
        second=asked.second,
        created_at=now,
    )
    _add_answer(chat, exchange, 1, now)
    return exchange


def _mode_of(asked: Asked) -> str:
    """The mode of a message: "test me", written as a question, is a request for a quiz."""
    intent = intent_of(asked.question) if asked.mode == Mode.ASK else None
    return Mode(intent).value if intent in {"summary", "quiz", "cards", "plan"} else asked.mode


def _add_answer(chat: Chat, exchange: Exchange, number: int, now: datetime) -> Answer:
    chat.changed_at = now
    chat.save(update_fields=["changed_at", "title"])
    return Answer.objects.create(exchange=exchange, number=number, created_at=now)


def _stop_all(chat: Chat, now: datetime) -> None:
    """Stop the answers that are being written in the chat: the learner has gone on."""
    open_ = Answer.objects.filter(exchange__chat=chat, state__in=[State.WAITING, State.STREAMING])
    open_.update(state=State.STOPPED, ended_at=now, lease_until=None)


def _title_of(question: str) -> str:
    """The title of the chat that a question begins."""
    name = tidy_name(question)
    return shorten(name, TITLE, placeholder="…") or name[:TITLE] or "…"
