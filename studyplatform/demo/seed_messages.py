"""The demo's conversations and announcements (content/forum/messages.yaml).

They are written by the services of the forum, dated in the past. A conversation that has begun, and an announcement
that was sent, are left as they are.
"""

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import yaml
from django.db import transaction

from apps.accounts.models import User
from apps.courses.models import Course
from apps.files.models import File
from apps.forum.models import Announcement, AnnouncementCopy, Conversation
from apps.forum.services import announcements, message_reading, messages
from studyplatform.demo.library import CONTENT, READER, Library

SOURCE = CONTENT / "forum" / "messages.yaml"
ANSWERED_AFTER = timedelta(hours=5)  # a message is read that long after it was written
Row = Mapping[str, Any]


def message_steps(library: Library, *, now: datetime) -> Iterator[tuple[str, Callable[[], None]]]:
    """The steps for the courses of the library: a label and a function each."""
    courses = {course.slug for course in library.courses}
    known = yaml.load(SOURCE.read_text(), READER)  # noqa: S506 (a safe loader)
    for row in known["conversations"]:
        if row["course"] in courses:
            yield f"{row['learner'].split('@')[0]} and {row['course']}", partial(seed_conversation, row, now)
    for row in known["announcements"]:
        if row["course"] in courses:
            yield row["subject"], partial(seed_announcement, row, now)


def seed_conversation(row: Row, now: datetime) -> None:
    """One conversation with its messages, read up to those that are still unread."""
    course = Course.objects.select_related("instructor").get(slug=row["course"])
    learner = User.objects.get(email=row["learner"])
    if Conversation.objects.filter(course=course, learner=learner).exists():
        return
    said = row["said"]
    with transaction.atomic():
        for place, one in enumerate(said, 1):
            user = learner if one["by"] == "learner" else course.instructor
            at = now - timedelta(days=one["days_ago"])
            files = [_file_of(user, path) for path in one.get("files", ())]
            message = messages.send_message(
                course=course, learner=learner, user=user, source=one["text"].strip(), files=files, now=at
            )
            if place <= len(said) - row.get("unread", 0):
                reader = messages.other_in(message.conversation, user)
                read_at = min(at + ANSWERED_AFTER, now)
                message_reading.mark_read(conversation=message.conversation, user=reader, number=place, now=read_at)


def _file_of(user: User, path: str) -> File:
    """A file of the user's library by its folders and its name."""
    *folders, name = path.split("/")
    files = File.objects.of(user.pk).present().filter(name=name)
    return files.get(**({"folder__name": folders[-1]} if folders else {"folder": None}))


def seed_announcement(row: Row, now: datetime) -> None:
    """One announcement, delivered, and opened by a part of its recipients."""
    course = Course.objects.select_related("instructor").get(slug=row["course"])
    if Announcement.objects.filter(course=course, subject=row["subject"]).exists():
        return
    at = now - timedelta(days=row["days_ago"])
    section = course.sections.get(position=row["section"]) if "section" in row else None
    with transaction.atomic():
        sent = announcements.send_announcement(
            course=course,
            user=course.instructor,
            audience=row["audience"],
            section=section,
            subject=row["subject"],
            source=row["text"].strip(),
            now=at,
        )
        announcements.deliver_announcement(announcement_id=sent.pk, now=at, extend_lease=lambda: None)
        copies = list(AnnouncementCopy.objects.filter(announcement=sent).select_related("user", "announcement"))
        for copy in copies[: len(copies) * row["read"] // 100]:
            announcements.mark_announcement_read(copy=copy, now=at + ANSWERED_AFTER)
