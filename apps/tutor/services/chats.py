"""Change chats as a whole."""

from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction

from apps.accounts.models import User
from apps.tutor import policies
from apps.tutor.errors import ChatNotFound
from apps.tutor.models import Chat
from apps.tutor.queries.chats import chat_of
from apps.tutor.services.scope import find_scope
from studyplatform.kit import jobs
from studyplatform.kit.policies import enforce

UNDO_TIME = timedelta(days=30)


@transaction.atomic
def rename_chat(*, user: User, uid: UUID, title: str) -> Chat:
    """Give a chat another title.

    :raises ChatNotFound: it isn't a chat of the user.
    :raises ValidationFailed: nothing in the title can be seen.
    """
    chat = chat_of(user, uid)
    chat.title = title
    chat.save(update_fields=["title"])
    return chat


def change_scope(*, user: User, uid: UUID, course: str | None, lesson: str | None) -> Chat:
    """Let the questions that follow be about a lesson, a course, or all courses.

    :raises ChatNotFound: it isn't a chat of the user.
    :raises AppError: the user may not open the course or the lesson.
    """
    chat = chat_of(user, uid)
    scope = find_scope(user, course, lesson)
    chat.course, chat.lesson = scope.course, scope.lesson
    chat.save(update_fields=["course", "lesson"])
    return chat


def delete_chat(*, user: User, uid: UUID, now: datetime) -> None:
    """Delete a chat. For ``UNDO_TIME``, ``restore_chat`` brings it back; then a job erases it.

    :raises ChatNotFound: it isn't a chat of the user, or it was deleted before.
    """
    chat = chat_of(user, uid)
    if Chat.objects.filter(pk=chat.pk, deleted_at=None).update(deleted_at=now):
        jobs.enqueue("tutor.forget_chat", key=f"{chat.pk} {now.timestamp()}", delay=UNDO_TIME, chat_id=chat.pk)


def restore_chat(*, user: User, uid: UUID) -> Chat:
    """Bring back a deleted chat. Idempotent.

    :raises ChatNotFound: it isn't a chat of the user, or it was erased.
    """
    chat = Chat.objects.select_related("course", "lesson").filter(uid=uid).first()
    if chat is None:
        raise ChatNotFound
    enforce(policies.restore_chat(user, chat))
    chat.deleted_at = None
    chat.save(update_fields=["deleted_at"])
    return chat


def forget_chat(*, chat_id: int, now: datetime) -> None:
    """Erase a chat that was deleted :data:`UNDO_TIME` ago and not restored. Idempotent."""
    Chat.objects.filter(pk=chat_id, deleted_at__lte=now - UNDO_TIME).delete()


def delete_chats_of(*, user_id: int) -> None:
    """Erase all chats of a deleted account."""
    Chat.objects.filter(user=user_id).delete()
