"""Parts of pages that other apps show: lists of lessons, prices, certificate seals.

A course of 130 lessons has 130 rows per page, in a few variants: each is rendered once per version of the course.
"""

from collections.abc import Iterable, Mapping
from itertools import islice
from types import MappingProxyType
from typing import Any

from django.template.loader import get_template
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _
from markupsafe import Markup

from apps.courses import artwork
from apps.courses.models import Course, Lesson
from apps.learning.opening_notes import opening_note
from apps.learning.outline import Outline, Placed
from apps.learning.queries.certificates import readable_code
from apps.learning.queries.ratings import public_name
from apps.learning.quizzes import preview as preview  # its functions for templates, and those of rendering
from studyplatform.kit.caching.lru import LruCache
from studyplatform.kit.text.durations import clock, length
from studyplatform.kit.text.money import money
from studyplatform.kit.web.jinja import register

_RowKey = tuple[int | str, ...]
NONE: Mapping[int, int] = MappingProxyType({})
_rows: LruCache[dict[_RowKey, str]] = LruCache(64)  # courses


def _macros() -> Any:
    return get_template("learning/_rows.html").template.module  # type: ignore[attr-defined]


def _rows_of(course: Course) -> dict[_RowKey, str]:
    key = (course.uid, course.version, get_language())
    rows = _rows.get(key)
    return _rows.put(key, {}) if rows is None else rows


@register("lesson_rows")
def lesson_rows(
    course: Course,
    placed: Iterable[Placed],
    *,
    current: int = 0,
    note: str = "",
    answered: Mapping[int, int] = NONE,
    notes: Mapping[int, int] = NONE,
) -> Markup:
    """Return these lessons as list items. ``note`` is shown below the current one; the others count by lesson."""
    known = _rows_of(course)
    picked = []
    for one in placed:
        pk, is_current = one.entry.pk, one.entry.pk == current
        shown = {"current": is_current, "answered": answered.get(pk, 0), "notes": notes.get(pk, 0)}
        key = (pk, one.state, one.blocker.pk if one.blocker else 0, opening_note(one), *shown.values())
        if is_current and note:
            picked.append(str(_macros().lesson_row(one, course.slug, note=note, **shown)))
            continue
        if key not in known:
            known[key] = str(_macros().lesson_row(one, course.slug, **shown))
        picked.append(known[key])
    return Markup("".join(picked))  # noqa: S704 (rendered by our macro)


def time_left(placed: Placed | None) -> str:
    """Return how much is left of a video that the learner has started; "" for anything else."""
    if placed is None or placed.entry.kind != Lesson.Kind.VIDEO or not placed.left:
        return ""
    return _("%(time)s left") % {"time": clock(placed.left)}


def lesson_list(
    course: Course,
    outline: Outline,
    placed: list[Placed],
    *,
    current: int,
    counts: bool = True,
    answered: Mapping[int, int],
) -> Markup:
    """Return the list beside a lesson: all lessons by section, with the current section open.

    ``counts`` shows how many lessons of each section are complete.
    """
    parts, rest = [], iter(placed)
    for part in outline.parts:
        rows = list(islice(rest, len(part.entries)))
        done = sum(one.state == "completed" and not one.entry.is_optional for one in rows) if counts else None
        is_open = any(one.entry.pk == current for one in rows)
        note = next((time_left(one) for one in rows if one.entry.pk == current), "")
        shown = lesson_rows(course, rows, current=current, note=note, answered=answered)
        parts.append(_macros().section(part, done, is_open, shown))
    return Markup("").join(parts)


@register("lessons_and_length")
def lessons_and_length(course: Course) -> str:
    """Return the size of a course: ``12 lessons, 3 h 40 min``."""
    lessons = ngettext("%(count)d lesson", "%(count)d lessons", course.lesson_count) % {"count": course.lesson_count}
    return f"{lessons}, {length(course.duration)}" if course.duration else lessons


@register("price_badge")
def price_badge(course: Course) -> Markup:
    """Return the price of a course as lists show it."""
    return Markup(str(_macros().price(course, money(course.price, course.currency))))  # noqa: S704 (our macro)


@register("seal")
def seal(key: str) -> Markup:
    """Return the rosette of an achievement or a certificate as SVG."""
    return Markup(artwork.seal(key))  # noqa: S704 (drawn by artwork from numbers)


register("readable_code")(readable_code)
register("public_name")(public_name)
