"""The course page: what it teaches, its lessons, its teacher, what others say, and the way in."""

from collections import OrderedDict
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import get_template
from django.utils.translation import get_language
from markupsafe import Markup

from apps.accounts.guards import open_to_everyone
from apps.accounts.models import User
from apps.courses.errors import CourseNotFound
from apps.courses.models import Course, Lesson
from apps.courses.queries.catalogue import remembered
from apps.courses.queries.detail import Beside, caption_languages, course_for_page, courses_beside
from apps.learning import policies
from apps.learning.queries.addresses import lesson_url
from apps.learning.queries.holdings import has_ribbon
from apps.learning.queries.outline import (
    Entry,
    Outline,
    Placed,
    Standing,
    outline_of,
    place_all,
    resume_entry,
    standing_of,
)
from apps.learning.queries.ratings import Ratings, ratings_of
from studyplatform.kit.policies import enforce


@dataclass(frozen=True)
class Facts:
    """The figures of an outline."""

    quizzes: int
    preview: Entry | None


def facts_of(outline: Outline) -> Facts:
    previews = [entry for entry in outline.entries if entry.is_preview]
    videos = [entry for entry in previews if entry.kind == Lesson.Kind.VIDEO]
    return Facts(
        quizzes=sum(entry.kind == Lesson.Kind.QUIZ for entry in outline.entries),
        preview=next(iter(videos or previews), None),
    )


@dataclass(frozen=True)
class Resume:
    """Where a learner goes on."""

    entry: Entry
    href: str
    percent: int
    completed: int
    total: int


def resume_of(course: Course, outline: Outline, standing: Standing) -> Resume | None:
    seat = standing.enrollment
    entry = resume_entry(course, outline, standing) if seat else None
    if seat is None or entry is None:
        return None
    total = len(outline.entries)
    return Resume(entry, lesson_url(course.slug, entry.slug), seat.percent, standing.completed_count, total)


_syllabuses: OrderedDict[tuple[UUID, int, str | None], Markup] = OrderedDict()
_KEPT = 200


def syllabus(course: Course, outline: Outline, standing: Standing, opened: int) -> Markup:
    """The sections with their lessons. What everyone without a seat sees is rendered once per version."""
    is_shared = standing.enrollment is None and not standing.is_staff
    key = (course.uid, course.version, get_language())
    if is_shared and key in _syllabuses:
        _syllabuses.move_to_end(key)
        return _syllabuses[key]
    placed: dict[int, Placed] = {one.entry.pk: one for one in place_all(course, outline, standing)}
    parts = []
    for part in outline.parts:
        here = [placed[entry.pk] for entry in part.entries]
        is_open = part.number == 1 if not opened else any(one.entry.pk == opened for one in here)
        parts.append((part, here, is_open, sum(one.entry.duration for one in here)))
    context = {"course": course, "parts": parts, "is_shared": is_shared}
    rendered = Markup(get_template("courses/_syllabus.html").render(context))  # noqa: S704 (our template)
    if is_shared:
        _syllabuses[key] = rendered
        while len(_syllabuses) > _KEPT:
            _syllabuses.popitem(last=False)
    return rendered


@dataclass(frozen=True)
class Told:
    """What the page tells everyone beside the course itself."""

    captions: list[str]
    ratings: Ratings
    beside: Beside


def told_of(course: Course) -> Told:
    """Up to six queries, none while it is remembered; a new rating or version is told at once."""
    key = ("course", course.pk, course.version, course.rating_count, course.rating_sum)
    return remembered(key, lambda: Told(caption_languages(course), ratings_of(course), courses_beside(course)))


def structured_data(course: Course, address: str) -> dict[str, Any]:
    """The course in the words of schema.org."""
    offer: dict[str, Any] = {"@type": "Offer", "category": "Free" if course.pricing == "free" else "Paid"}
    if course.pricing == Course.Pricing.ONE_TIME:
        offer |= {"price": f"{course.price / 100:.2f}", "priceCurrency": course.currency.upper()}
    facts: dict[str, Any] = {
        "@context": "https://schema.org",
        "@type": "Course",
        "name": course.title,
        "description": course.summary or course.title,
        "url": address,
        "inLanguage": course.language,
        "educationalLevel": course.get_difficulty_display(),
        "provider": {"@type": "Organization", "name": settings.SITE_NAME, "url": settings.SITE_URL},
        "author": {"@type": "Person", "name": course.instructor.display_name},
        "offers": [offer],
        "hasCourseInstance": [
            {"@type": "CourseInstance", "courseMode": "Online", "courseWorkload": f"PT{max(1, course.duration // 60)}M"}
        ],
    }
    if course.rating_count:
        facts["aggregateRating"] = {
            "@type": "AggregateRating",
            "ratingValue": round(course.rating, 2),
            "ratingCount": course.rating_count,
        }
    return facts


@open_to_everyone
def course_page(request: HttpRequest, slug: str) -> HttpResponse:
    course = course_for_page().filter(slug=slug).first()
    if course is None:
        raise CourseNotFound
    standing = standing_of(request.user, course)
    if standing.enrollment is None:
        enforce(policies.see_course(request.user, course))
    is_bookmarked = getattr(standing.enrollment, "is_bookmarked", None)
    if is_bookmarked is None and isinstance(request.user, User):
        is_bookmarked = has_ribbon(request.user, course.pk)
    outline = outline_of(course)
    resume = resume_of(course, outline, standing)
    address = f"{settings.SITE_URL}/courses/{course.slug}"
    context = {
        "course": course,
        "availability": {"published": "now", "archived": "past"}.get(course.status, "soon"),
        "is_listed": policies.see_course(AnonymousUser(), course) is None,
        "standing": standing,
        "seat": standing.enrollment,
        "is_bookmarked": bool(is_bookmarked),
        "resume": resume,
        "refusal": policies.enroll(request.user, course),
        "outline": outline,
        "facts": facts_of(outline),
        "syllabus": syllabus(course, outline, standing, resume.entry.pk if resume else 0),
        "told": told_of(course),
        "structured": structured_data(course, address),
    }
    return render(request, "courses/detail.html", context)
