"""Background jobs of the forum."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.forum.models import Announcement, BulkMessage, NotificationRun
from apps.forum.services import announcements, bulk_messages, indexing, messages, notified, notifying
from studyplatform.kit import jobs


def _about_announcement(payloads: Sequence[Mapping[str, Any]]) -> list[jobs.JobSubject | None]:
    rows = Announcement.objects.select_related("course").in_bulk([one.get("announcement_id", 0) for one in payloads])
    found = [rows.get(one.get("announcement_id", 0)) for one in payloads]
    said = _("%(course)s: %(sent)s of %(expected)s learners")
    return [
        jobs.JobSubject(said % {"course": row.course.title, "sent": row.sent_count, "expected": row.expected})
        if row
        else None
        for row in found
    ]


@jobs.job("forum.deliver_announcement", label=gettext_lazy("Send an announcement"), about=_about_announcement)
def deliver_announcement(running: jobs.Running, *, announcement_id: int) -> None:
    announcements.deliver_announcement(
        announcement_id=announcement_id, now=timezone.now(), extend_lease=running.extend_lease
    )


def _about_bulk_message(payloads: Sequence[Mapping[str, Any]]) -> list[jobs.JobSubject | None]:
    rows = BulkMessage.objects.in_bulk([one.get("bulk_message_id", 0) for one in payloads])
    found = [rows.get(one.get("bulk_message_id", 0)) for one in payloads]
    said = _("%(sent)s of %(expected)s messages")
    return [
        jobs.JobSubject(said % {"sent": row.handled_count, "expected": row.expected}) if row else None for row in found
    ]


def _give_up_bulk_message(error: Exception, *, bulk_message_id: int) -> None:
    bulk_messages.give_up_bulk_message(bulk_message_id=bulk_message_id, now=timezone.now())


@jobs.job(
    "forum.deliver_bulk_message",
    label=gettext_lazy("Send a message to many learners"),
    about=_about_bulk_message,
    on_failure=_give_up_bulk_message,
    on_retry=bulk_messages.reopen_bulk_message,
)
def deliver_bulk_message(running: jobs.Running, *, bulk_message_id: int) -> None:
    bulk_messages.deliver_bulk_message(
        bulk_message_id=bulk_message_id, now=timezone.now(), extend_lease=running.extend_lease
    )


@jobs.job("forum.index_posts", label=gettext_lazy("Rebuild the search index of the discussions"))
def index_posts(running: jobs.Running) -> None:
    indexing.index_all_posts(keep_lease=running.extend_lease)


@jobs.job("forum.notify_of_message", label=gettext_lazy("Notify of a message"))
def notify_of_message(running: jobs.Running, *, message_id: int) -> None:
    messages.notify_of_message(message_id=message_id)


def _about_run(what: str) -> Callable[[Sequence[Mapping[str, Any]]], list[jobs.JobSubject | None]]:
    def about(payloads: Sequence[Mapping[str, Any]]) -> list[jobs.JobSubject | None]:
        posts = [one.get("post_id", 0) for one in payloads]
        rows = NotificationRun.objects.filter(what=what, post__in=posts).select_related("post__topic")
        found = {row.post_id: row for row in rows}
        said = _("%(topic)s: %(sent)s of %(expected)s followers")
        return [
            jobs.JobSubject(
                said % {"topic": row.post.topic.title, "sent": row.sent_count, "expected": row.expected},
                row.post.path,
            )
            if (row := found.get(post))
            else None
            for post in posts
        ]

    return about


@jobs.job(
    "forum.notify_of_post", label=gettext_lazy("Notify of a new post"), about=_about_run(NotificationRun.What.POST)
)
def notify_of_post(running: jobs.Running, *, post_id: int) -> None:
    notifying.notify_of_post(post_id=post_id, now=timezone.now(), extend_lease=running.extend_lease)


@jobs.job("forum.notify_of_edit", label=gettext_lazy("Notify of an edited post"))
def notify_of_edit(running: jobs.Running, *, post_id: int, is_renamed: bool) -> None:
    notifying.notify_of_edit(post_id=post_id, is_renamed=is_renamed)


@jobs.job(
    "forum.notify_of_answer",
    label=gettext_lazy("Notify of an accepted answer"),
    about=_about_run(NotificationRun.What.ANSWER),
)
def notify_of_answer(running: jobs.Running, *, post_id: int, by_id: int) -> None:
    notifying.notify_of_answer(post_id=post_id, by_id=by_id, now=timezone.now(), extend_lease=running.extend_lease)


@jobs.job("forum.forget_topic", label=gettext_lazy("Delete the notifications of a topic"))
def forget_topic(running: jobs.Running, *, topic_id: int) -> None:
    notified.forget_topic(topic_id=topic_id, extend_lease=running.extend_lease)


@jobs.job("forum.forget_unreadable", label=gettext_lazy("Delete the notifications of a moved topic"))
def forget_unreadable(running: jobs.Running, *, topic_id: int) -> None:
    notified.forget_unreadable(topic_id=topic_id, extend_lease=running.extend_lease)
