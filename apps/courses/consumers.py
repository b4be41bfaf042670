"""The socket of those who edit a course."""

import time
from datetime import datetime, timedelta
from typing import Any, Self
from uuid import UUID

from channels.db import database_sync_to_async
from django.utils import timezone

from apps.courses import policies
from apps.courses.errors import CourseNotFound
from apps.courses.models import Course, FieldEdit
from apps.courses.rights import people_of
from apps.courses.services.outline_rows import topic_of
from studyplatform.kit.policies import enforce
from studyplatform.kit.sockets import Socket, publish

NO_LONGER_ALLOWED = 4403  # close code: the user was removed from the course
OVERLAP = timedelta(seconds=10)  # for transactions that took long, and servers whose clocks differ
PRESENCE_GAP = 1.0  # seconds between two messages of a browser about where its user writes; more are ignored
MAX_NAME_LENGTH = 60  # characters of a field's name, and of a tab's


class StudioConsumer(Socket):
    """Who edits a course, and what they save: /ws/studio/<uid of the course>/.

    Sends ``{"type": "edited", "target": uid, "field": "title", "by": "Ana", "client": "…"}`` when a field of the course
    or of its lessons was saved (``client`` names the tab that did; the browser asks for the new value), ``{"type":
    "outline"}`` when sections or lessons were added, moved, changed or removed, and ``{"type":
    "here", "by": "Ana", "client": "…", "target": uid, "field": "title"}`` while somebody is in a field. The browser
    says ``{"type": "here", "client": "…", "target": uid, "field": "title"}`` itself. The socket of somebody who is
    removed from the course is closed within a second.
    """

    name = "studio"

    _known: set[tuple[int, datetime]]

    async def authorize(self) -> None:
        """Only the staff of the course.

        :raises CourseNotFound: it doesn't exist, or is hidden from the user.
        """
        course = await database_sync_to_async(self._find_course)(self.scope["url_route"]["kwargs"]["course"])
        self.course_id, self.people_id = course.pk, course.live_id
        self.subscribe(topic_of(self.scope["url_route"]["kwargs"]["course"]))
        self.since = timezone.now()
        edits = await database_sync_to_async(_edits_since)({self.course_id}, self.since - OVERLAP)
        self._known = {(edit.pk, edit.edited_at) for edit in edits}  # the page came with them
        self._said_at = 0.0

    def _find_course(self, uid: UUID) -> Course:
        course = Course.with_working_copies.filter(uid=uid).first()
        if course is None:
            raise CourseNotFound
        enforce(policies.manage_course(self.user, course))
        return course

    @classmethod
    async def _staying(cls, sockets: list[Self]) -> list[Self]:
        """The sockets of those who still belong to the course; the others are closed. One query, none for admins."""
        asked = [socket for socket in sockets if not socket.user.is_admin]
        people = await database_sync_to_async(people_of)({one.people_id for one in asked}) if asked else set()
        left = [socket for socket in asked if (socket.people_id, socket.user.pk) not in people]
        for socket in left:
            await socket.close(code=NO_LONGER_ALLOWED)
        return [socket for socket in sockets if socket not in left]

    @classmethod
    async def refresh(cls, sockets: list[Self]) -> None:
        """Two queries for all sockets."""
        now = timezone.now()
        since = min(socket.since for socket in sockets) - OVERLAP
        edits = await database_sync_to_async(_edits_since)({socket.course_id for socket in sockets}, since)
        sockets = await cls._staying(sockets)
        for socket in sockets:
            for edit in socket.news_in(edits, now):
                await socket.send_quietly(
                    {
                        "type": "edited",
                        "target": str(edit.target),
                        "field": edit.field,
                        "by": edit.edited_by.display_name if edit.edited_by else "",
                        "client": edit.client,
                    }
                )

    def news_in(self, edits: list[FieldEdit], now: datetime) -> list[FieldEdit]:
        """The edits of the course that this browser has not heard of."""
        mine = [edit for edit in edits if edit.course_id == self.course_id]
        news = [edit for edit in mine if (edit.pk, edit.edited_at) not in self._known]
        self._known, self.since = {(edit.pk, edit.edited_at) for edit in mine}, now
        return news

    async def handle(self, message: dict[str, Any]) -> None:
        now = time.monotonic()
        if message.get("type") != "here" or now - self._said_at < PRESENCE_GAP:
            return
        self._said_at = now
        said = {name: str(message.get(name, ""))[:MAX_NAME_LENGTH] for name in ("client", "target", "field")}
        topic = topic_of(self.scope["url_route"]["kwargs"]["course"])
        await database_sync_to_async(publish)(topic, {"type": "here", "by": self.user.display_name, **said})


def _edits_since(courses: set[int], since: datetime) -> list[FieldEdit]:
    found = FieldEdit.objects.select_related("edited_by").filter(course_id__in=courses, edited_at__gte=since)
    return list(found.order_by("edited_at", "pk"))
