"""Read the demo's forum: boards, topics with their posts, and what moderators find.

Nothing here knows the database. What is malformed is refused with the file's name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from studyplatform.demo.library import CONTENT, Library, Malformed, load_yaml, make

HELD_BELOW = timedelta(days=7)  # the posts of younger accounts wait for a moderator
UNITS = {"m": "minutes", "h": "hours", "d": "days"}
TOPIC_LINK = re.compile(r"\]\(topic:([a-z0-9-]+)\)")


@dataclass(frozen=True, kw_only=True)
class BoardText:
    """A board that belongs to no course."""

    slug: str
    title: str
    about: str
    topics_by_admins_only: bool = False


@dataclass(frozen=True, kw_only=True)
class PostText:
    """A reply. ``ago``: how long before now it was written; ``was``: its text before it was edited, if it was.

    ``votes``: how many users found it helpful. ``reply_to``: the place of the reply that it answers, counted from 0.
    """

    author: str
    source: str
    ago: timedelta
    key: str = ""
    was: str = ""
    votes: int = 0
    accepted: bool = False
    reply_to: int | None = None


@dataclass(frozen=True, kw_only=True)
class TopicText:
    """A topic with its opening post (``author``, ``source``, ``votes``) and the replies to it, oldest first."""

    key: str
    board: str
    kind: str
    title: str
    author: str
    source: str
    ago: timedelta
    tags: tuple[str, ...] = ()
    lesson: str = ""
    second: int | None = None
    votes: int = 0
    pinned: bool = False
    locked: bool = False
    posts: tuple[PostText, ...] = ()
    following: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ReportText:
    by: str
    reason: str
    hours_ago: float
    comment: str = ""


@dataclass(frozen=True, kw_only=True)
class ReportedText:
    """A post with its reports. ``post`` is its key; without it, it is the opening post."""

    topic: str
    reports: tuple[ReportText, ...]
    post: str = ""


@dataclass(frozen=True, kw_only=True)
class HeldText:
    """A post that waits for a moderator; ``reasons``: what speaks against it besides the age of the account."""

    topic: str
    post: str = ""
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class BanText:
    """``until``: in how many days it ends; None: never. ``board``: empty for the whole forum."""

    by: str
    user: str
    reason: str
    days_ago: float
    board: str = ""
    until: float | None = None


@dataclass(frozen=True, kw_only=True)
class ForumText:
    """The whole forum. The topics are in the order in which they were opened."""

    boards: tuple[BoardText, ...] = ()
    topics: tuple[TopicText, ...] = ()
    held: tuple[HeldText, ...] = ()
    reported: tuple[ReportedText, ...] = ()
    bans: tuple[BanText, ...] = ()


def read_forum(library: Library, content: Path = CONTENT) -> ForumText:
    """The forum of a library. A course that is missing from the library takes its topics with it.

    :raises Malformed: a file is missing, unreadable, or names something that does not exist.
    """
    folder = content / "forum"
    file = folder / "boards.yaml"
    boards = tuple(make(BoardText, row, file) for row in load_yaml(file).get("boards") or ())
    slugs = [board.slug for board in boards] + [course.slug for course in library.courses]
    topics = [topic for slug in slugs for topic in _topics(folder / f"{slug}.yaml", slug)]
    file = folder / "moderation.yaml"
    known = load_yaml(file)
    forum = ForumText(
        boards=boards,
        topics=tuple(sorted(topics, key=lambda topic: topic.ago, reverse=True)),
        held=tuple(make(HeldText, _listed(row, "reasons"), file) for row in known.get("held") or ()),
        reported=tuple(_reported(row, file) for row in known.get("reports") or ()),
        bans=tuple(make(BanText, row, file) for row in known.get("bans") or ()),
    )
    return _of_known(forum, library, file)


def _of_known(forum: ForumText, library: Library, file: Path) -> ForumText:
    """The forum without what belongs to courses that the library lacks.

    :raises Malformed: somebody or something is named that does not exist.
    """
    people = {person.username for person in library.people}
    for topic in forum.topics:
        for name in [topic.author, *topic.following, *(post.author for post in topic.posts)]:
            if name not in people:
                raise Malformed(f"forum/{topic.board}.yaml: {topic.key}: nobody has the username {name}")
    keys = [topic.key for topic in forum.topics]
    if twice := {key for key in keys if keys.count(key) > 1}:
        raise Malformed(f"forum: the same key twice: {sorted(twice)}")
    posts = {(topic.key, post.key) for topic in forum.topics for post in topic.posts} | {(key, "") for key in keys}
    boards = {board.slug for board in forum.boards} | {course.slug for course in library.courses} | {""}
    named = [(one.topic, one.post) for one in forum.held] + [(one.topic, one.post) for one in forum.reported]
    for key, post in named:
        if key in keys and (key, post) not in posts:
            raise Malformed(f"{file}: {key} has no post {post}")
    return ForumText(
        boards=forum.boards,
        topics=forum.topics,
        held=tuple(one for one in forum.held if one.topic in keys),
        reported=tuple(one for one in forum.reported if one.topic in keys),
        bans=tuple(ban for ban in forum.bans if ban.board in boards and ban.user in people),
    )


def _topics(file: Path, board: str) -> Iterable[TopicText]:
    if not file.exists():
        return
    for row in load_yaml(file).get("topics") or ():
        ago = _ago(row, file)
        posts = tuple(_posts(row.pop("posts", None) or (), ago, file))
        row = _listed(_listed(row, "tags"), "following")
        yield make(TopicText, {**row, "board": board, "ago": ago, "posts": posts}, file)


def _posts(rows: Iterable[dict[str, Any]], ago: timedelta, file: Path) -> Iterable[PostText]:
    """The replies; ``ago``: of the opening post."""
    for row in rows:
        if "after" in row:
            ago -= _span(row.pop("after"), file)
        else:
            ago = _ago(row, file)
        if "edited" in row:
            row["was"] = row.pop("edited")
        yield make(PostText, {**row, "ago": ago}, file)


def _ago(row: dict[str, Any], file: Path) -> timedelta:
    """
    :raises Malformed: it says neither how many days nor how many hours ago.
    """
    days, hours = row.pop("days_ago", None), row.pop("hours_ago", None)
    if (days is None) is (hours is None):
        raise Malformed(f"{file}: {row.get('key') or row.get('author')}: either days_ago or hours_ago")
    return timedelta(days=days or 0, hours=hours or 0)


def _span(text: str, file: Path) -> timedelta:
    """The time of ``40m``, ``3h`` or ``2d``.

    :raises Malformed: it has another format.
    """
    found = re.fullmatch(r"(\d+)([mhd])", str(text))
    if found is None:
        raise Malformed(f"{file}: {text!r} is no time")
    return timedelta(**{UNITS[found[2]]: int(found[1])})


def _reported(row: dict[str, Any], file: Path) -> ReportedText:
    reports = tuple(make(ReportText, each, file) for each in row.pop("reports", None) or ())
    return make(ReportedText, {**row, "reports": reports}, file)


def _listed(row: dict[str, Any], name: str) -> dict[str, Any]:
    return {**row, name: tuple(row.get(name) or ())}
