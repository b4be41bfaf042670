"""Links for outside experts: what they open, and whether that was changed since."""

import hashlib
from collections.abc import Iterator

from django.db.models import Prefetch, QuerySet
from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _

from apps.courses.models import Course, Lesson, Question, ReviewGuest, ReviewLink, Submission
from studyplatform.kit.caching.lru import LruCache

_digests: LruCache[str] = LruCache(200)


def links_of(course: Course) -> QuerySet[ReviewLink]:
    """Return the links of the course, newest first, with the browsers in which each was opened. Two queries."""
    guests = Prefetch("guests", ReviewGuest.objects.order_by("began_at"))
    found = ReviewLink.objects.filter(course=course.live).select_related("created_by")
    return found.prefetch_related(guests).order_by("-created_at", "-pk")


def digest_of_course(course: Course) -> str:
    """Return a digest of what the course says and shows, by which a change is noticed. Two queries, once per change."""
    key = (course.pk, course.version)
    return _digests.get(key) or _digests.put(key, hashlib.sha256(repr(list(_contents(course))).encode()).hexdigest())


def name_version(course: Course) -> str:
    """Return in words what a link to the course opens now, such as "Version 9" or "Draft of 3 May 2026"."""
    live = course.live
    pending = live.submissions.filter(outcome=Submission.Outcome.PENDING).first()
    number = getattr(pending, "version_number", None)
    day = date_format(localtime(pending.submitted_at if pending else course.updated_at), "j F Y")
    if number:
        return _("Version %(number)s, submitted on %(day)s") % {"number": number, "day": day}
    if pending is not None:
        return _("As submitted on %(day)s") % {"day": day}
    if course.pk == live.pk and course.status == Course.Status.PUBLISHED:
        return _("As published, on %(day)s") % {"day": day}
    return _("Draft of %(day)s") % {"day": day}


def _contents(course: Course) -> Iterator[tuple[object, ...]]:
    yield (course.title, course.summary, course.description, tuple(course.outcomes), course.before_you_begin)
    facts = (
        "uid", "number", "title", "summary", "body", "kind", "video__uid", "video__version", "external_video",
        "file__uid",
    )  # fmt: skip
    yield from Lesson.objects.filter(course=course).order_by("section__position", "position").values_list(*facts)
    asked = Question.objects.filter(quiz__lesson__course=course, quiz__lesson__removed_at=None, is_withdrawn=False)
    for row in asked.order_by("quiz", "position").values_list("uid", "prompt", "options", "answer", "explanation"):
        yield tuple(map(str, row))
