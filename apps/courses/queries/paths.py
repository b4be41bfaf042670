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


class ListedCourse(NamedTuple):
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
    courses: tuple[ListedCourse, ...]
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


def levels_of(difficulties: Iterable[str]) -> list[str]:
    """Return the lowest and the highest of these difficulties; one if they are the same, none without any."""
    found = sorted(set(difficulties), key=_LEVELS.index)
    return found if len(found) < 2 else [found[0], found[-1]]


def path_page(slug: str) -> PathPage:
    """Return a path with its courses, published or not: who may see it is ``path_policies.see_path``.

    Four queries, none if cached.

    :raises PathNotFound: there is no such path.
    """
    return cached(("path", slug), lambda: _read(slug))


def _read(slug: str) -> PathPage:
    path = LearningPath.objects.select_related("owner").filter(slug=slug).first()
    if path is None:
        raise PathNotFound
    in_order = Course.objects.filter(path_places__path=path).order_by("path_places__position")
    rows = in_order.values_list("pk", "summary", "is_announced")
    facts = {pk: (summary, is_announced) for pk, summary, is_announced in rows}
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
    for course, pk, slug, title in rows:
        found[course] = (*found.get(course, ()), Needed(pk, slug, title))
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


def path_cards(rows: Iterable[PathRow]) -> tuple[PathCard, ...]:
    """Return the paths of these rows as cards. Two queries, none without paths, and that of the rows."""
    rows = list(rows)
    if not rows:
        return ()
    members: dict[int, list[ListedCourse]] = {pk: [] for pk, *_rest in rows}
    places = PathCourse.objects.filter(path__in=list(members), course__status=Course.Status.PUBLISHED)
    ordered = places.order_by("path", "position").values_list(
        "path_id", "course_id", "course__slug", "course__title", "course__difficulty", "course__duration"
    )
    for path, pk, slug, title, difficulty, duration in ordered:
        members[path].append(ListedCourse(pk, slug, title, difficulty, duration))
    first = {one.pk for found in members.values() for one in found[:PICTURES]}
    plates = dict(Course.objects.filter(pk__in=first).values_list("pk", "plate"))
    return tuple(
        PathCard(slug, title, summary, tuple(members[pk]), tuple(plates[one.pk] for one in members[pk][:PICTURES]))
        for pk, slug, title, summary in rows
    )
