"""What learning adds to pages of others."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from django.db.models import Count, Exists, IntegerField, OuterRef, QuerySet, Subquery, Value
from django.db.models.expressions import CombinedExpression
from django.db.models.functions import Coalesce
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.accounts.models import Role, User
from apps.billing.extensions import CourseAccess, LearningFigures, course_access, learning_figures, watch_time
from apps.courses.models import Right, having_right
from apps.learning import opening_notes as opening_notes
from apps.learning import services
from apps.learning.analytics import for_templates as for_templates
from apps.learning.analytics.course_figures import find_weak_lessons
from apps.learning.models import EssayAnswer, RatingReport
from apps.learning.queries import attention, figures
from apps.learning.queries import lesson_learners as lesson_learners
from apps.learning.queries import version_effects as version_effects
from apps.learning.queries.addresses import lesson_url
from apps.learning.queries.consumption import consumed_percents, has_opened_lesson
from apps.learning.queries.lessons import public_lessons
from apps.learning.queries.practice import due_today
from studyplatform.kit.extensions import (
    MONTH,
    AttentionItem,
    LearnerCard,
    SitemapEntry,
    Tile,
    Urgency,
    admin_tiles,
    attention_sources,
    learner_cards,
    menu_badges,
    session_counts,
    sitemap_entries,
)
from studyplatform.kit.text.durations import waiting_time

course_access.register(
    "learning",
    CourseAccess(
        open=services.follow_access,
        close=services.revoke_enrollment,
        progress=services.completed_percents,
        consumption=consumed_percents,
        opened=has_opened_lesson,
    ),
)

watch_time.register("learning", figures.watched_days)
learning_figures.register(
    "learning",
    LearningFigures(days=figures.learned_days, visits=figures.lesson_visits, students=figures.count_students),
)


@session_counts.registers("reported_ratings")
def ratings_for_admins() -> Subquery:
    """The reported ratings that wait for an admin. Nothing is counted for other users."""
    admin = User.objects.filter(pk=OuterRef(OuterRef("user")), role=Role.ADMIN)
    reports = RatingReport.objects.filter(Exists(admin), state=RatingReport.State.OPEN, rating__deleted_at=None)
    return Subquery(
        reports.order_by()
        .annotate(one=Value(1))
        .values("one")
        .annotate(count=Count("rating", distinct=True))
        .values("count")
    )


@session_counts.registers("essays")
def essays_to_mark() -> CombinedExpression:
    """The essays that wait for marks in the courses that the user teaches, alone or with others."""
    rows = EssayAnswer.objects.filter(marked_at=None, attempt__enrollment__revoked_at=None)
    course = "attempt__enrollment__course__"
    own = rows.filter(**{f"{course}instructor": OuterRef("user")})
    member = f"{course}co_instructors__"
    joined = rows.filter(having_right(Right.TEACH, member), **{f"{member}user": OuterRef("user")})
    return Coalesce(_counted(own), 0) + Coalesce(_counted(joined), 0)


def _counted(rows: QuerySet[EssayAnswer]) -> Subquery:
    return Subquery(
        rows.order_by().annotate(one=Value(1)).values("one").annotate(count=Count("*")).values("count"),
        output_field=IntegerField(),
    )


@menu_badges.registers("essays")
def waiting_essays(request: HttpRequest) -> int:
    """How many essays an instructor has to mark. It came with the session: no query."""
    row = getattr(request.session, "row", None)
    return (getattr(row, "count_essays", 0) or 0) if row is not None else 0


@sitemap_entries.registers("lessons", order=20)
def preview_lessons() -> Iterator[SitemapEntry]:
    """The lessons that everyone may open. One query."""
    for course, slug, updated_at in public_lessons():
        yield SitemapEntry(lesson_url(course, slug), updated_at)


@admin_tiles.registers("learning", order=10)
def learners_today(user: User, now: datetime) -> Iterator[Tile]:
    """Two queries."""
    enrollments = figures.enrollments_since(now - MONTH)
    foot = ngettext("%(num)d enrollment in 30 days", "%(num)d enrollments in 30 days", enrollments)
    today = figures.learning_since(now - timedelta(days=1))
    yield Tile(_("Learners today"), f"{today:,}", foot % {"num": enrollments})


@attention_sources.registers("learning", order=30)
def waiting_learners(user: User, now: datetime) -> Iterator[AttentionItem]:
    """Essays to mark, and reviews without a reply. Two queries."""
    essays = attention.waiting_essays(user)
    if essays.count:
        title = ngettext("%(num)d essay to mark", "%(num)d essays to mark", essays.count) % {"num": essays.count}
        yield AttentionItem(
            urgency=Urgency.WAITING,
            icon="pen-line",
            title=title,
            text=_oldest_of(essays, now),
            action=_("Mark"),
            address=reverse("learning:marking"),
            count=essays.count,
            since=essays.oldest,
        )
    reviews = attention.waiting_reviews(user, now=now)
    if reviews.count:
        title = ngettext("%(num)d review without a reply", "%(num)d reviews without a reply", reviews.count)
        yield AttentionItem(
            urgency=Urgency.OPEN,
            icon="star",
            title=title % {"num": reviews.count},
            text=_oldest_of(reviews, now),
            action=_("See reviews"),
            address=f"{reverse('learning:reviews', args=[reviews.slug])}?sort=newest",
            count=reviews.count,
            since=reviews.oldest,
        )


@attention_sources.registers("weak-lessons", order=60)
def weak_lessons(user: User, now: datetime) -> Iterator[AttentionItem]:
    """The lesson that stops the largest share of learners, if it is weak (`analytics.health`). One query."""
    for lesson, weak in find_weak_lessons(user)[:1]:
        said = {"num": weak.stuck, "percent": round(100 * weak.share), "course": lesson.course.title}
        words = ngettext(
            "%(num)d learner is stuck there, %(percent)d%% of those who began it, in %(course)s.",
            "%(num)d learners are stuck there, %(percent)d%% of those who began it, in %(course)s.",
            weak.stuck,
        )
        yield AttentionItem(
            urgency=Urgency.OPEN,
            icon="flag",
            title=_("Lesson %(number)s stops many learners") % {"number": lesson.number},
            text=words % said,
            action=_("Open lessons"),
            address=reverse("courses:studio-lectures", args=[lesson.course.slug]),
        )


def _oldest_of(waiting: attention.Waiting, now: datetime) -> str:
    if waiting.oldest is None:
        return ""
    said = {"time": waiting_time((now - waiting.oldest).total_seconds()), "course": waiting.course}
    if waiting.here < waiting.count:
        text = ngettext(
            "%(here)d of them in %(course)s, waiting for %(time)s.",
            "%(here)d of them in %(course)s, the oldest waiting for %(time)s.",
            waiting.here,
        )
        return text % {**said, "here": waiting.here}
    if waiting.count == 1:
        return _("It has been waiting for %(time)s, in %(course)s.") % said
    return _("The oldest has been waiting for %(time)s, in %(course)s.") % said


@learner_cards.registers("practice", order=10)
def practice_today(user: User, now: datetime) -> LearnerCard | None:
    """The daily review. Three queries; nothing while no card is due."""
    due = due_today(user, now)
    if not due.count:
        return None
    return LearnerCard(template="learning/_practice_card.html", card={"count": due.count, "minutes": due.minutes})
