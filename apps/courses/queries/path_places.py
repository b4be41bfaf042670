"""Where courses stand in learning paths, and the names of paths."""

from collections.abc import Iterable
from dataclasses import dataclass

from apps.courses.models import Course, LearningPath, PathCourse

MOST = 12
"""How many paths of a learner are read."""


@dataclass(frozen=True)
class PlaceInPath:
    """Where a course stands in a path: ``number`` of ``total`` published courses, and the one after it."""

    slug: str
    title: str
    number: int
    total: int
    next_slug: str = ""
    next_title: str = ""


def places_of(course: Course) -> list[PlaceInPath]:
    """Return where a published course stands in published paths, by title of the path. One query."""
    if course.status != Course.Status.PUBLISHED:
        return []
    mine = PathCourse.objects.filter(course=course, path__is_published=True).values("path")
    rows = (
        PathCourse.objects.filter(path__in=mine, course__status=Course.Status.PUBLISHED)
        .order_by("path__title", "path", "position")
        .values_list("path__slug", "path__title", "course_id", "course__slug", "course__title")
    )
    paths: dict[tuple[str, str], list[tuple[int, str, str]]] = {}
    for slug, title, pk, course_slug, course_title in rows:
        paths.setdefault((slug, title), []).append((pk, course_slug, course_title))
    found = []
    for (slug, title), members in paths.items():
        at = next(number for number, (pk, _slug, _title) in enumerate(members) if pk == course.pk)
        after = members[at + 1][1:] if at + 1 < len(members) else ("", "")
        found.append(PlaceInPath(slug, title, at + 1, len(members), *after))
    return found


def path_names() -> list[tuple[str, str, int]]:
    """Return slug, title and number of published courses of all listed paths. One query."""
    counts: dict[tuple[str, str], int] = {}
    rows = PathCourse.objects.filter(path__is_published=True, course__status=Course.Status.PUBLISHED)
    for slug, title in rows.order_by("path__title", "path").values_list("path__slug", "path__title"):
        counts[slug, title] = counts.get((slug, title), 0) + 1
    return [(slug, title, count) for (slug, title), count in counts.items()]


def paths_with(courses: Iterable[int]) -> list[tuple[str, str, list[int]]]:
    """Return the published paths that have one of these courses, by title: slug, title, published courses. One query.

    At most twelve of them.
    """
    open_places = PathCourse.objects.filter(course__status=Course.Status.PUBLISHED)
    theirs = open_places.filter(course__in=list(courses)).values("path")
    chosen = LearningPath.objects.published().filter(pk__in=theirs).order_by("title", "pk").values("pk")[:MOST]
    found: dict[tuple[str, str], list[int]] = {}
    rows = open_places.filter(path__in=chosen).order_by("path__title", "path", "position")
    for slug, title, course in rows.values_list("path__slug", "path__title", "course_id"):
        found.setdefault((slug, title), []).append(course)
    return [(slug, title, members) for (slug, title), members in found.items()]
