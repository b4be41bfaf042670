"""What courses adds to pages of others."""

from collections.abc import Iterator
from datetime import datetime

from django.db.models import Count, Q
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.accounts.models import User
from apps.courses.models import Course, LearningPath
from apps.courses.queries import kept_versions as kept_versions
from studyplatform.kit.extensions import SitemapEntry, Tile, admin_tiles, sitemap_entries


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
