"""Course cards for all pages, each rendered once per state of its course."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from django.conf import settings
from django.template.loader import get_template
from markupsafe import Markup

from apps.accounts.policies import AnyUser
from apps.courses import artwork
from apps.courses import prompt_lines as prompt_lines  # registers
from apps.courses.content_tree import Corrections
from apps.courses.models import Course
from apps.courses.queries import versions
from apps.courses.queries.cards import Card
from apps.courses.queries.offered_corrections import offered_corrections
from apps.courses.queries.version_values import label_of
from studyplatform.kit.caching.fragments import cached_fragment
from studyplatform.kit.web.built_files import cache_outside_debug
from studyplatform.kit.web.jinja import register


def _macros() -> Any:
    return get_template("components/course.html").template.module  # type: ignore[attr-defined]


@register("plate")
@cache_outside_debug
def plate(word: str, subject: str, variant: int = 0) -> Markup:
    """Return a picture drawn from a word, for pages without a stored one."""
    return Markup(artwork.plate(word, subject, variant))  # noqa: S704 (drawn from numbers)


@register("course_cards")
def course_cards(
    cards: Iterable[Card],
    *,
    heading: int = 3,
    percents: Mapping[int, int] | None = None,
    bookmarked: Collection[int] | None = None,
) -> Markup:
    """Return the cards as HTML. ``heading`` is the level of their titles.

    For a user, ``percents`` is the progress by course and ``bookmarked`` the bookmarked courses. For visitors both are
    None, and the cards have no bookmark button.
    """
    shown = []
    for card in cards:
        percent = percents.get(card.pk) if percents else None
        is_marked = None if bookmarked is None else card.pk in bookmarked
        shown.append(
            cached_fragment(
                ("card", card, heading, percent, is_marked),
                lambda card=card, percent=percent, is_marked=is_marked: _macros().course_card(  # type: ignore[misc]
                    card, heading, percent, is_marked
                ),
            )
        )
    return Markup("").join(shown)


@register("content_props")
def content_props(course: Course, place: str, most: int | None, nonce: str) -> dict[str, object]:
    """What the editor needs to know of a text of a course (assets/islands/editor).

    ``place`` is its place in the content format, ``most`` how many characters it may have,
    ``nonce`` that of the page's styles, because the editor adds its own.
    """
    return {
        "draft": None,
        "most": most,
        "limit": settings.UPLOAD_LIMITS["file"],
        "topic": None,
        "endpoint": "/api/v1/uploads/",
        "course": {"slug": course.slug, "place": place},
        "nonce": nonce,
    }


@register("version_state")
def version_state(course: Course) -> versions.VersionState | None:
    """Where a course stands between its versions, for the bar of its studio pages; None for one never published."""
    return versions.state_of(course)


@register("corrections_of")
def corrections_of(user: AnyUser, course: Course) -> Corrections | None:
    """The small corrections that a user may publish now, of the next version of a course; None if there is none."""
    return offered_corrections(user, course)


@register("field_label")
def field_label(name: str) -> str:
    """What people call a field of a course, lesson or question."""
    return label_of(name)
