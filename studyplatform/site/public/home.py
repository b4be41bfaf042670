"""The home page: what the platform is and where to begin; for the signed-in, what is due and where to continue."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from apps.accounts.guards import open_to_everyone
from apps.accounts.models import User
from apps.billing.queries.premium import Prices, prices
from apps.billing.services import premium_terms
from apps.courses.models import Course, Lesson
from apps.courses.queries.cards import Card, cards
from apps.courses.queries.catalogue import Offer, cached, listed_groups, offer
from apps.forum.models import Topic
from apps.forum.queries.public import newest_topics
from apps.learning.queries.addresses import lesson_url
from apps.learning.queries.course_marks import course_marks_of
from apps.learning.queries.my_learning import enrollments_of, filtered, with_resume
from apps.learning.queries.practice import due_today
from studyplatform.kit.caching import table_versions
from studyplatform.kit.caching.page_cache import cache_for_visitors, depends_on

COURSES_TO_START = 4
# Divisible by two, three and four, so that the list has full rows at every width.
SUBJECTS = 12
GOING = 3
MAX_RECENT_TOPICS = 4
# The question on the page comes from this course; if it is not installed, the page names no source.
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
    """The categories with the most courses, in the order of the categories."""
    names = listed_groups()[1]
    counts = [SubjectCount(slug, names[slug], count) for slug, count in offered.by_subject.items()]
    largest = sorted(counts, key=lambda subject: -subject.courses)[:SUBJECTS]
    return [subject for subject in counts if subject in largest]


def popular_beginner_courses() -> list[Card]:
    """The most popular courses for beginners, more than are shown. One query."""
    beginner = Course.objects.published().filter(difficulty=Course.Difficulty.BEGINNER)
    return cards(beginner.order_by("-learner_count", "pk")[: COURSES_TO_START * 4])


def courses_to_start(popular: list[Card], taken: Collection[int] = ()) -> list[Card]:
    """The courses to show: none with a pk in ``taken``, and no two of a category as long as there are others."""
    popular = [card for card in popular if card.pk not in taken]
    chosen: list[Card] = []
    for card in popular:
        if all(card.subject != other.subject for other in chosen):
            chosen.append(card)
    chosen += [card for card in popular if card not in chosen]
    return chosen[:COURSES_TO_START]


def first_lesson() -> str:
    """The URL of a free preview video of the most popular course; "" if there is none. One query."""
    previews = Lesson.objects.filter(
        course__status=Course.Status.PUBLISHED, is_preview=True, kind=Lesson.Kind.VIDEO, video__is_playable=True
    )
    found = previews.order_by("-course__learner_count", "course", "number").values_list("course__slug", "slug").first()
    return lesson_url(*found) if found else ""


def question_source() -> Source | None:
    """The course from which the question on the page comes. One query."""
    title = Course.objects.published().filter(slug=QUESTION_COURSE).values_list("title", flat=True).first()
    return Source(title, f"/courses/{QUESTION_COURSE}") if title else None


@dataclass(frozen=True)
class PublicContent:
    """What the page shows everyone."""

    popular: list[Card]
    first_lesson: str
    question: Source | None


def public_content() -> PublicContent:
    """Three queries, none while it is remembered."""

    def make() -> PublicContent:
        return PublicContent(popular_beginner_courses(), first_lesson(), question_source())

    return cached("home", make)


def recent_topics() -> list[Topic]:
    """The topics that everyone may read. One query, none while they are remembered.

    A topic that is hidden, moved or renamed changes the version; a new one and its replies appear within a minute.
    """
    version = table_versions.current("discussions")
    depends_on("discussions", version)
    return cached(("home topics", version), lambda: newest_topics(MAX_RECENT_TOPICS))


@dataclass(frozen=True)
class Plans:
    """What Premium costs a visitor, and how long the trial is."""

    prices: Prices
    trial_days: int


def plans() -> Plans:
    """No query."""
    return Plans(prices(), premium_terms.trial_days_of(None))


def structured_data() -> dict[str, Any]:
    """The site and its search as schema.org structured data."""
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
    shown = public_content()
    course_marks = course_marks_of(user) if user else None
    context = {
        "going": going,
        "due": due_today(user, timezone.now()) if user else None,
        "topics": recent_topics(),
        "plans": None if user else plans(),
        "course_marks": course_marks,
        "can_teach": user is not None and user.can_teach,
        "facts": facts,
        "subjects": largest_subjects(facts),
        "starters": courses_to_start(shown.popular, course_marks.percents if course_marks else ()),
        "first_lesson": shown.first_lesson,
        "question_lesson": shown.question,
        "structured": structured_data(),
    }
    return render(request, "site/home.html", context)
