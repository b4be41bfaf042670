"""Conversations, messages and announcements as their people read them."""

import re
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Exists, OuterRef, Prefetch, Q, QuerySet, Subquery
from markupsafe import Markup, escape

from apps.accounts.models import User
from apps.accounts.policies import AnyUser
from apps.accounts.queries.names import name_contains, words_of_name
from apps.courses.models import CoInstructor, Course, Right, having_right
from apps.forum import message_policies as policies
from apps.forum.message_policies import Side
from apps.forum.models import (
    Conversation,
    Message,
    MessageFile,
    MessageReport,
)
from studyplatform.kit.errors import NotFound
from studyplatform.kit.policies import enforce
from studyplatform.kit.text.folding import fold
from studyplatform.kit.web.requests import moment_in

PIECE = 20  # conversations
THREAD = 30  # messages
AROUND = 10  # messages before one that was searched for
MOST_FILES = 12  # offered for attaching
MOST_LEARNERS = 20  # offered for a new conversation
MAX_NAME_WORDS = 5
CO_TEACHERS = Prefetch(
    "course__co_instructors", queryset=CoInstructor.objects.having(Right.TEACH), to_attr="present_teachers"
)
SNIPPET = 60  # characters on each side of what was searched for


@dataclass(frozen=True)
class Line:
    """A conversation in the list of one of its people. ``words``: its newest message, or the one that was found."""

    conversation: Conversation
    other: User
    unread: int
    words: Markup
    is_mine: bool
    at: datetime
    number: int | None
    """Of the message that was found; None for the newest."""


@dataclass(frozen=True)
class Piece:
    """A part of a list. ``next``: the cursor of the next part, empty at the end."""

    lines: Sequence[Any]
    next: str


def conversations(user: User, side: Side, *, only_unread: bool = False, text: str = "", cursor: str = "") -> Piece:
    """The user's conversations on one side, the newest first, `PIECE` at a time. One query.

    ``text`` is searched in their messages, in the names of the other people and in the titles of the courses. A
    ``cursor`` that this function did not give begins at the start.
    """
    rows = _of(user, side).select_related("course__instructor", "learner")
    if only_unread:
        rows = rows.filter(**{f"unread_by_{side.value}__gt": 0})
    if text.strip():
        rows = _searched(rows, side, text)
    place = _place(cursor)
    if place is not None:
        rows = rows.filter(Q(last_message_at__lt=place[0]) | Q(last_message_at=place[0], pk__lt=place[1]))
    found = list(rows.order_by("-last_message_at", "-pk")[: PIECE + 1])
    last = found[PIECE - 1] if len(found) > PIECE else None
    return Piece(
        [_line(row, user, side, text) for row in found[:PIECE]],
        f"{last.last_message_at.isoformat()}_{last.pk}" if last else "",
    )


def _of(user: User, side: Side) -> QuerySet[Conversation]:
    rows = Conversation.objects
    return rows.as_learner(user.pk) if side is Side.LEARNER else rows.as_instructor(user.pk)


def _searched(rows: QuerySet[Conversation], side: Side, text: str) -> QuerySet[Conversation]:
    matching = Message.objects.filter(conversation=OuterRef("pk"), source__folded_contains=text).order_by("-number")
    who = "course__instructor" if side is Side.LEARNER else "learner"
    person = Q(**{f"{who}__deleted_at": None})
    for word in words_of_name(text, most=MAX_NAME_WORDS):
        person &= name_contains(word, f"{who}__")
    rows = rows.filter(Q(Exists(matching)) | Q(course__title__folded_contains=text) | person)
    fields = ("number", "source", "is_by_learner", "created_at")
    return rows.annotate(**{f"found_{name}": Subquery(matching.values(name)[:1]) for name in fields})


def _place(cursor: str) -> tuple[datetime, int] | None:
    found = re.fullmatch(r"([\d:.T+-]{20,40})_(\d{1,18})", cursor)
    if found is None:
        return None
    at = moment_in(found[1])
    return (at, int(found[2])) if at is not None else None


def _line(row: Conversation, user: User, side: Side, text: str) -> Line:
    number = getattr(row, "found_number", None)
    is_by_learner = row.is_last_by_learner if number is None else row.found_is_by_learner  # type: ignore[attr-defined]
    return Line(
        conversation=row,
        other=row.course.instructor if side is Side.LEARNER else row.learner,
        unread=row.unread_by_learner if side is Side.LEARNER else row.unread_by_instructor,
        words=escape(row.last_excerpt) if number is None else _snippet(row.found_source, text),  # type: ignore[attr-defined]
        is_mine=is_by_learner == (side is Side.LEARNER),
        at=row.last_message_at if number is None else row.found_created_at,  # type: ignore[attr-defined]
        number=number,
    )


def _snippet(source: str, text: str) -> Markup:
    """What surrounds the text in a message, with the text marked."""
    source = " ".join(source.split())
    # Folding may change the length, so each folded character remembers the place of its character.
    folded = [(part, place) for place, char in enumerate(source) for part in fold(char)]
    wanted = fold(" ".join(text.split()))
    found = "".join(part for part, _place in folded).find(wanted)
    if found < 0 or not wanted:
        return escape(source[: 2 * SNIPPET])
    start, end = folded[found][1], folded[found + len(wanted) - 1][1] + 1
    before, after = source[max(0, start - SNIPPET) : start], source[end : end + SNIPPET]
    lead, trail = "…" if start > SNIPPET else "", "…" if end + SNIPPET < len(source) else ""
    return Markup("{}{}<mark>{}</mark>{}{}").format(lead, before, source[start:end], after, trail)


def unread_count(user: User, side: Side) -> int:
    """How many conversations on this side the user has not read to the end."""
    return _of(user, side).filter(**{f"unread_by_{side.value}__gt": 0}).count()


def unread_counts(user_ids: set[int]) -> dict[int, tuple[int, int]]:
    """For each user, how many conversations are unread: with instructors, and with learners. Three queries."""
    found: dict[int, list[int]] = {pk: [0, 0] for pk in user_ids}
    unread = Conversation.objects.order_by()
    learning, teaching = unread.filter(unread_by_learner__gt=0), unread.filter(unread_by_instructor__gt=0)
    with_them = having_right(Right.TEACH, "course__co_instructors__")
    for place, rows, who in [
        (0, learning.filter(learner__in=user_ids), "learner"),
        (1, teaching.filter(course__instructor__in=user_ids), "course__instructor"),
        (1, teaching.filter(with_them, course__co_instructors__user__in=user_ids), "course__co_instructors__user"),
    ]:
        for pk, count in rows.values_list(who).annotate(count=Count("pk")):
            found[pk][place] += count
    return {pk: (learning, teaching) for pk, (learning, teaching) in found.items()}


def changed_conversations(user_ids: set[int], since: datetime) -> list[Conversation]:
    """Conversations of these users in which something was written or read after this moment. At most two queries."""
    co_taught = CoInstructor.objects.having(Right.TEACH).filter(user__in=user_ids).values("course")
    mine = Q(learner__in=user_ids) | Q(course__instructor__in=user_ids) | Q(course__in=co_taught)
    rows = Conversation.objects.filter(mine, changed_at__gte=since).select_related("course")
    return list(rows.prefetch_related(CO_TEACHERS))


def people_in(row: Conversation) -> set[int]:
    """The ids of those who read a conversation: the learner, and those who teach the course. From `CO_TEACHERS`."""
    return {row.learner_id, row.course.instructor_id, *(each.user_id for each in row.course.present_teachers)}  # type: ignore[attr-defined]  # prefetched


def conversation_for(user: AnyUser, uid: uuid.UUID) -> Conversation:
    """The conversation, if the user is one of its two people.

    :raises NotFound: it does not exist, or belongs to others.
    """
    row = Conversation.objects.select_related("course__instructor", "learner").filter(uid=uid).first()
    if row is None:
        raise NotFound
    enforce(policies.read_conversation(user, row))
    return row


def conversation_between(course: Course, learner: User) -> Conversation | None:
    """The conversation of a learner with the instructor of a course, if it has begun."""
    return Conversation.objects.filter(course=course, learner=learner).first()


def message_for(user: AnyUser, uid: uuid.UUID) -> Message:
    """A message with its conversation, if the user is one of its two people.

    :raises NotFound: it does not exist, or belongs to others.
    """
    rows = Message.objects.select_related("author", "conversation__course__instructor", "conversation__learner")
    row = rows.filter(uid=uid).first()
    if row is None:
        raise NotFound
    enforce(policies.read_conversation(user, row.conversation))
    return row


def attachment_for(user: AnyUser, uid: uuid.UUID) -> MessageFile:
    """An attached file with its content, if the user is one of the two people of its conversation.

    :raises NotFound: it does not exist, or belongs to others.
    """
    rows = MessageFile.objects.select_related(
        "upload", "message__conversation__course__instructor", "message__conversation__learner"
    )
    row = rows.filter(uid=uid).first()
    if row is None:
        raise NotFound
    enforce(policies.read_conversation(user, row.message.conversation))
    return row


# --- Reports ----------------------------------------------------------------------------------------


def open_reports() -> QuerySet[MessageReport]:
    """Reported messages that no admin has decided about, the oldest first. With each, only the reported message."""
    rows = MessageReport.objects.filter(state=MessageReport.State.OPEN)
    return rows.select_related("reporter", "message__author", "message__conversation__course").order_by(
        "created_at", "pk"
    )
