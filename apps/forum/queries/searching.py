"""Searching posts, and topics that resemble a title or a topic."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache
from math import log
from typing import Any, cast

from django.core.cache import cache as shared_cache
from django.db.models import BigIntegerField, QuerySet
from markupsafe import Markup

from apps.accounts.models import User
from apps.accounts.policies import AnyUser
from apps.forum import search, text
from apps.forum.models import Board, Post, Topic
from apps.forum.models.readers import Reader, reader_of
from apps.forum.queries import lists
from studyplatform.kit.db.prepared_queries import Param, PreparedQuery

LONGEST = 200  # characters of a search text
SIMILAR = 5
MAX_COMPARED_TOPICS = 60
# How much of what a title says another topic must say too; on the same board there is less to mistake.
MIN_SHARE, MIN_SHARE_ON_BOARD = 0.35, 0.2
EXCERPT_WEIGHT = 0.25  # of a word that is in the text only, not in the title or a tag
MIN_TOPICS_FOR_RARITY = 20  # fewer topics say little about how rare a word is
KEPT = 3600  # seconds: how long the topics that resemble one are remembered


@dataclass(frozen=True)
class Hit:
    """A topic with the post of it that matches best."""

    topic: Topic
    post: Post
    title: Markup
    snippet: Markup


@dataclass(frozen=True)
class Hits:
    """A page of what was found. ``is_cut``: only the newest posts with these words were compared."""

    hits: list[Hit]
    number: int
    pages: int
    total: int
    is_cut: bool


def find(words: str, user: AnyUser, *, choice: lists.Choice, number: int = 1) -> Hits:
    """The topics of a list with a visible post that contains all words, the best first. Three queries."""
    wanted = search.words_of(words[:LONGEST])
    posts = Post.objects.listed_for(user)
    if choice.board is not None:
        posts = posts.filter(topic__board=choice.board)
    if choice.is_own_courses and isinstance(user, User):
        posts = posts.filter(topic__board__in=lists.own_boards(user).values("pk"))
    if choice.tab != "latest" or choice.tag is not None or choice.before is not None:
        topics = lists.topics_of(choice, user).filter(state="visible")
        posts = posts.filter(topic__in=topics.order_by().values("pk"))
    found = search.search(posts, wanted)
    best: dict[int, int] = {}
    for post, topic in found:
        best.setdefault(topic, post)
    pages = max(1, min(lists.MOST_PAGES, -(-len(best) // lists.PER_PAGE)))
    number = min(max(1, number), pages)
    shown = list(best.items())[(number - 1) * lists.PER_PAGE : number * lists.PER_PAGE]
    return Hits(_hits(shown, wanted, user), number, pages, len(best), is_cut=len(found) == search.CANDIDATES)


def _hits(shown: Sequence[tuple[int, int]], words: Sequence[str], user: AnyUser) -> list[Hit]:
    topics = {one.pk: one for one in lists.with_marks(Topic.objects.listed_for(user), user).filter(pk__in=dict(shown))}
    posts = Post.objects.listed_for(user).select_related("author").defer("html").in_bulk([post for _, post in shown])
    return [
        Hit(
            topics[topic],
            posts[post],
            search.marked(topics[topic].title, words),
            search.snippet(text.excerpt(posts[post].source, text.MOST), words),
        )
        for topic, post in shown
        if topic in topics and post in posts
    ]


def similar_to(title: str, user: AnyUser, *, board: Board | None = None) -> list[Hit]:
    """Topics about the same as a title, those of the board first. Five queries."""
    words = search.words_of(title[:LONGEST])
    posts = Post.objects.listed_for(user).filter(is_opening=True)
    found = search.search(posts, words, any_word=True)
    alike = set(_alike(words, [topic for _, topic in found], board.pk if board else None))
    hits = _hits([(topic, post) for post, topic in found if topic in alike][: SIMILAR * 3], words, user)
    hits.sort(key=lambda hit: board is None or hit.topic.board_id != board.pk)
    return hits[:SIMILAR]


def _alike(words: Sequence[str], found: Sequence[int], board: int | None) -> list[int]:
    """Those of the topics with some of the words, the best found first, that are about the same, the most alike first.

    Each word weighs by how few of the topics have it (inverse document frequency), so that "take" and "good" make
    nothing similar. Rather none than one that isn't. Two queries.
    """
    topics = Topic.objects.prefetch_related("tags").in_bulk(found[:MAX_COMPARED_TOPICS])
    titled = {pk: search.found_in(_titled(topic), words) for pk, topic in topics.items()}
    said = {pk: titled[pk] | search.found_in(topic.excerpt, words) for pk, topic in topics.items()}
    count = max(len(found), MIN_TOPICS_FOR_RARITY) + 1
    weights = {word: log(count / max(1, sum(word in one for one in said.values()))) for word in words}

    def weigh(shared: Collection[str]) -> float:
        return sum(weights[word] for word in shared)

    shares = {}
    for pk in found[:MAX_COMPARED_TOPICS]:
        if pk not in topics:  # deleted in between
            continue
        share = (weigh(titled[pk]) + EXCERPT_WEIGHT * weigh(said[pk] - titled[pk])) / weigh(words)
        if share >= (MIN_SHARE_ON_BOARD if topics[pk].board_id == board else MIN_SHARE):
            shares[pk] = share
    return sorted(shares, key=lambda pk: -shares[pk])


def _titled(topic: Topic) -> str:
    return " ".join([topic.title, *(tag.name for tag in topic.tags.all())])


def similar_topics(topic: Topic, user: AnyUser) -> list[Topic]:
    """Other questions about the same, for the page of a topic. One query; three more once an hour."""
    ids = cast("list[int] | None", shared_cache.get(key := f"forum-similar-{topic.pk}"))
    if ids is None:
        posts: QuerySet[Post] = Post.objects.public().filter(is_opening=True).exclude(topic=topic.pk)
        words = search.words_of(_titled(topic))
        found = search.search(posts, words, any_word=True)
        ids = _alike(words, [one for _, one in found], topic.board_id)[: SIMILAR * 3]
        shared_cache.set(key, ids, KEPT)
    if not ids:
        return []
    places = {f"topic{n}": ids[min(n, len(ids) - 1)] for n in range(SIMILAR * 3)}
    found_topics = _similar_for(reader_of(user).with_pk(Param("user", BigIntegerField())))(user=user.pk, **places)
    rows = {one.pk: one for one in found_topics}
    return [rows[pk] for pk in ids if pk in rows][:SIMILAR]


@cache
def _similar_for(reader: Reader) -> PreparedQuery[Topic]:
    """Some topics that a kind of reader may see listed."""
    topics: list[Any] = [Param(f"topic{n}", BigIntegerField()) for n in range(SIMILAR * 3)]
    return PreparedQuery(lambda: Topic.objects.listed_for(reader).filter(pk__in=topics))
