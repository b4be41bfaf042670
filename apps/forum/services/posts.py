"""Writing, editing, deleting and publishing posts.

Each function locks the topic before it changes a post, so two of them never act on one topic at once and the numbers of
a topic are always those of its visible posts.
"""

from datetime import datetime

from django.db import transaction

from apps.accounts.models import User
from apps.forum import policies, text
from apps.forum.errors import EditNeedsModerator
from apps.forum.errors import PostChanged as PostHasChanged
from apps.forum.events import PostChanged, PostHeld, PostPublished, TopicChanged
from apps.forum.models import Post, PostState, Revision, Topic
from apps.forum.services.attachments import attach_files
from apps.forum.services.counting import first_reply_at, newest_post
from apps.forum.services.indexing import index_post
from apps.forum.services.locking import lock_post, lock_topic
from apps.forum.services.moderation_log import Kind, log
from apps.forum.services.naming import clean_title
from apps.forum.services.notified import forget_post
from apps.forum.services.rendering import excerpt_of, render
from apps.forum.services.screening import REWRITTEN, screen
from studyplatform.kit import jobs
from studyplatform.kit.errors import NotFound
from studyplatform.kit.events import publish
from studyplatform.kit.policies import enforce
from studyplatform.kit.sockets import wake
from studyplatform.kit.web import rate_limits


def stamp(topic: Topic, *posts: Post) -> None:
    """Note a change of a locked topic and of posts in it, for the pages that show them.

    Each change of a topic, or of a post that was ever visible, calls this in its transaction. The lock makes it exact:
    a reader who reads a stamp reads every change up to it.
    """
    topic.stamp += 1
    topic.save(update_fields=["stamp"])
    for post in posts:
        post.stamp = topic.stamp
        post.save(update_fields=["stamp"])
    wake("topic")


def reply(
    *,
    topic: Topic,
    author: User,
    source: str,
    reply_to: Post | None = None,
    same_since: datetime | None = None,
    now: datetime,
) -> Post:
    """Write a reply. It is visible at once, or held if it must be reviewed first (``post.state`` says which).

    :param same_since: a reply by the author with the same text since then is returned instead: a form was sent twice.
    :raises PostTooLong: it has more than 5,000 characters.
    :raises RateLimitExceeded: the author wrote too much in a short time.
    :raises TopicLocked: the topic is closed.
    """
    source = text.normalize(source)
    text.check(source)
    with transaction.atomic():
        topic = lock_topic(topic.pk)
        if not Topic.objects.seen_by(author).filter(pk=topic.pk).exists():
            raise NotFound
        enforce(policies.reply(author, topic))
        if same_since is not None:
            same = topic.posts.filter(author=author, source=source, is_opening=False, created_at__gte=same_since)
            if (sent := same.exclude(state=PostState.DELETED).first()) is not None:
                return sent
        rate_limits.consume("forum_post", str(author.pk), now=now)
        if reply_to is not None and (reply_to.topic_id != topic.pk or not reply_to.is_visible):
            reply_to = None  # it was deleted while the reply was written
        return create_post(topic=topic, author=author, source=source, reply_to=reply_to, now=now)


def create_post(
    *,
    topic: Topic,
    author: User,
    source: str,
    reply_to: Post | None = None,
    is_opening: bool = False,
    now: datetime,
) -> Post:
    """Create a post in a locked topic; the caller has checked everything."""
    screened = f"{topic.title}\n\n{source}" if is_opening else source
    reasons = screen(author=author, board=topic.board, source=screened, now=now)
    post = Post.objects.create(
        topic=topic,
        author=author,
        source=source,
        html=render(source, author=author, now=now),
        state=PostState.HELD,
        held_for=reasons,
        reply_to=reply_to,
        is_opening=is_opening,
        created_at=now,
    )
    attach_files(post, by=author)
    index_post(post, topic)
    if reasons:
        publish(PostHeld(post_id=post.pk, topic_id=topic.pk))
    else:
        show(post, topic, now=now)
    return post


def show(post: Post, topic: Topic, *, now: datetime) -> None:
    """Make a post of a locked topic visible. It gets the next number of the topic, unless it has one already."""
    is_first_time = post.number is None
    if is_first_time:
        topic.last_number += 1
        post.number = topic.last_number
        post.published_at = now
        topic.last_post_at, topic.last_poster_id = now, post.author_id
    post.state = PostState.VISIBLE
    post.changed_by = None
    post.save(update_fields=["number", "published_at", "state", "changed_by"])
    if post.is_opening:
        topic.state, topic.changed_by = PostState.VISIBLE, None
        topic.published_at = topic.published_at or now
    else:
        topic.reply_count += 1
        _date_again(post, topic)
    topic.save(
        update_fields=[
            "last_number",
            "last_post_at",
            "last_poster",
            "state",
            "changed_by",
            "published_at",
            "reply_count",
            "first_reply_at",
        ]
    )
    stamp(topic, post)
    if is_first_time:
        jobs.enqueue("forum.notify_of_post", key=str(post.pk), post_id=post.pk)
        publish(PostPublished(post_id=post.pk, topic_id=topic.pk))
    else:
        _publish_change(post, topic)
        _tell_of_edits(post, is_renamed=post.is_opening)


def _date_again(post: Post, topic: Topic) -> None:
    """Note when the first and the last reply of a locked topic appeared, if one that is shown (again) is among them."""
    at = max(post.published_at or topic.last_post_at, topic.published_at or topic.created_at)
    if post.author_id != topic.author_id and (topic.first_reply_at is None or at < topic.first_reply_at):
        topic.first_reply_at = at
    if at > topic.last_post_at:
        topic.last_post_at, topic.last_poster_id = at, post.author_id


def withdraw(post: Post, topic: Topic, state: str, *, by: User | None) -> None:
    """Make a post of a locked topic invisible to others, and correct the numbers of the topic."""
    was_visible = post.is_visible
    if post.state in {PostState.VISIBLE, PostState.HELD}:
        post.state_before = post.state
    post.state, post.changed_by = state, by
    post.save(update_fields=["state", "state_before", "changed_by"])
    forget_post(post)
    if post.is_opening:
        topic.state, topic.changed_by = state, by
        topic.save(update_fields=["state", "changed_by"])
        jobs.enqueue("forum.forget_topic", key=str(topic.pk), topic_id=topic.pk)
    elif was_visible:
        topic.reply_count -= 1
        if topic.accepted_id == post.pk:
            topic.accepted = None
        newest = newest_post(topic)
        if newest is not None and newest.published_at is not None:
            topic.last_post_at, topic.last_poster_id = newest.published_at, newest.author_id
        if post.published_at and topic.first_reply_at and post.published_at <= topic.first_reply_at:
            topic.first_reply_at = first_reply_at(topic)
        topic.save(update_fields=["reply_count", "accepted", "last_post_at", "last_poster", "first_reply_at"])
    if was_visible or post.is_opening:
        stamp(topic, post)
        _publish_change(post, topic)


def _publish_change(post: Post, topic: Topic) -> None:
    publish(PostChanged(post_id=post.pk, topic_id=topic.pk))
    publish(TopicChanged(topic_id=topic.pk))


def _tell_of_edits(post: Post, *, is_renamed: bool) -> None:
    """Correct what users were told about a post that was edited, perhaps while it was not visible."""
    if post.edit_count:
        key = f"{post.pk}-{post.edit_count}"
        jobs.enqueue("forum.notify_of_edit", key=key, post_id=post.pk, is_renamed=is_renamed)


def delete(*, post: Post, by: User, now: datetime) -> Post:
    """Delete a post; deleting the opening post deletes the topic. It can be restored.

    :raises TopicHasReplies: only moderators delete a topic with replies.
    """
    with transaction.atomic():
        post = lock_post(post.pk)
        enforce(policies.delete(by, post))
        was, is_accepted = post.state, post.topic.accepted_id == post.pk
        withdraw(post, post.topic, PostState.DELETED, by=by)
        if post.author_id != by.pk:
            log(Kind.REMOVED, actor=by, post=post, was=was, is_accepted=is_accepted, now=now)
    return post


def restore(*, post: Post, by: User, now: datetime) -> Post:
    """Bring back a deleted or hidden post: visible if it was visible before, else held."""
    with transaction.atomic():
        post = lock_post(post.pk)
        enforce(policies.restore(by, post))
        was = post.state
        if post.state_before == PostState.VISIBLE:
            show(post, post.topic, now=now)
        else:
            withdraw(post, post.topic, PostState.HELD, by=None)
            publish(PostHeld(post_id=post.pk, topic_id=post.topic_id))
        if post.author_id != by.pk:
            log(Kind.RESTORED, actor=by, post=post, was=was, now=now)
    return post


def edit(
    *,
    post: Post,
    editor: User,
    source: str,
    expected_edits: int | None = None,
    title: str | None = None,
    is_logged: bool = True,
    now: datetime,
) -> Post:
    """Replace the text of a post, and the title of a topic. The earlier text is kept as a revision.

    :param is_logged: whether the edit of a moderator is a line of the log of moderation.
    :param expected_edits: how many edits the post had when the editor began.
    :raises PostChanged: someone else edited it meanwhile.
    :raises EditNeedsModerator: the edit must be reviewed, for which a topic with replies can't disappear.
    """
    source = text.normalize(source)
    text.check(source)
    with transaction.atomic():
        post = lock_post(post.pk)
        topic = post.topic
        enforce(policies.edit(editor, post))
        title = topic.title if title in {None, topic.title} or not post.is_opening else clean_title(title or "")
        if source == post.source and title == topic.title:  # also if the form was sent twice
            return post
        if expected_edits is not None and expected_edits != post.edit_count:
            raise PostHasChanged
        rate_limits.consume("forum_edit", str(editor.pk), now=now)
        screened = f"{title}\n\n{source}" if post.is_opening else source
        reasons = screen(author=editor, board=topic.board, source=screened, post=post, now=now)
        if reasons and post.is_visible and post.is_opening and topic.reply_count:
            raise EditNeedsModerator
        if (
            post.state == PostState.HIDDEN
            and post.author_id == editor.pk
            and not policies.moderates(editor, topic.board)
        ):
            reasons = [*reasons, REWRITTEN]
        if source != post.source:
            was_shown = post.is_visible and topic.is_visible
            Revision.objects.create(post=post, source=post.source, editor=editor, created_at=now, was_shown=was_shown)
        post.source, post.html = source, render(source, author=post.author, now=now)
        post.edited_at, post.edit_count = now, post.edit_count + 1
        post.held_for = reasons or post.held_for
        post.save(update_fields=["source", "html", "edited_at", "edit_count", "held_for"])
        attach_files(post, by=editor)
        old_title = topic.title
        if post.is_opening:
            topic.title, topic.excerpt = title, excerpt_of(source)
            topic.save(update_fields=["title", "excerpt"])
        index_post(post, topic)
        if post.author_id != editor.pk and is_logged:
            log(Kind.EDITED, actor=editor, post=post, edits=post.edit_count, title=old_title, now=now)
        if reasons and post.state in {PostState.VISIBLE, PostState.HIDDEN}:
            withdraw(post, topic, PostState.HELD, by=None)
            publish(PostHeld(post_id=post.pk, topic_id=topic.pk))
        elif post.number is not None:
            stamp(topic, post)
            _publish_change(post, topic)
            _tell_of_edits(post, is_renamed=topic.title != old_title)
    return post
