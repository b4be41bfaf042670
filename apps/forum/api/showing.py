"""Topics and posts as the API shows them to a reader."""

from typing import Any

from apps.accounts.models import User
from apps.accounts.policies import AnyUser
from apps.forum.models import Board, Post, Topic
from apps.forum.queries import finding, lists
from apps.forum.queries import topic as queries
from apps.forum.queries.shown import Shown, flat, shown_post
from apps.forum.services.screening import REASONS


def person(user: User, board: Board) -> dict[str, Any]:
    """The board comes with its course."""
    teaches = board.course is not None and board.course.instructor_id == user.pk
    return {"username": user.username, "name": user.display_name, "is_staff": teaches or user.is_admin}


def topic_row(topic: Topic) -> dict[str, Any]:
    """A topic with its board, author and tags; ``is_new`` comes from ``lists.with_marks``."""
    return {
        "id": topic.pk,
        "board": topic.board.slug,
        "kind": topic.kind,
        "title": topic.title,
        "excerpt": topic.excerpt,
        "author": person(topic.author, topic.board),
        "tags": [tag.name for tag in topic.tags.all()],
        "state": topic.state,
        "is_pinned": topic.pinned_at is not None,
        "is_closed": topic.is_locked,
        "is_new": bool(getattr(topic, "is_new", False)),
        "accepted": topic.accepted_id,
        "reply_count": topic.reply_count,
        "score": topic.score,
        "created_at": topic.created_at,
        "published_at": topic.published_at,
        "last_post_at": topic.last_post_at,
    }


def topic_for(pk: int, user: AnyUser) -> dict[str, Any]:
    """A topic and what the reader may do there. Of a merged one the topic into which it was merged."""
    topic = finding.present_topic(pk, user)
    page = queries.topic_page(topic, user, 1)
    lesson = topic.lesson if topic.lesson is not None and not topic.lesson.is_removed else None
    seen, mark = page.seen, getattr(topic, "read_until", None)
    if seen is not None:
        is_new = topic.last_number > seen and lists.posts_beyond(topic.pk, seen).exists()
    else:
        is_new = bool(mark and topic.last_post_at > mark)
    return topic_row(topic) | {
        "is_new": is_new,
        "lesson": {"uid": lesson.uid, "title": lesson.title} if lesson is not None else None,
        "second": topic.second,
        "pages": page.pages,
        "last_number": topic.last_number,
        "seen": seen,
        "level": page.level,
        "can_reply": page.can_write,
        "can_vote": page.can_vote,
        "can_accept": page.can_accept,
        "can_rename": page.can_rename,
        "can_moderate": page.has_tools,
    }


def posts_of(page: queries.TopicPage) -> dict[str, Any]:
    """A page of a topic, its posts in the order of their numbers."""
    shown = sorted(flat(page.posts), key=lambda one: (one.post.number is None, one.post.number or 0))
    return {
        "page": page.number,
        "pages": page.pages,
        "results": [post_out(one, page.topic) for one in shown],
    }


def post_out(shown: Shown, topic: Topic) -> dict[str, Any]:
    """A post as a reader sees it. Of a removed one only that it was removed."""
    post, is_stub = shown.post, shown.is_stub
    return {
        "id": post.pk,
        "topic": topic.pk,
        "number": post.number,
        "is_opening": post.is_opening,
        "state": post.state,
        "author": None if is_stub else person(post.author, topic.board),
        "html": None if is_stub else post.html,
        "reply_to": None if is_stub else post.reply_to_id,
        "is_accepted": topic.accepted_id == post.pk,
        "is_new": shown.is_new,
        "score": 0 if is_stub else post.score,
        "is_voted": bool(getattr(post, "is_voted", False)) and not is_stub,
        "reactions": []
        if is_stub
        else [{"kind": kind, "count": count, "is_mine": mine} for kind, _, count, mine in shown.reactions],
        "edits": 0 if is_stub else post.edit_count,
        "created_at": None if is_stub else post.created_at,
        "published_at": None if is_stub else post.published_at,
    }


def post_for(pk: int, user: AnyUser) -> dict[str, Any]:
    """One post whose text the reader may read, with its source.

    :raises NotFound: there is none for this user.
    """
    post = finding.find_post(pk, user)
    return post_out(shown_post(post, user), post.topic) | {"source": post.source}


def case_out(post: Post) -> dict[str, Any]:
    """A post of the queue. It comes from ``moderation.with_rows``."""
    why = [REASONS.get(name, (name, "")) for name in post.held_for] if post.state == "held" else []
    return {
        "post": post.pk,
        "topic": post.topic_id,
        "title": post.topic.title,
        "board": post.topic.board.slug,
        "state": post.state,
        "author": person(post.author, post.topic.board),
        "html": post.html,
        "edits": post.edit_count,
        "why": [{"name": name, "text": text} for name, text in why],
        "reports": [
            {"reason": one.reason, "comment": one.comment, "created_at": one.created_at}
            for one in getattr(post, "waiting", [])
        ],
        "created_at": post.created_at,
    }
