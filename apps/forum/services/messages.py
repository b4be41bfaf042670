"""Writing, reading, blocking and reporting messages between a learner and the instructor of a course."""

import uuid
from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db import transaction

from apps.accounts import services as people
from apps.accounts.models import User
from apps.courses.models import Course
from apps.courses.policies import teachers_of
from apps.files import services as stored
from apps.files.library_queries import file_for
from apps.files.models import File
from apps.forum import errors, text
from apps.forum import message_policies as policies
from apps.forum.message_policies import Side
from apps.forum.models import Conversation, Message, MessageFile
from studyplatform.kit import jobs, sockets
from studyplatform.kit.errors import NotFound
from studyplatform.kit.policies import enforce
from studyplatform.kit.web import rate_limits

MOST_FILES = 5
EXCERPT, QUOTE = 150, 300  # characters
NOTICE_DELAY = timedelta(seconds=30)  # someone who reads it at once needs no notification


def send_message(
    *,
    course: Course,
    learner: User,
    user: User,
    source: str,
    files: Sequence[File] = (),
    key: uuid.UUID | None = None,
    now: datetime,
) -> Message:
    """Send a message from the learner to the instructor of the course, or from the instructor to the learner.

    The first message begins the conversation. ``source`` is Markdown of up to `text.MOST` characters. ``key`` names the
    form that was sent: a second message of the same author with the same key is not written, and the first is returned.

    :raises MessageEmpty: there is neither a text nor a file.
    :raises MessageTooLong: the text is too long.
    :raises TooManyAttachments: there are more than `MOST_FILES`.
    :raises AppError: the user may not write here (`message_policies.write_message`), or a file cannot be attached.
    :raises RateLimitExceeded: too many messages by this user, in all conversations or in this one.
    """
    source = check_message(source, has_files=bool(files))
    if len(files) > MOST_FILES:
        raise errors.TooManyAttachments(most=MOST_FILES)
    enforce(policies.write_message(user, course, learner))
    is_by_learner = user.pk == learner.pk
    html = text.render_message(source, is_trusted=not is_by_learner)
    with transaction.atomic():
        conversation = _locked(course, learner, user, now)
        done = Message.objects.filter(key=key, conversation=conversation, author=user).first() if key else None
        if done is not None:
            return done
        enforce(policies.write_message(user, course, learner))  # again, as a block waits for the lock
        rate_limits.consume("message", str(user.pk), now=now)
        rate_limits.consume("message-conversation", f"{user.pk} in {conversation.pk}", now=now)
        message = Message.objects.create(
            **({"key": key} if key and not Message.objects.filter(key=key).exists() else {}),
            conversation=conversation,
            number=conversation.last_number + 1,
            author=user,
            is_by_learner=is_by_learner,
            source=source,
            html=html,
            created_at=now,
        )
        names = _attach(message, files, user)
        _count(conversation, message, text.excerpt(source, EXCERPT) or ", ".join(names)[:EXCERPT])
        sockets.wake("messages")
    return message


def write_of_bulk_message(
    *, course: Course, learner: User, user: User, source: str, key: uuid.UUID, now: datetime
) -> Message:
    """Write one message of a bulk message, in the learner's conversation and the caller's transaction. Idempotent by
    its key.

    The rate limits have counted the bulk message as a whole.

    :raises AppError: the user may not write here, or the text is too long with what was filled in.
    """
    source = check_message(source, has_files=False)
    times = {"created_at": now, "last_message_at": now, "changed_at": now}
    conversation, _is_new = Conversation.objects.select_for_update().get_or_create(
        course=course, learner=learner, defaults=times
    )
    done = Message.objects.filter(key=key).first()
    if done is not None:
        return done
    enforce(policies.write_message(user, course, learner))
    message = Message.objects.create(
        key=key,
        conversation=conversation,
        number=conversation.last_number + 1,
        author=user,
        is_by_learner=False,
        source=source,
        html=text.render_message(source, is_trusted=True),
        created_at=now,
    )
    _count(conversation, message, text.excerpt(source, EXCERPT))
    return message


def files_to_attach(user: User, uids: Sequence[uuid.UUID]) -> list[File]:
    """The user's files with these uids, each once.

    :raises TooManyAttachments: there are more than `MOST_FILES`.
    :raises AttachmentGone: one does not exist, or belongs to another user.
    """
    chosen = list(dict.fromkeys(uids))
    if len(chosen) > MOST_FILES:
        raise errors.TooManyAttachments(most=MOST_FILES)
    try:
        return [file_for(user, one) for one in chosen]
    except NotFound:
        raise errors.AttachmentGone from None


def check_message(source: str, *, has_files: bool) -> str:
    """The text as it is stored: empty if it has no visible character.

    :raises MessageEmpty: it is empty, and there is no file.
    :raises MessageTooLong: it has more than `text.MOST` characters.
    """
    if text.length(source) > text.MOST:
        raise errors.MessageTooLong(most=f"{text.MOST:,}", length=f"{text.length(source):,}")
    try:
        return text.check(source)
    except errors.PostEmpty:
        if has_files:
            return ""
        raise errors.MessageEmpty from None


def _locked(course: Course, learner: User, user: User, now: datetime) -> Conversation:
    """The conversation, its row locked; begun if there is none yet."""
    rows = Conversation.objects.select_for_update()
    found = rows.filter(course=course, learner=learner).first()
    if found is not None:
        return found
    rate_limits.consume("conversation", str(user.pk), now=now)
    times = {"created_at": now, "last_message_at": now, "changed_at": now}
    return rows.get_or_create(course=course, learner=learner, defaults=times)[0]


def _attach(message: Message, files: Sequence[File], user: User) -> list[str]:
    """Attach the files, and return their names."""
    names = []
    for position, file in enumerate(dict.fromkeys(files)):
        claimed = stored.claim_content(source=file, by=user)
        MessageFile.objects.create(message=message, upload=claimed.upload, name=claimed.name, position=position)
        names.append(claimed.name)
    return names


def _count(conversation: Conversation, message: Message, excerpt: str) -> None:
    """Bring the conversation up to date, and plan a notification if the recipient had read everything before."""
    conversation.last_number, conversation.last_message_at = message.number, message.created_at
    conversation.last_excerpt, conversation.is_last_by_learner = excerpt, message.is_by_learner
    conversation.changed_at = message.created_at
    if message.is_by_learner:
        conversation.unread_by_instructor += 1
        unread = conversation.unread_by_instructor
    else:
        conversation.unread_by_learner += 1
        unread = conversation.unread_by_learner
    conversation.save()
    if unread == 1:
        jobs.enqueue("forum.notify_of_message", key=str(message.pk), delay=NOTICE_DELAY, message_id=message.pk)


def notify_of_message(*, message_id: int) -> None:
    """Notify the recipient of a message, and of those that followed, unless they have read it or blocked its author."""
    message = Message.objects.select_related("author", "conversation__course__instructor", "conversation__learner")
    row = message.filter(pk=message_id).first()
    if row is None:
        return
    conversation = row.conversation
    to_learner = not row.is_by_learner
    users = [conversation.learner] if to_learner else list(teachers_of(conversation.course))
    read = conversation.read_by_learner if to_learner else conversation.read_by_instructor
    blocking = policies.blocks_with_teachers(conversation.learner, {row.author_id, *(user.pk for user in users)})
    if row.number <= read or (to_learner and conversation.learner_id in blocking):
        return
    people.notify_all(
        "forum.message",
        [user for user in users if user.pk not in blocking],
        link_of(conversation, Side.LEARNER if to_learner else Side.INSTRUCTOR),
        row.uid.hex,
        now=row.created_at,
        author=row.author.display_name,
        course=conversation.course.title,
        words=text.excerpt(row.source, QUOTE) or conversation.last_excerpt,
    )


def link_of(conversation: Conversation, side: Side) -> str:
    """The address of a conversation for one of its two people."""
    place = "/me/messages" if side is Side.LEARNER else "/dashboard/instructor/messages"
    return f"{place}/{conversation.uid}"


def other_in(conversation: Conversation, user: User) -> User:
    """The other person of a conversation."""
    return conversation.course.instructor if user.pk == conversation.learner_id else conversation.learner


def others_in(conversation: Conversation, user: User) -> set[int]:
    """The ids of those on the other side of a conversation. At most one query."""
    if user.pk != conversation.learner_id:
        return {conversation.learner_id}
    return set(teachers_of(conversation.course).values_list("pk", flat=True))
