"""Opening topics."""

from collections.abc import Iterable
from datetime import datetime

from django.db import transaction
from django.db.models import Exists, OuterRef

from apps.accounts.models import User
from apps.courses.models import Lesson
from apps.forum import policies, text
from apps.forum.models import Board, Level, Post, PostState, Topic
from apps.forum.services.following import set_level
from apps.forum.services.naming import clean_tags, clean_title, tags_named
from apps.forum.services.posts import create_post
from apps.forum.services.rendering import excerpt_of
from studyplatform.kit.errors import NotFound
from studyplatform.kit.policies import enforce
from studyplatform.kit.web import rate_limits


def open_topic(
    *,
    board: Board,
    author: User,
    kind: str,
    title: str,
    source: str,
    tags: Iterable[str] = (),
    lesson: Lesson | None = None,
    second: int | None = None,
    is_watched: bool = True,
    same_since: datetime | None = None,
    now: datetime,
) -> Topic:
    """Open a topic with its first post. It is visible at once, or held if it must be reviewed first.

    :param second: of the lesson's video, when the question came up while it played.
    :param is_watched: whether the author is notified of every reply.
    :param same_since: a topic by the author with the same title and text since then is returned instead: a form was
        sent twice.
    :raises PostTooLong: the post has more than 5,000 characters.
    :raises RateLimitExceeded: the author opened too many topics in a short time.
    :raises TooManyTags: more than five, or too long ones.
    :raises ValidationFailed: the title is empty or too long.
    """
    source = text.normalize(source)
    text.check(source)
    title = clean_title(title)
    names = clean_tags(tags)
    with transaction.atomic():
        if not Board.objects.seen_by(author).filter(pk=board.pk).exists():
            raise NotFound
        enforce(policies.open_topic(author, board, kind))
        rate_limits.consume("forum_topic", str(author.pk), now=now)  # locks: of two at once, the second one waits
        if same_since is not None:
            same = Topic.objects.filter(author=author, board=board, title=title, created_at__gte=same_since)
            opening = Post.objects.filter(topic=OuterRef("pk"), is_opening=True, source=source)
            if (sent := same.filter(Exists(opening)).exclude(state=PostState.DELETED).first()) is not None:
                transaction.set_rollback(True)  # it counts once
                return sent
        if lesson is None or lesson.course.pk != board.course_id:
            lesson = second = None
        topic = Topic.objects.create(
            board=board,
            kind=Topic.Kind(kind),
            title=title,
            excerpt=excerpt_of(source),
            author=author,
            lesson=lesson,
            second=second,
            state=PostState.HELD,
            created_at=now,
            last_post_at=now,
            last_poster=author,
        )
        topic.tags.set(tags_named(names))
        create_post(topic=topic, author=author, source=source, is_opening=True, now=now)
        set_level(user=author, level=Level.WATCHING if is_watched else Level.FOLLOWING, topic=topic, now=now)
    return topic
