"""Home: what the platform is, where to begin, and for a learner where to go on."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from apps.accounts.guards import open_to_everyone
from apps.accounts.models import User
from apps.courses.models import Course, Lesson
from apps.courses.queries.cards import Card, cards
from apps.courses.queries.catalogue import Offer, cached, listed_groups, offer
from apps.learning.queries.addresses import lesson_url
from apps.learning.queries.course_marks import course_marks_of
from apps.learning.queries.my_learning import enrollments_of, filtered, with_resume
from studyplatform.kit.caching.page_cache import cache_for_visitors

STARTERS = 4
# Divides by two, three and four: the index has full rows at every width.
SUBJECTS = 12
GOING = 3
# The question on the page is drawn from this course; where it is not installed, no source is named.
QUESTION_COURSE = "linear-algebra-geometrically"


@dataclass(frozen=True)
class SubjectCount:
    slug: str
    name: str
    courses: int


@dataclass(frozen=True)
class Source:
    course: str
    href: str


def largest_subjects(offered: Offer) -> list[SubjectCount]:
    """The subjects with most courses, in the subjects' order."""
    names = listed_groups()[1]
    counts = [SubjectCount(slug, names[slug], count) for slug, count in offered.by_subject.items()]
    largest = sorted(counts, key=lambda subject: -subject.courses)[:SUBJECTS]
    return [subject for subject in counts if subject in largest]


def popular_starts() -> list[Card]:
    """The most taken courses for beginners, more than are shown. One query."""
    beginner = Course.objects.published().filter(difficulty=Course.Difficulty.BEGINNER)
    return cards(beginner.order_by("-learner_count", "pk")[: STARTERS * 4])


def starters(popular: list[Card], taken: Collection[int] = ()) -> list[Card]:
    """Those of them to show: none already taken, no two of a subject while there are others."""
    popular = [card for card in popular if card.pk not in taken]
    chosen: list[Card] = []
    for card in popular:
        if all(card.subject != other.subject for other in chosen):
            chosen.append(card)
    chosen += [card for card in popular if card not in chosen]
    return chosen[:STARTERS]


def first_lesson() -> str:
    """The address of a video that anyone may watch, of the most taken course; "" if there is none. One query."""
    previews = Lesson.objects.filter(
        course__status=Course.Status.PUBLISHED, is_preview=True, kind=Lesson.Kind.VIDEO, video__is_playable=True
    )
    found = previews.order_by("-course__learner_count", "course", "number").values_list("course__slug", "slug").first()
    return lesson_url(*found) if found else ""


def question_source() -> Source | None:
    """Where the question on the page comes from. One query."""
    title = Course.objects.published().filter(slug=QUESTION_COURSE).values_list("title", flat=True).first()
    return Source(title, f"/courses/{QUESTION_COURSE}") if title else None


@dataclass(frozen=True)
class Door:
    """What the page shows everyone."""

    popular: list[Card]
    first_lesson: str
    question: Source | None


def door() -> Door:
    """Three queries, none while it is remembered."""

    def make() -> Door:
        return Door(popular_starts(), first_lesson(), question_source())

    return cached("home", make)


def structured_data() -> dict[str, Any]:
    """The site in the words of schema.org, with its search."""
    return {
        "@context": "https://schema.org",
        "@type": "WebSite",
        "name": settings.SITE_NAME,
        "description": settings.SITE_DESCRIPTION,
        "url": f"{settings.SITE_URL}/",
        "potentialAction": {
            "@type": "SearchAction",
            "target": f"{settings.SITE_URL}/courses/?q={{search_term_string}}",
            "query-input": "required name=search_term_string",
        },
    }


@open_to_everyone
@require_safe
@cache_for_visitors("catalogue")
def home(request: HttpRequest) -> HttpResponse:
    user = request.user if isinstance(request.user, User) else None
    going = with_resume(filtered(enrollments_of(user), "in_progress")[:GOING]) if user else []
    facts = offer()
    shown = door()
    course_marks = course_marks_of(user) if user else None
    context = {
        "going": going,
        "course_marks": course_marks,
        "can_teach": user is not None and user.can_teach,
        "facts": facts,
        "subjects": largest_subjects(facts),
        "starters": starters(shown.popular, course_marks.percents if course_marks else ()),
        "first_lesson": shown.first_lesson,
        "question_lesson": shown.question,
        "structured": structured_data(),
    }
    return render(request, "site/home.html", context)
