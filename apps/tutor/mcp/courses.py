"""The tool that searches courses."""

from typing import Any

from django.utils.translation import gettext_lazy as _

from apps.accounts.models import Scope, User
from apps.courses.models import Course
from apps.courses.queries.catalogue import page_of
from apps.courses.queries.facets import Criteria
from apps.learning.models import Enrollment
from apps.learning.outline import Outline
from apps.learning.queries.addresses import course_url
from apps.learning.queries.outline import outlines_of
from apps.tutor.mcp.addresses import absolute, lesson_name
from apps.tutor.mcp.callers import Caller
from studyplatform.kit.mcp.service import Answer, Tool, cursor_of, number_in
from studyplatform.kit.text.folding import split_words
from studyplatform.kit.text.money import money

MOST_LESSONS = 5  # of a course whose titles match


def search_courses(caller: Caller, arguments: dict[str, Any]) -> Answer:
    """Courses of the catalog that match, with those of their lessons whose titles match. At most seven queries."""
    text = arguments.get("query", "")
    number = max(1, number_in(arguments.get("cursor", "")))
    page = page_of(
        Criteria(
            text=text,
            subjects=_one(arguments.get("category")),
            difficulties=_one(arguments.get("difficulty")),
            prices=_one(arguments.get("price")),
            page=number,
        )
    )
    cards = page.cards if number <= page.pages else []
    courses = {one.pk: one for one in Course.objects.filter(pk__in=[card.pk for card in cards])}
    outlines = outlines_of(courses.values())
    enrolled = _enrolled_in(caller.user, courses)
    words = split_words(page.instead or text)
    found = [
        {
            "course": card.slug,
            "title": card.title,
            "category": card.subject_name,
            "instructor": card.instructor,
            "difficulty": card.difficulty,
            "price": money(card.price, card.currency) if card.pricing == Course.Pricing.ONE_TIME else card.pricing,
            "availability": card.availability_for(is_enrolled=card.pk in enrolled).value,
            "lessons": card.lesson_count,
            "hours": round(card.duration / 3600, 1),
            "rating": round(card.rating, 1) if card.rating_count else None,
            "is_enrolled": card.pk in enrolled,
            "url": absolute(course_url(card.slug)),
            "matching_lessons": _matching(card.slug, outlines[card.pk], words) if card.pk in outlines else [],
        }
        for card in cards
    ]
    return Answer(
        data={
            "courses": found,
            "total": page.total,
            "searched_instead": page.instead or None,
            "next_cursor": cursor_of(number + 1) if number < page.pages else None,
        }
    )


def _one(value: str | None) -> frozenset[str]:
    return frozenset({value}) if value else frozenset()


def _enrolled_in(user: User, courses: dict[int, Course]) -> set[int]:
    found = Enrollment.objects.active().of(user.pk).filter(course__in=list(courses))
    return set(found.values_list("course_id", flat=True))


def _matching(course: str, outline: Outline, words: list[str]) -> list[dict[str, Any]]:
    """The first lessons whose titles contain one of the words."""
    found = [
        {"lesson": lesson_name(course, entry.slug), "number": entry.number, "title": entry.title, "kind": entry.kind}
        for entry in outline.entries
        if any(title.startswith(word) for title in split_words(entry.title) for word in words if len(word) > 2)
    ]
    return found[:MOST_LESSONS]


SEARCH_COURSES = Tool[Caller](
    name="search_courses",
    title=_("Search courses"),
    description=_(
        "Search the course catalog by words. Without a query it lists all courses. Returns courses, and lessons in "
        "them whose titles match; read a lesson with get_lesson."
    ),
    summary=_("Courses and lessons in the catalog"),
    run=search_courses,
    arguments={
        "query": {"type": "string", "maxLength": 100, "description": "Words to search for; misspellings are forgiven."},
        "category": {"type": "string", "maxLength": 60, "description": "The slug of a category."},
        "difficulty": {"type": "string", "enum": list(Course.Difficulty.values)},
        "price": {"type": "string", "enum": list(Course.Pricing.values)},
        "cursor": {"type": "string", "maxLength": 40, "description": "next_cursor of the previous result."},
    },
    scope=Scope.READ_COURSES,
    reads_only=True,
)
