"""The socket of a lesson's page."""

from datetime import UTC, datetime
from typing import Self
from urllib.parse import parse_qs

from channels.db import database_sync_to_async
from django.utils.dateparse import parse_datetime

from apps.learning.queries import new_versions
from studyplatform.kit.sockets import Socket


class LessonConsumer(Socket):
    """Versions of the course while an enrolled learner has a lesson open: /ws/lessons/<uid>/?seen=<moment>.

    ``seen`` is when the course that the page shows was changed last. For a version that was published since, once:
    ``{"type": "version", "note": "…", "is_removed": false}``. ``is_removed``: it has no such lesson.
    """

    name = "lesson"

    async def authorize(self) -> None:
        """Only learners of the course.

        :raises LectureUnavailable: it has no such lesson, or the user isn't enrolled.
        """
        lesson = self.scope["url_route"]["kwargs"]["lesson"]
        self.lesson_id, self.course_id = await database_sync_to_async(new_versions.watched_lesson)(self.user, lesson)
        self.seen = _moment(parse_qs(self.scope["query_string"].decode(errors="replace")).get("seen", [""])[0])

    @classmethod
    async def refresh(cls, sockets: list[Self]) -> None:
        """One query for all sockets, and two more if a version was published."""
        newest = await database_sync_to_async(new_versions.newest_versions)({one.course_id for one in sockets})
        behind = [one for one in sockets if one.course_id in newest and newest[one.course_id] > one.seen]
        if not behind:
            return
        notes, removed = await database_sync_to_async(new_versions.describe_versions)(
            {one.course_id for one in behind}, {one.lesson_id for one in behind}
        )
        for socket in behind:
            socket.seen = newest[socket.course_id]
            said = {"note": notes.get(socket.course_id, ""), "is_removed": socket.lesson_id in removed}
            await socket.send_quietly({"type": "version", **said})


def _moment(text: str) -> datetime:
    """Return the moment in ISO 8601; the present one for anything else."""
    try:
        found = parse_datetime(text)
    except ValueError:
        found = None
    return found if found is not None and found.tzinfo is not None else datetime.now(UTC)
