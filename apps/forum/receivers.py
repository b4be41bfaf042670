"""How the forum reacts to events, and what it tells the library of files."""

from django.db.models.signals import post_delete
from django.dispatch import receiver
from django.utils import timezone

from apps.accounts.events import AccountDeleted
from apps.courses.events import CoursePublished
from apps.files import services as files
from apps.forum import message_policies, moderation_notices, services
from apps.forum.events import PostChanged, PostHeld, PostReported, TopicChanged
from apps.forum.models import PostFile, Topic
from apps.forum.queries.attachments import posts_using
from apps.forum.queries.message_files import messages_using
from apps.forum.services import announcements, message_safety
from studyplatform.kit.caching import table_versions
from studyplatform.kit.events import subscribe
from studyplatform.kit.extensions import answers_changed

files.register_offer(message_policies.files_offering)
files.register_use(messages_using)
files.register_use(posts_using)
# What a list for visitors must not show a moment longer; new topics and replies may appear a minute later.
table_versions.watch("discussions", Topic, only={"title", "state", "board", "merged_into", "accepted"})


@subscribe(AccountDeleted)
def forget_messages_of_deleted_user(event: AccountDeleted) -> None:
    """Messages stay, for those to whom they were written: they are by a deleted user then."""
    message_safety.delete_blocks_of(user_id=event.user_id)
    announcements.delete_copies_of(user_id=event.user_id)


@receiver(post_delete, sender=PostFile)
def release_file_of_post(instance: PostFile, **_: object) -> None:
    """Delete the content of a file that a post no longer shows, unless the library or another post has it."""
    files.release_content(upload_id=instance.upload_id)


@subscribe(CoursePublished)
def open_board(event: CoursePublished) -> None:
    """A course gets its board when it is first published."""
    services.create_course_board(course_id=event.course_id)


@subscribe(AccountDeleted)
def forget_reading(event: AccountDeleted) -> None:
    """Posts, votes and reactions stay, by a deleted user; what the user read and followed is deleted."""
    services.forget_reading(user_id=event.user_id)


@subscribe(AccountDeleted)
def delete_drafts_of_deleted_user(event: AccountDeleted) -> None:
    services.delete_drafts(user_id=event.user_id)


@subscribe(PostHeld)
def tell_moderators_of_held_post(event: PostHeld) -> None:
    """The moderators of its board are told that something waits."""
    _tell_moderators(event.topic_id, "pending")


@subscribe(PostReported)
def tell_moderators_of_report(event: PostReported) -> None:
    """The moderators of its board are told that something waits."""
    _tell_moderators(event.topic_id, "reported")


def _tell_moderators(topic_id: int, tab: str) -> None:
    topic = Topic.objects.select_related("board__course__instructor").filter(pk=topic_id).first()
    if topic is not None:
        moderation_notices.tell_moderators(topic.board, tab=tab, now=timezone.now())


@subscribe(PostChanged)
def follow_changed_post(event: PostChanged) -> None:
    _follow_answers(event.topic_id)


@subscribe(TopicChanged)
def follow_changed_topic(event: TopicChanged) -> None:
    _follow_answers(event.topic_id)


@subscribe(PostHeld)
def follow_held_post(event: PostHeld) -> None:
    _follow_answers(event.topic_id)


def _follow_answers(topic_id: int) -> None:
    """Tell those who search the answers about lessons. One query, and nothing more unless it is about a lesson."""
    about = Topic.objects.filter(pk=topic_id, lesson__isnull=False, board__course__isnull=False)
    for course_id in about.values_list("board__course", flat=True):
        for follow in answers_changed.ordered():
            follow(course_id)
