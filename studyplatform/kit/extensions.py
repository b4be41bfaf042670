"""Extension points of pages that belong to no single app. An app fills them in its module ``extensions``.

The other extension points have modules of their own: ``errors``, ``jobs``, ``notices``, ``receivers``, ``exports``,
``components``. docs/architecture.md lists all of them under "How to add an app".
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import IntEnum
from typing import Any, NamedTuple

from django.db.models import Subquery
from django.db.models.expressions import CombinedExpression
from django.http import HttpRequest
from django.utils.functional import Promise

from studyplatform.kit.registry import Registry

MONTH = timedelta(days=30)  # the period of figures


class SitemapEntry(NamedTuple):
    """A public page: its path on this site and when it last changed, if that is known."""

    path: str
    changed_at: datetime | None = None


class Tile(NamedTuple):
    """A figure at the top of a dashboard, as text. ``address``: of the rows that it is made of, if a page has them.
    ``change``: by how much it differs from before, as text; ``is_less``: that is less."""

    label: str
    value: str
    foot: str
    address: str = ""
    change: str = ""
    is_less: bool = False


@dataclass(frozen=True, kw_only=True)
class SettingsSection:
    """A section of the settings, at /settings/<slug> (apps/accounts/pages/settings/urls.py). ``context`` gives its
    template what it shows; a lower ``order`` comes first.
    """

    slug: str
    order: int
    title: str | Promise
    icon: str
    context: Callable[[HttpRequest], dict[str, Any]]
    is_for: Callable[[Any], bool] = lambda user: True
    template: str = ""  # accounts/settings/<slug>.html by default

    @property
    def template_name(self) -> str:
        return self.template or f"accounts/settings/{self.slug}.html"


SitemapSource = Callable[[], Iterable[SitemapEntry]]
TileSource = Callable[[Any, datetime], Iterable[Tile]]  # of the user, at this moment

sitemap_entries: Registry[SitemapSource] = Registry("sitemap entries")
admin_tiles: Registry[TileSource] = Registry("tiles of the admin's dashboard")
settings_sections: Registry[SettingsSection] = Registry("sections of the settings")
# Numbers that are read together with the browser session, by the query that every page needs: each is made of
# subqueries with ``OuterRef("user")``, and the row of the session has it as ``count_<name>``.
session_counts: Registry[Callable[[], Subquery | CombinedExpression]] = Registry("numbers read with the session")
menu_badges: Registry[Callable[[HttpRequest], int]] = Registry("numbers beside entries of the menus")


def tiles_for(registry: Registry[TileSource], user: Any, *, now: datetime) -> list[Tile]:
    """The tiles of a dashboard, in order."""
    return [tile for source in registry.ordered() for tile in source(user, now)]


class Urgency(IntEnum):
    """How urgent something that waits for an instructor is; the most urgent comes first."""

    BROKEN = 1
    """Learners can't go on, or don't find the course."""
    WAITING = 2
    """Learners wait for it."""
    OPEN = 3
    """It can wait, but nobody else does it."""
    KNOWN = 4
    """Nothing has to be done: others are at work."""


@dataclass(frozen=True, kw_only=True)
class AttentionItem:
    """One thing that waits for an instructor, on their home page.

    ``count``: of what the title counts. ``since``: since when the oldest of them has waited, if that is known.
    ``text``: one sentence more. ``action``: what the button says; it leads to ``address``.
    """

    urgency: Urgency
    icon: str
    title: str
    text: str = ""
    action: str
    address: str
    count: int = 1
    since: datetime | None = None


# Of a user at this moment: what waits for them as somebody who teaches. A constant number of queries.
attention_sources: Registry[Callable[[Any, datetime], Iterable[AttentionItem]]] = Registry(
    "things that wait for an instructor"
)


def attention_items_for(user: Any, *, now: datetime) -> list[AttentionItem]:
    """What waits for an instructor: the most urgent first, of these what has waited longest."""
    found = [item for source in attention_sources.ordered() for item in source(user, now)]
    return sorted(found, key=lambda item: (item.urgency, item.since or now))


# Tables of texts that scripts share with Python, as JSON, by the name of their constant in TypeScript.
contract_tables: Registry[Callable[[], dict[str, Any]]] = Registry("contract table")


@dataclass(frozen=True, kw_only=True)
class Discussion:
    """What is asked about a lesson, for its page.

    ``path`` is the page of its questions; with ``?part=1`` it is a part of the lesson's page. ``counts``: answered
    questions of each lesson of the course, by primary key. ``marks``: second of the video, title. ``links``:
    of the same topics, second, title, address, number of replies.
    """

    path: str
    questions: int = 0
    counts: dict[int, int] = field(default_factory=dict)
    marks: list[tuple[int, str]] = field(default_factory=list)
    links: list[tuple[int, str, str, int]] = field(default_factory=list)


# Of a lesson for a user; None if the user may not read it. One query, none for visitors: their pages are cached.
lesson_discussions: Registry[Callable[[Any, Any], Discussion | None]] = Registry("discussion of a lesson")


# Of the lessons of a course (by primary key), for their authors: how many learners began one, and completed it.
lesson_learners: Registry[Callable[[int], dict[int, tuple[int, int]]]] = Registry("learners of a course's lessons")


@dataclass(frozen=True, kw_only=True)
class HelpfulAnswer:
    """An answer to a question about a lesson that its reader or several others found helpful, as sanitized HTML."""

    key: int
    lesson: int
    question: str
    html: str


class AnswerSource(NamedTuple):
    """``of_course``: its helpful answers, by primary key, the best first. ``shown``: those of the keys that are still
    helpful and visible to all who may open the lesson. One query each."""

    of_course: Callable[[int], Iterable[HelpfulAnswer]]
    shown: Callable[[Iterable[int]], set[int]]


answers: Registry[AnswerSource] = Registry("helpful answers about lessons")
# Called with the primary key of a course after its helpful answers may have changed.
answers_changed: Registry[Callable[[int], None]] = Registry("followers of helpful answers")


# Called after a topic was opened by a form to which another app led with ``origin``, "<its name>.<what it is about>":
# with the user, what it is about, and the address of the topic. It must not raise.
topic_origins: Registry[Callable[[Any, str, str], None]] = Registry("pages that lead to new topics")


def tell_origin(user: Any, origin: str, path: str) -> None:
    """Tell the app whose page led to a new topic; nothing happens for other texts."""
    name, _dot, about = origin.partition(".")
    if name in topic_origins:
        topic_origins[name](user, about, path)


@dataclass(frozen=True, kw_only=True)
class LessonHit:
    """A lesson of a published course that contains what was searched.

    ``text`` around the words and ``second`` of the video only where the user may open the lesson; ``path`` is the
    course's page otherwise.
    """

    title: str
    course: str
    path: str
    text: str = ""
    second: int | None = None


# Of a user and a search text, the best lessons first. No text, no lessons.
lesson_hits: Registry[Callable[[Any, str], list[LessonHit]]] = Registry("search in lessons")


def find_in_lessons(user: Any, text: str) -> list[LessonHit]:
    """The lessons that contain all words of a search text, misspelled or not; few."""
    return [hit for source in lesson_hits.ordered() for hit in source(user, text)]


@dataclass(frozen=True, kw_only=True)
class LearnerCard:
    """A card of the learner's dashboard: a template, and what it shows as ``card``. ``place``: "main" or "side"."""

    template: str
    card: dict[str, Any]
    place: str = "side"


# Of a user at this moment; None if there is nothing to show.
learner_cards: Registry[Callable[[Any, datetime], LearnerCard | None]] = Registry("cards of the learner's dashboard")


def learner_cards_for(user: Any, *, now: datetime) -> list[LearnerCard]:
    """The cards of a learner's dashboard, in order."""
    return [card for source in learner_cards.ordered() if (card := source(user, now)) is not None]


@dataclass(frozen=True, kw_only=True)
class HelpTopic:
    """Something that people ask about the site or their account, not about a course.

    ``questions``: ways to ask it. ``answer``: Markdown for this user, with a link to the page where they can do it.
    ``offered``: the way that is offered to somebody without a course; "" if the topic is not for them.
    """

    questions: tuple[str | Promise, ...]
    answer: Callable[[Any], str]
    offered: str | Promise = ""


class HelpArticle(NamedTuple):
    """A text of the help pages: its title, its address and its HTML."""

    title: str
    path: str
    html: str


help_topics: Registry[HelpTopic] = Registry("topics of help")
help_articles: Registry[Callable[[], Iterable[HelpArticle]]] = Registry("articles of the help pages")
