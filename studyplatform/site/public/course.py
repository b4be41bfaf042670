"""The course page: description, lessons, instructor, ratings and enrollment."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from csp.constants import SELF
from csp.decorators import csp_update
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.template.loader import get_template
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.http import require_safe
from markupsafe import Markup

from apps.accounts.guards import open_to_everyone, teaches
from apps.accounts.models import User
from apps.billing.access import access_to, lost_access, lost_seat_refusal
from apps.billing.queries.bundles import BundleLink, bundles_with
from apps.billing.queries.open_transfers import open_transfer_for
from apps.courses.errors import CourseNotFound
from apps.courses.models import Course, CoursePicture, Lesson
from apps.courses.policies import manage_course
from apps.courses.queries.catalogue import cached
from apps.courses.queries.detail import Beside, caption_languages, course_for_page, courses_beside
from apps.courses.queries.openings import describe_opening
from apps.courses.queries.path_places import PlaceInPath, places_of
from apps.courses.queries.people import named_with
from apps.learning import policies
from apps.learning.components import lesson_rows
from apps.learning.outline import Entry, Outline, Placed, Standing, place_all, resume_entry
from apps.learning.queries.addresses import lesson_url
from apps.learning.queries.bookmarks import has_bookmarked
from apps.learning.queries.outline import outline_of, standing_of
from apps.learning.queries.ratings import Ratings, ratings_of
from studyplatform.kit.caching.fragments import cached_fragment
from studyplatform.kit.caching.page_cache import cache_for_visitors
from studyplatform.kit.caching.versioned import Stamped
from studyplatform.kit.policies import enforce
from studyplatform.kit.text.lists import list_names
from studyplatform.kit.text.money import plain_amount
from studyplatform.kit.web.dates import reader_zone


@dataclass(frozen=True)
class OutlineFigures:
    """The figures of an outline."""

    quizzes: int
    preview: Entry | None


def figures_of(outline: Outline) -> OutlineFigures:
    previews = [entry for entry in outline.entries if entry.is_preview]
    videos = [entry for entry in previews if entry.kind == Lesson.Kind.VIDEO]
    return OutlineFigures(
        quizzes=sum(entry.kind == Lesson.Kind.QUIZ for entry in outline.entries),
        preview=next(iter(videos or previews), None),
    )


@dataclass(frozen=True)
class Resume:
    """Where a learner continues. ``percent``: progress in the course."""

    entry: Entry
    href: str
    percent: int
    completed: int
    total: int


def resume_of(course: Course, outline: Outline, standing: Standing, placed: list[Placed]) -> Resume | None:
    enrollment = standing.enrollment
    entry = resume_entry(course, outline, standing, placed) if enrollment else None
    if enrollment is None or entry is None:
        return None
    href = lesson_url(course.slug, entry.slug)
    return Resume(entry, href, enrollment.percent, enrollment.completed_lessons, standing.fit(outline).required_count)


def syllabus(course: Course, outline: Outline, standing: Standing, placed: list[Placed], opened: int) -> Markup:
    """The sections with their lessons; the one of the lesson ``opened`` is open, else the first."""
    is_shared = standing.enrollment is None and not standing.is_staff
    by_pk = {one.entry.pk: one for one in placed}
    macros = get_template("courses/_syllabus.html").template.module  # type: ignore[attr-defined]
    parts = []
    for part in outline.parts:
        is_open = any(entry.pk == opened for entry in part.entries) if opened else part.number == 1
        if is_shared:
            # A date that has passed is not shown, and the others are in the reader's time zone.
            opening = {
                entry.pk: describe_opening(entry.opens_at, reader_zone())
                for entry in part.entries
                if entry.opens_at is not None and entry.opens_at > standing.now and not entry.is_preview
            }
            key = ("syllabus", course.uid, course.version, part.number, *opening.items())
            rows = cached_fragment(key, partial(macros.shared_rows, course.slug, part, opening))
        else:
            rows = lesson_rows(course, [by_pk[entry.pk] for entry in part.entries])
        parts.append(macros.section(part, is_open, rows))
    return Markup("").join(parts)


@dataclass(frozen=True)
class Shared(Stamped):
    """What the page tells everyone. Remembered: nobody may change it."""

    course: Course
    outline: Outline
    facts: OutlineFigures
    captions: list[str]
    ratings: Ratings
    beside: Beside
    paths: list[PlaceInPath]
    bundles: list[BundleLink]
    with_instructor: list[User]
    """Its co-instructors."""


def shared_of(slug: str) -> Shared:
    """Up to eleven queries, none while it is remembered.

    :raises CourseNotFound: there is no such course.
    """
    return cached(("course", slug), lambda: _read(slug))


def _read(slug: str) -> Shared:
    course = course_for_page().filter(slug=slug).first()
    if course is None:
        raise CourseNotFound
    outline = outline_of(course)
    return Shared(
        course,
        outline,
        figures_of(outline),
        caption_languages(course),
        ratings_of(course),
        courses_beside(course),
        places_of(course),
        bundles_with(course),
        named_with(course),
    )


def picture_of(course: Course) -> CoursePicture | None:
    """The picture that its instructor uploaded, if any. No query for courses of ``course_for_page``."""
    return getattr(course, "picture", None)


def structured_data(course: Course, address: str, others: Sequence[User] = ()) -> dict[str, Any]:
    """The course as schema.org structured data. ``others``: its co-instructors."""
    offer: dict[str, Any] = {"@type": "Offer", "category": "Free" if course.pricing == "free" else "Paid"}
    if course.pricing == Course.Pricing.ONE_TIME:
        offer |= {"price": plain_amount(course.price, course.currency), "priceCurrency": course.currency.upper()}
    authors = [{"@type": "Person", "name": user.display_name} for user in (course.instructor, *others)]
    facts: dict[str, Any] = {
        "@context": "https://schema.org",
        "@type": "Course",
        "name": course.title,
        "description": course.summary or course.title,
        "url": address,
        "inLanguage": course.language,
        "educationalLevel": course.get_difficulty_display(),
        "provider": {"@type": "Organization", "name": settings.SITE_NAME, "url": settings.SITE_URL},
        "author": authors[0] if len(authors) == 1 else authors,
        "offers": [offer],
        "hasCourseInstance": [
            {"@type": "CourseInstance", "courseMode": "Online", "courseWorkload": f"PT{max(1, course.duration // 60)}M"}
        ],
    }
    if (picture := picture_of(course)) is not None:
        facts["image"] = f"{settings.SITE_URL}{picture.share_address}"
    if course.rating_count:
        facts["aggregateRating"] = {
            "@type": "AggregateRating",
            "ratingValue": round(course.rating, 2),
            "ratingCount": course.rating_count,
        }
    return facts


@open_to_everyone
@require_safe
@cache_for_visitors("catalogue")
def course_page(request: HttpRequest, slug: str) -> HttpResponse:
    shared = shared_of(slug)
    course, outline = shared.course, shared.outline
    standing = standing_of(request.user, course)
    if standing.enrollment is None:
        enforce(policies.see_course(request.user, course))
    placed = place_all(course, outline, standing)
    resume = resume_of(course, outline, standing, placed)
    lost = None if standing.enrollment else lost_access(request.user, course)
    context = {
        "shared": shared,
        "with_names": list_names([user.display_name for user in shared.with_instructor]),
        "course": course,
        "picture": picture_of(course),
        "availability": course.availability_for(is_enrolled=standing.enrollment is not None),
        "is_listed": policies.see_course(AnonymousUser(), course) is None,
        "standing": standing,
        "enrollment": standing.enrollment,
        "is_bookmarked": has_bookmarked(request.user, course, standing.enrollment),
        "resume": resume,
        "access": None if standing.enrollment else access_to(request.user, course),
        "has_lost_premium": lost is not None and lost.seat_id is None,
        "lost_seat": lost_seat_refusal(lost) if lost else None,
        "transfer": None if standing.enrollment else open_transfer_for(request.user, [course], now=timezone.now()),
        "outline": outline,
        "facts": shared.facts,
        "syllabus": syllabus(course, outline, standing, placed, resume.entry.pk if resume else 0),
        "structured": lambda: structured_data(
            course, f"{settings.SITE_URL}/courses/{course.slug}", shared.with_instructor
        ),
    }
    return render(request, "courses/detail.html", context)


@teaches
@csp_update({"frame-ancestors": [SELF]})  # type: ignore[arg-type]  # it passes on the address's arguments
@xframe_options_sameorigin
@never_cache
@require_safe
def course_preview(request: HttpRequest, slug: str) -> HttpResponseBase:
    """The course page for its staff, in the frame of the course wizard."""
    course = Course.with_working_copies.filter(slug=slug).first()
    if course is None:
        raise CourseNotFound
    enforce(manage_course(request.user, course))
    return course_page(request, slug)
