"""Learning paths as pages and calls show them to everyone. What a learner did in them: learning's ``path_progress``."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from django.db.models import QuerySet

from apps.courses.errors import PathNotFound
from apps.courses.models import Course, LearningPath, PathCourse
from apps.courses.queries.cards import Card, cards, name_of
from apps.courses.queries.catalogue import cached
from studyplatform.kit.caching.versioned import Stamped

PathRow = tuple[int, str, str, str]
"""Primary key, slug, title, summary."""
PAGE_SIZE = 12
PICTURES = 3
"""How many courses' artworks make the picture of a path."""
_LEVELS = tuple(Course.Difficulty.values)


class Needed(NamedTuple):
    """A published course to complete before another one."""

    pk: int
    slug: str
    title: str


@dataclass(frozen=True)
class InPath:
    """A course of a path."""

    card: Card
    summary: str
    is_announced: bool
    needs: tuple[Needed, ...]

    @property
    def is_published(self) -> bool:
        return self.card.status == Course.Status.PUBLISHED

    @property
    def is_coming(self) -> bool:
        return self.is_announced and self.card.status in {Course.Status.DRAFT, Course.Status.REVIEW}


@dataclass(frozen=True)
class PathPage(Stamped):
    """A path with all its courses, in their order, whatever their status."""

    path: LearningPath
    owner: str
    courses: tuple[InPath, ...]

    @property
    def published(self) -> list[InPath]:
        return [one for one in self.courses if one.is_published]

    @property
    def lessons(self) -> int:
        return sum(one.card.lesson_count for one in self.published)

    @property
    def duration(self) -> int:
        """Seconds of all published courses."""
        return sum(one.card.duration for one in self.published)

    @property
    def plates(self) -> list[str]:
        return [one.card.plate for one in self.published[:PICTURES]]

    @property
    def levels(self) -> list[str]:
        """The lowest and the highest difficulty; one if they are the same."""
        return levels_of(one.card.difficulty for one in self.published)


class Member(NamedTuple):
    """A published course of a path in a list."""

    pk: int
    slug: str
    title: str
    difficulty: str
    duration: int


@dataclass(frozen=True)
class PathCard:
    """A path as lists show it: its published courses in their order, and the artworks of the first of them."""

    slug: str
    title: str
    summary: str
    courses: tuple[Member, ...]
    plates: tuple[str, ...]

    @property
    def duration(self) -> int:
        return sum(one.duration for one in self.courses)

    @property
    def levels(self) -> list[str]:
        return levels_of(one.difficulty for one in self.courses)


@dataclass(frozen=True)
class PathList:
    """One page of the list of paths; ``total`` paths in all."""

    cards: tuple[PathCard, ...]
    number: int
    pages: int
    total: int


@dataclass(frozen=True)
class PlaceInPath:
    """Where a course stands in a path: ``number`` of ``total`` published courses, and the one after it."""

    slug: str
    title: str
    number: int
    total: int
    next_slug: str = ""
    next_title: str = ""


def levels_of(difficulties: Iterable[str]) -> list[str]:
    """Return the lowest and the highest of these difficulties; one if they are the same, none without any."""
    found = sorted(set(difficulties), key=_LEVELS.index)
    return found if len(found) < 2 else [found[0], found[-1]]


def path_page(slug: str) -> PathPage:
    """Return a path with its courses, published or not: who may see it is ``policies.see_path``.

    Four queries, none if cached.

    :raises PathNotFound: there is no such path.
    """
    return cached(("path", slug), lambda: _read(slug))


def _read(slug: str) -> PathPage:
    path = LearningPath.objects.select_related("owner").filter(slug=slug).first()
    if path is None:
        raise PathNotFound
    in_order = Course.objects.filter(path_places__path=path).order_by("path_places__position")
    facts = {pk: rest for pk, *rest in in_order.values_list("pk", "summary", "is_announced")}
    needs = _needs(list(facts))
    found = tuple(InPath(card, *facts[card.pk], needs.get(card.pk, ())) for card in cards(in_order) if card.pk in facts)
    return PathPage(path, name_of(path.owner.first_name, path.owner.last_name, path.owner.username), found)


def _needs(courses: list[int]) -> dict[int, tuple[Needed, ...]]:
    """Return the published prerequisites of these courses. Others are left out: nobody could complete them any more."""
    links = Course.prerequisites.through.objects.filter(
        from_course__in=courses, to_course__status=Course.Status.PUBLISHED
    )
    found: dict[int, tuple[Needed, ...]] = {}
    rows = links.order_by("to_course__title").values_list(
        "from_course_id", "to_course_id", "to_course__slug", "to_course__title"
    )
    for course, *needed in rows:
        found[course] = (*found.get(course, ()), Needed(*needed))
    return found


def path_list(number: int) -> PathList:
    """Return one page of the listed paths, by title; a number beyond the last page counts as the last.

    Four queries, none if cached.
    """
    total = cached("number of paths", LearningPath.objects.listed().count)
    pages = max(1, -(-total // PAGE_SIZE))
    number = min(max(number, 1), pages)
    shown = cached(("paths", number), lambda: _cards_on(number))
    return PathList(shown, number, pages, total)


def _cards_on(number: int) -> tuple[PathCard, ...]:
    start = (number - 1) * PAGE_SIZE
    return path_cards(listed_rows()[start : start + PAGE_SIZE])


def listed_rows() -> QuerySet[LearningPath, PathRow]:
    """The listed paths by title, for ``path_cards``."""
    return _rows(LearningPath.objects.listed())


def _rows(paths: QuerySet[LearningPath]) -> QuerySet[LearningPath, PathRow]:
    return paths.order_by("title", "pk").values_list("pk", "slug", "title", "summary")


def paths_with(courses: Iterable[int]) -> list[tuple[str, str, list[int]]]:
    """Return the published paths that have one of these courses, by title: slug, title, published courses. One query.

    At most a page of them.
    """
    open_places = PathCourse.objects.filter(course__status=Course.Status.PUBLISHED)
    theirs = open_places.filter(course__in=list(courses)).values("path")
    chosen = LearningPath.objects.published().filter(pk__in=theirs).order_by("title", "pk").values("pk")[:PAGE_SIZE]
    found: dict[tuple[str, str], list[int]] = {}
    rows = open_places.filter(path__in=chosen).order_by("path__title", "path", "position")
    for slug, title, course in rows.values_list("path__slug", "path__title", "course_id"):
        found.setdefault((slug, title), []).append(course)
    return [(slug, title, members) for (slug, title), members in found.items()]


def path_cards(rows: Iterable[PathRow]) -> tuple[PathCard, ...]:
    """Return the paths of these rows as cards. Two queries, none without paths, and that of the rows."""
    rows = list(rows)
    if not rows:
        return ()
    members: dict[int, list[Member]] = {pk: [] for pk, *_rest in rows}
    places = PathCourse.objects.filter(path__in=list(members), course__status=Course.Status.PUBLISHED)
    ordered = places.order_by("path", "position").values_list(
        "path_id", "course_id", "course__slug", "course__title", "course__difficulty", "course__duration"
    )
    for path, *member in ordered:
        members[path].append(Member(*member))
    first = {one.pk for found in members.values() for one in found[:PICTURES]}
    plates = dict(Course.objects.filter(pk__in=first).values_list("pk", "plate"))
    return tuple(
        PathCard(slug, title, summary, tuple(members[pk]), tuple(plates[one.pk] for one in members[pk][:PICTURES]))
        for pk, slug, title, summary in rows
    )


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
    for slug, title, *member in rows:
        paths.setdefault((slug, title), []).append((member[0], member[1], member[2]))
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
