"""Notify users of posts: who is notified of what, each at most once.

Everything happens under the lock of the topic, which hiding and deleting take too, so a post that is withdrawn while
its followers are told leaves no notification.
"""

from collections.abc import Callable
from datetime import datetime

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Lower
from django.utils import timezone

from apps.accounts import services as people
from apps.accounts.models import Notification, User
from apps.forum import text
from apps.forum.models import Ban, Block, Follow, Level, NotificationRun, Post
from apps.forum.models.boards import readers_of
from apps.forum.services.locking import lock_post
from apps.forum.services.notified import ACCEPTED, KINDS, MENTION, NEW_TOPIC, QUOTE, REPLY, SOLVED, follow_edit, key_of
from studyplatform.kit.errors import NotFound

MOST_MENTIONS = 10  # of one post lead to a notification
BATCH = 200


def notify_of_post(*, post_id: int, now: datetime, extend_lease: Callable[[], None]) -> None:
    """Tell those whom a new post mentions, whom it answers, and who follow its topic, board or tags.

    Continues where an interrupted run stopped. No one is notified twice of a post, even if several reasons apply.
    """
    _deliver(post_id, NotificationRun.What.POST, None, now=now, extend_lease=extend_lease)


def notify_of_answer(*, post_id: int, by_id: int, now: datetime, extend_lease: Callable[[], None]) -> None:
    """Tell the author of an accepted answer and the followers of its topic, but not the one who accepted it."""
    by = User.objects.filter(pk=by_id).first()
    _deliver(post_id, NotificationRun.What.ANSWER, by, now=now, extend_lease=extend_lease)


def notify_of_edit(*, post_id: int, is_renamed: bool) -> None:
    """Tell those whom an edited post mentions and no earlier text of it did, and correct what others were told of it.

    What is not visible is left for later: this runs again once it is.

    :param is_renamed: whether the title of its topic may have changed.
    """
    with transaction.atomic():
        try:
            post = lock_post(post_id)
        except NotFound:
            return
        run = NotificationRun.objects.filter(post=post, what=NotificationRun.What.POST).first()
        if run is None or not (post.is_visible and post.topic.is_visible):
            return
        follow_edit(post, title=post.topic.title if is_renamed else None)
        if run.edited_at == post.edited_at:
            return
        before: set[int] = set()
        for source in _texts_until(post, run.edited_at):
            before |= _mentioned(source, most=None)
        key = key_of(NotificationRun.What.POST, post.pk)
        left = max(0, MOST_MENTIONS - Notification.objects.filter(kind=MENTION, key=key).count())
        new = set(sorted(_mentioned(post.source) - before)[:left])
        _tell(MENTION, new, post, NotificationRun.What.POST, None, now=post.edited_at)
        run.edited_at = post.edited_at
        run.save(update_fields=["edited_at"])


def _texts_until(post: Post, moment: datetime | None) -> list[str]:
    """The texts of a post, up to the one that an edit at this moment wrote; None: up to the first one."""
    found = []
    for source, replaced_at in post.revisions.order_by("created_at", "pk").values_list("source", "created_at"):
        found.append(source)
        if moment is None or replaced_at > moment:
            return found
    return [*found, post.source]


def _deliver(
    post_id: int, what: NotificationRun.What, by: User | None, *, now: datetime, extend_lease: Callable[[], None]
) -> None:
    while True:
        with transaction.atomic():
            try:
                post = lock_post(post_id)
            except NotFound:
                return
            topic = post.topic
            if not (post.is_visible and topic.is_visible):
                return
            if what == NotificationRun.What.ANSWER and topic.accepted_id != post.pk:
                return
            run, is_new = NotificationRun.objects.get_or_create(post=post, what=what)
            if run.done_at is not None:
                return
            follows = _follows(post, what)
            if is_new:
                run.expected, run.edited_at = follows.count(), post.edited_at
                _tell_directly(post, what, by)
            batch = list(follows.filter(pk__gt=run.last_follow).order_by("pk").values_list("pk", "user")[:BATCH])
            if batch:
                kind = SOLVED if what == NotificationRun.What.ANSWER else NEW_TOPIC if post.is_opening else REPLY
                _tell(kind, {user for _, user in batch}, post, what, by)
                run.last_follow = batch[-1][0]
                run.sent_count += len(batch)
            run.done_at = None if len(batch) == BATCH else now
            run.save()
            if run.done_at is not None:
                return
        extend_lease()


def _follows(post: Post, what: str) -> QuerySet[Follow]:
    """The follows through which users are told."""
    if what == NotificationRun.What.ANSWER:
        return Follow.objects.filter(topic=post.topic_id, level__in=[Level.WATCHING, Level.FOLLOWING])
    if not post.is_opening:
        return Follow.objects.filter(topic=post.topic_id, level=Level.WATCHING)
    tags = post.topic.tags.values("pk")
    return Follow.objects.filter(Q(board=post.topic.board_id) | Q(tag__in=tags)).exclude(level=Level.MUTED)


def _tell_directly(post: Post, what: str, by: User | None) -> None:
    """Tell those whom the post concerns in person, the strongest reason first."""
    if what == NotificationRun.What.ANSWER:
        _tell(ACCEPTED, {post.author_id}, post, what, by)
        return
    _tell(MENTION, _mentioned(post.source), post, what, by)
    answered = post.reply_to if post.reply_to_id else None
    if answered is not None and answered.is_visible:
        _tell(REPLY, {answered.author_id}, post, what, by)


def _mentioned(source: str, most: int | None = MOST_MENTIONS) -> set[int]:
    """The first users that a text mentions; None: all."""
    names = text.mentioned(source)
    if not names:
        return set()
    known: dict[str, int] = dict(
        User.objects.annotate(lower=Lower("username"))
        .filter(lower__in=names, deleted_at=None)
        .values_list("lower", "pk")
    )
    return set([known[name] for name in names if name in known][:most])


def _tell(kind: str, ids: set[int], post: Post, what: str, by: User | None, *, now: datetime | None = None) -> None:
    """Notify those of the users who may read the post, want to hear of it, and were not told of it yet.

    :param now: when it happened; by default when the post appeared, or now if it was accepted.
    """
    acting = by or post.author
    users = _may_be_told(ids - {acting.pk, post.author_id if kind != ACCEPTED else acting.pk}, post, what)
    if not users:
        return
    topic = post.topic
    people.notify_all(
        kind,
        users,
        post.path,
        key_of(what, post.pk),
        now=now or (post.published_at if what == NotificationRun.What.POST else None),
        author=post.author.display_name,
        topic=topic.title,
        board=topic.board.title,
        words=text.excerpt(post.source, QUOTE),
    )


def _may_be_told(ids: set[int], post: Post, what: str) -> list[User]:
    topic = post.topic
    mine = Follow.objects.filter(user=OuterRef("pk"))
    muted = mine.filter(level=Level.MUTED)
    is_muted = Q(Exists(muted.filter(topic=topic)))
    # A topic that someone follows is heard of on a muted board too.
    is_muted |= Q(Exists(muted.filter(board=topic.board_id))) & ~Q(
        Exists(mine.filter(topic=topic).exclude(level=Level.MUTED))
    )
    if post.is_opening:
        is_muted |= Q(Exists(muted.filter(tag__in=topic.tags.values("pk"))))
    told = Notification.objects.filter(user=OuterRef("pk"), kind__in=KINDS[what], key=key_of(what, post.pk))
    has_blocked_author = Block.objects.filter(blocker=OuterRef("pk"), blocked=post.author_id)
    banned = Ban.objects.active(timezone.now()).filter(Q(board=None) | Q(board=topic.board_id), user=OuterRef("pk"))
    return list(
        User.objects.filter(readers_of(topic.board), pk__in=ids, is_active=True, deleted_at=None)
        .exclude(is_muted)
        .exclude(Exists(told))
        .exclude(Exists(has_blocked_author))
        .exclude(Exists(banned))
    )
