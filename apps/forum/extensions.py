"""What the forum adds to pages of others."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.db.models import Count, Exists, IntegerField, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.expressions import CombinedExpression
from django.db.models.functions import Coalesce
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.accounts.models import Role, User
from apps.accounts.policies import AnyUser
from apps.courses.models import Lesson, Right, having_right
from apps.forum.message_policies import Side
from apps.forum.models import Board, Conversation, Post, PostState, Report, Topic
from apps.forum.queries import attention, lessons, messages
from apps.forum.queries.helpful import helpful_answers, still_helpful
from apps.forum.queries.lists import replies_to
from apps.forum.queries.public import sitemap_topics
from apps.forum.queries.teaching import waiting_for_answer
from apps.forum.services import removed_lessons as removed_lessons
from studyplatform.kit.extensions import (
    AnswerSource,
    AttentionItem,
    Discussion,
    LearnerCard,
    Urgency,
    answers,
    attention_sources,
    learner_cards,
    lesson_discussions,
    menu_badges,
    session_counts,
    sitemap_entries,
)
from studyplatform.kit.text.durations import waiting_time
from studyplatform.kit.text.lists import list_names

answers.register("forum", AnswerSource(helpful_answers, still_helpful))
sitemap_entries.register("forum", sitemap_topics, order=60)


@session_counts.registers("messages")
def unread_as_learner() -> Subquery:
    """The unread conversations with instructors."""
    rows = Conversation.objects.filter(learner=OuterRef("user"), unread_by_learner__gt=0)
    return _count(rows.order_by().values("learner"))


@session_counts.registers("teaching_messages")
def unread_as_instructor() -> CombinedExpression:
    """The unread conversations with learners, in own courses and in those that the user teaches with others."""
    rows = Conversation.objects.filter(unread_by_instructor__gt=0).order_by()
    own = rows.filter(course__instructor=OuterRef("user")).values("course__instructor")
    member = "course__co_instructors__"
    joined = rows.filter(having_right(Right.TEACH, member), **{f"{member}user": OuterRef("user")})
    return Coalesce(_count(own), 0) + Coalesce(_count(joined.values(f"{member}user")), 0)


@session_counts.registers("moderation")
def waiting_for_admins() -> Subquery:
    """The posts that wait for an admin: held or reported ones. Nothing is counted for other users."""
    admin = User.objects.filter(pk=OuterRef(OuterRef("user")), role=Role.ADMIN)
    reported = Report.objects.filter(post=OuterRef("pk"), state=Report.State.OPEN)
    held = Q(state=PostState.HELD) & ~Q(topic__state=PostState.DELETED)
    posts = Post.objects.filter(Exists(admin)).filter(held | (Exists(reported) & ~Q(state=PostState.DELETED)))
    return Subquery(posts.order_by().annotate(one=Value(1)).values("one").annotate(count=Count("*")).values("count"))


@session_counts.registers("teaching_questions")
def unanswered_on_own_boards() -> CombinedExpression:
    """The questions without an answer on the boards of the courses that the user teaches, alone or with others."""
    user = OuterRef(OuterRef("user"))
    member = "course__co_instructors__"
    joined = Board.objects.filter(having_right(Right.TEACH, member), **{f"{member}user": user})
    return _unanswered(Board.objects.filter(course__instructor=user)) + _unanswered(joined)


def _unanswered(boards: QuerySet[Board]) -> Coalesce:
    topics = Topic.objects.filter(waiting_for_answer(OuterRef("user")), board__in=boards.values("pk"))
    counts = topics.order_by().annotate(one=Value(1)).values("one").annotate(count=Count("*")).values("count")
    return Coalesce(Subquery(counts, output_field=IntegerField()), 0)


@menu_badges.registers("teaching_questions")
def open_questions(request: HttpRequest) -> int:
    """How many questions on an instructor's boards nobody has answered. It came with the session: no query."""
    row = getattr(request.session, "row", None)
    return (getattr(row, "count_teaching_questions", 0) or 0) if row is not None else 0


@menu_badges.registers("moderation")
def waiting_posts(request: HttpRequest) -> int:
    """How many posts and reviews of courses wait for an admin. It came with the session: no query."""
    row = getattr(request.session, "row", None)
    return sum(getattr(row, f"count_{name}", 0) or 0 for name in ("moderation", "reported_ratings"))


def _count(rows: QuerySet[Conversation, Any]) -> Subquery:
    return Subquery(rows.annotate(count=Count("*")).values("count"), output_field=IntegerField())


@menu_badges.registers("messages")
def unread_messages(request: HttpRequest) -> int:
    """How many conversations with instructors are unread. It came with the session: no query."""
    return _badge(request, "count_messages", Side.LEARNER)


@menu_badges.registers("teaching_messages")
def unread_teaching_messages(request: HttpRequest) -> int:
    """How many conversations with learners are unread. It came with the session: no query."""
    return _badge(request, "count_teaching_messages", Side.INSTRUCTOR)


def _badge(request: HttpRequest, name: str, side: Side) -> int:
    user = request.user
    if not isinstance(user, User):
        return 0
    row = getattr(request.session, "row", None)
    if row is not None and row.user_id == user.pk:
        return getattr(row, name) or 0
    return messages.unread_count(user, side)


@lesson_discussions.registers("forum")
def discussion_of(lesson: Lesson, user: AnyUser) -> Discussion | None:
    """The questions about the lessons of a course, as one of its lessons shows them. One query, none for visitors."""
    return lessons.discussion_of(lesson, user)


@learner_cards.registers("replies", order=40)
def replies_to_learner(user: User, now: datetime) -> LearnerCard | None:
    """The replies of the last weeks in the user's topics. One query."""
    topics = replies_to(user, now=now)
    return LearnerCard(template="forum/_replies_card.html", card={"topics": topics}) if topics else None


@attention_sources.registers("forum", order=40)
def waiting_discussions(user: User, now: datetime) -> Iterator[AttentionItem]:
    """Reported posts and unanswered questions on the boards of an instructor, and unread messages. Three queries."""
    reported = attention.reported_for(user)
    if reported.count:
        title = ngettext("%(num)d reported post", "%(num)d reported posts", reported.count) % {"num": reported.count}
        yield AttentionItem(
            urgency=Urgency.BROKEN,
            icon="flag",
            title=title,
            text=_("Somebody says that a rule was broken."),
            action=_("Decide"),
            address=f"{reverse('forum:teaching')}?tab=reported",
            count=reported.count,
            since=reported.oldest,
        )
    asked = attention.unanswered_for(user)
    if asked.count:
        title = ngettext("%(num)d unanswered question", "%(num)d unanswered questions", asked.count)
        yield AttentionItem(
            urgency=Urgency.WAITING,
            icon="message-circle-question-mark",
            title=title % {"num": asked.count},
            text=_oldest_of(asked, now),
            action=_("Answer"),
            address=f"{reverse('forum:teaching')}?tab=unanswered",
            count=asked.count,
            since=asked.oldest,
        )
    unread = attention.unread_for(user)
    if unread.count:
        title = ngettext("%(num)d unread message", "%(num)d unread messages", unread.count) % {"num": unread.count}
        yield AttentionItem(
            urgency=Urgency.WAITING,
            icon="mail",
            title=title,
            text=_("From %(names)s.") % {"names": list_names(unread.names, more=unread.people - len(unread.names))},
            action=_("Read"),
            address=reverse("forum:teaching-messages"),
            count=unread.count,
            since=unread.oldest,
        )


def _oldest_of(asked: attention.Asked, now: datetime) -> str:
    if asked.oldest is None:
        return ""
    said = {"time": waiting_time((now - asked.oldest).total_seconds()), "course": asked.board}
    if asked.count == 1:
        return _("It has been waiting for %(time)s, in %(course)s.") % said
    return _("The oldest has been waiting for %(time)s, in %(course)s.") % said
