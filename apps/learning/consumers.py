"""The socket of a lesson's page."""

from datetime import UTC, datetime
from typing import Self
from urllib.parse import parse_qs

from channels.db import database_sync_to_async
from django.utils.dateparse import parse_datetime

from apps.learning.queries import new_versions
from studyplatform.kit.sockets import Socket


class LessonConsumer(Socket):
    """What changes while an enrolled learner has a lesson open: /ws/lessons/<uid>/?seen=<moment>&exceptions=<moment>.

    ``seen`` is when the course that the page shows was changed last. For a version that was published since, once:
    ``{"type": "version", "note": "…", "is_removed": false}``. ``is_removed``: it has no such lesson.

    ``exceptions`` is when an exception of the learner was granted or ended last, as the page knows it. For each change
    since, on the page of a quiz: ``{"type": "exceptions"}``. The page asks for its rules again.
    """

    name = "lesson"

    async def authorize(self) -> None:
        """Only learners of the course.

        :raises LectureUnavailable: it has no such lesson, or the user isn't enrolled.
        """
        lesson = self.scope["url_route"]["kwargs"]["lesson"]
        self.watched = await database_sync_to_async(new_versions.watched_lesson)(self.user, lesson)
        given = parse_qs(self.scope["query_string"].decode(errors="replace"))
        self.seen = _moment(given.get("seen", [""])[0]) or datetime.now(UTC)
        self.exceptions_seen = _moment(given.get("exceptions", [""])[0])

    @classmethod
    async def refresh(cls, sockets: list[Self]) -> None:
        """One query for all sockets, one for those of quizzes, and two more if a version was published."""
        await cls._tell_of_exceptions([one for one in sockets if one.watched.is_quiz])
        courses = {one.watched.course_id for one in sockets}
        newest = await database_sync_to_async(new_versions.newest_versions)(courses)
        behind = [
            one for one in sockets if one.watched.course_id in newest and newest[one.watched.course_id] > one.seen
        ]
        if not behind:
            return
        notes, removed = await database_sync_to_async(new_versions.describe_versions)(
            {one.watched.course_id for one in behind}, {one.watched.lesson_id for one in behind}
        )
        for socket in behind:
            watched = socket.watched
            socket.seen = newest[watched.course_id]
            said = {"note": notes.get(watched.course_id, ""), "is_removed": watched.lesson_id in removed}
            await socket.send_quietly({"type": "version", **said})

    @classmethod
    async def _tell_of_exceptions(cls, sockets: list[Self]) -> None:
        if not sockets:
            return
        enrollments = {one.watched.enrollment_id for one in sockets}
        newest = await database_sync_to_async(new_versions.newest_exceptions)(enrollments)
        for socket in sockets:
            at = newest.get(socket.watched.enrollment_id)
            if at is not None and at != socket.exceptions_seen:
                socket.exceptions_seen = at
                await socket.send_quietly({"type": "exceptions"})


def _moment(text: str) -> datetime | None:
    """Return the moment in ISO 8601; None for anything else."""
    try:
        found = parse_datetime(text)
    except ValueError:
        found = None
    return found if found is not None and found.tzinfo is not None else None
