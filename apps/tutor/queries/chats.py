"""Chats of a user."""

from uuid import UUID

from apps.accounts.models import User
from apps.tutor import policies
from apps.tutor.errors import ChatNotFound
from apps.tutor.models import Answer, Chat, Exchange
from studyplatform.kit.policies import enforce


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
    exchange = Exchange.objects.select_related("chat", "lesson").filter(uid=uid).first()
    if exchange is None:
        raise ChatNotFound
    enforce(policies.use_chat(user, exchange.chat))
    return exchange


def answer_of(user: User, uid: UUID) -> Answer:
    """Return an answer in a chat of the user.

    :raises ChatNotFound: there is none, or the chat was deleted or is somebody else's.
    """
    answer = Answer.objects.select_related("exchange__chat").filter(uid=uid).first()
    if answer is None:
        raise ChatNotFound
    enforce(policies.use_chat(user, answer.exchange.chat))
    return answer
