"""Chats of a user."""

import re
from datetime import UTC, datetime, timedelta
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, UUIDField
from django.utils.translation import gettext_lazy as _

from apps.accounts.models import User
from apps.tutor import policies
from apps.tutor.errors import ChatNotFound
from apps.tutor.models import Answer, Chat, Exchange
from studyplatform.kit.db.prepared_queries import Param, PreparedQuery
from studyplatform.kit.errors import ValidationFailed
from studyplatform.kit.policies import enforce

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_ANSWER = PreparedQuery(lambda: Answer.objects.select_related("exchange__chat").filter(uid=Param("uid", UUIDField())))
_CURSOR = re.compile(r"(\d{1,11})\.(\d{6})_(\d{1,18})")


def chat_of(user: User, uid: UUID) -> Chat:
    """Return a chat of the user with its course and lesson.

    :raises ChatNotFound: there is none, it was deleted, or it is somebody else's.
    """
    chat = Chat.objects.select_related("course", "lesson").filter(uid=uid).first()
    if chat is None:
        raise ChatNotFound
    enforce(policies.use_chat(user, chat))
    return chat


def exchange_of(user: User, uid: UUID) -> Exchange:
    """Return an exchange of a chat of the user.

    :raises ChatNotFound: there is none, or the chat was deleted or is somebody else's.
    """
    exchange = Exchange.objects.select_related("chat__course", "lesson__course").filter(uid=uid).first()
    if exchange is None:
        raise ChatNotFound
    enforce(policies.use_chat(user, exchange.chat))
    return exchange


def answer_of(user: User, uid: UUID) -> Answer:
    """Return an answer in a chat of the user.

    :raises ChatNotFound: there is none, or the chat was deleted or is somebody else's.
    """
    answer = _ANSWER.first(uid=uid)
    if answer is None:
        raise ChatNotFound
    enforce(policies.use_chat(user, answer.exchange.chat))
    return answer


def list_chats(user: User, *, search: str = "", cursor: str = "", size: int = 30) -> tuple[list[Chat], str | None]:
    """Return the user's chats, the last changed first, and the cursor of the next ones.

    ``search`` is looked for in titles and questions.

    :raises ValidationFailed: the cursor is none.
    """
    chats = Chat.objects.of(user.pk).select_related("course", "lesson").order_by("-changed_at", "-pk")
    if search:
        asked = Exchange.objects.filter(chat=OuterRef("pk"), question__folded_contains=search)
        chats = chats.filter(Q(title__folded_contains=search) | Exists(asked))
    if cursor:
        moment, pk = _read_cursor(cursor)
        chats = chats.filter(Q(changed_at__lt=moment) | Q(changed_at=moment, pk__lt=pk))
    rows = list(chats[: size + 1])
    last = rows[size - 1] if len(rows) > size else None
    return rows[:size], _cursor_after(last) if last else None


def _cursor_after(chat: Chat) -> str:
    passed = chat.changed_at - EPOCH
    return f"{passed // timedelta(seconds=1)}.{passed.microseconds:06}_{chat.pk}"


def _read_cursor(cursor: str) -> tuple[datetime, int]:
    match = _CURSOR.fullmatch(cursor)
    if match is None:
        raise ValidationFailed(in_fields={"cursor": [{"code": "invalid", "message": str(_("Load the list again."))}]})
    return EPOCH + timedelta(seconds=int(match[1]), microseconds=int(match[2])), int(match[3])


def exchanges_of(chat: Chat, *, before: int | None = None, size: int = 20) -> tuple[list[Exchange], bool]:
    """Return the last exchanges before a position, in their order, and whether there are earlier ones."""
    rows = chat.exchanges.select_related("lesson").order_by("-position")
    if before is not None:
        rows = rows.filter(position__lt=before)
    found = list(rows[: size + 1])
    return found[:size][::-1], len(found) > size
