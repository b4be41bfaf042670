"""What courses adds to pages of others."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.db.models import Count, Q
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.accounts.models import User
from apps.courses.models import Course, LearningPath
from apps.courses.queries import kept_versions as kept_versions
from apps.courses.queries.attention import MAX_COURSES_NAMED, RETURNED, courses_in_need
from apps.courses.queries.review import PROMISE
from studyplatform.kit.extensions import (
    AttentionItem,
    SitemapEntry,
    Tile,
    Urgency,
    admin_tiles,
    attention_sources,
    sitemap_entries,
)
from studyplatform.kit.text import content
from studyplatform.kit.text.durations import waiting_time

MAX_EXCERPT_LENGTH = 160  # characters of what an admin wrote


@sitemap_entries.registers("courses", order=10)
def course_pages() -> Iterator[SitemapEntry]:
    """The published courses, the newest first. One query."""
    published = Course.objects.published().order_by("-published_at").values_list("slug", "updated_at")
    for slug, updated_at in published[:30_000]:  # the rest of the sitemap is for lessons
        yield SitemapEntry(f"/courses/{slug}", updated_at)


@sitemap_entries.registers("paths", order=15)
def learning_paths() -> Iterator[SitemapEntry]:
    """The list of learning paths, and the listed ones, the newest first. One query."""
    yield SitemapEntry("/paths/")
    rows = LearningPath.objects.listed().order_by("-updated_at", "-pk").values_list("slug", "updated_at")
    for slug, updated_at in rows[:2_000]:
        yield SitemapEntry(f"/paths/{slug}", updated_at)


@admin_tiles.registers("courses", order=30)
def published_courses(user: User, now: datetime) -> Iterator[Tile]:
    """One query."""
    count = Course.objects.aggregate(
        live=Count("pk", filter=Q(status=Course.Status.PUBLISHED)),
        suspended=Count("pk", filter=Q(status=Course.Status.SUSPENDED)),
    )
    foot = ngettext("%(num)d suspended", "%(num)d suspended", count["suspended"]) % {"num": count["suspended"]}
    yield Tile(_("Published courses"), f"{count['live']:,}", foot)


@attention_sources.registers("courses", order=20)
def courses_waiting(user: User, now: datetime) -> Iterator[AttentionItem]:
    """The suspended courses, those that a reviewer returned, and those under review. One query."""
    for course in courses_in_need(user)[:MAX_COURSES_NAMED]:
        yield _item_of(course, now)


def _item_of(course: Any, now: datetime) -> AttentionItem:
    """``course`` has the annotations of `courses_in_need`."""
    names, edit = {"title": course.title}, reverse("courses:studio-edit", args=[course.slug])
    if course.status == Course.Status.SUSPENDED:
        if course.is_appealed:
            return AttentionItem(
                urgency=Urgency.KNOWN,
                icon="hourglass",
                title=_("%(title)s is suspended") % names,
                text=_("An admin is reading your appeal."),
                action=_("Open course"),
                address=edit,
                since=course.suspended_at,
            )
        return AttentionItem(
            urgency=Urgency.BROKEN,
            icon="circle-alert",
            title=_("%(title)s is suspended") % names,
            text=_excerpt(course.reason),
            action=_("See the reason"),
            address=edit,
            since=course.suspended_at,
        )
    if course.last_outcome in RETURNED:
        return AttentionItem(
            urgency=Urgency.WAITING,
            icon="pencil",
            title=_("%(title)s: the reviewer requested changes") % names,
            text=_excerpt(course.last_comment),
            action=_("Read the comments"),
            address=reverse("courses:studio-review", args=[course.slug]),
            since=course.decided_at,
        )
    waited = waiting_time((now - course.submitted_at).total_seconds())
    is_late = now - course.submitted_at > PROMISE
    usual = _("Submitted %(time)s ago; reviews take up to 48 hours.") % {"time": waited}
    late = _("Submitted %(time)s ago. This is taking longer than usual; you don't need to do anything.")
    return AttentionItem(
        urgency=Urgency.KNOWN,
        icon="hourglass",
        title=_("%(title)s is under review") % names,
        text=late % {"time": waited} if is_late else usual,
        action=_("View submission"),
        address=reverse("courses:studio-review", args=[course.slug]),
        since=course.submitted_at,
    )


def _excerpt(text: str | None) -> str:
    return content.plain_text(text or "", content.COMMENT)[:MAX_EXCERPT_LENGTH]
