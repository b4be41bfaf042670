"""The demo's notes and moments (content/notes.yaml), written by the service, dated in the past."""

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from uuid import NAMESPACE_URL, uuid5

import yaml

from apps.accounts.models import User
from apps.courses.models import Lesson
from apps.learning import services
from apps.learning.models import Note
from studyplatform.demo.library import CONTENT, READER, Library

Row = Mapping[str, Any]


def note_steps(library: Library, *, now: datetime) -> Iterator[tuple[str, Callable[[], None]]]:
    """The steps for the courses of the library: a label and a function each."""
    courses = {course.slug for course in library.courses}
    rows = yaml.load((CONTENT / "notes.yaml").read_text(), READER)  # noqa: S506 (a safe loader)
    for row in rows:
        if row["course"] in courses:
            yield f"notes on {row['course']}", partial(seed_notes, row, now)


def seed_notes(row: Row, now: datetime) -> None:
    """The notes of a learner in a course. Nothing is written for a learner who has some there."""
    learner = User.objects.get(email=row["learner"])
    if Note.objects.of(learner.pk).filter(course__slug=row["course"]).exists():
        return
    for number, one in enumerate(row["notes"]):
        at = now - timedelta(days=one["days_ago"], minutes=30 - number)
        lesson = Lesson.objects.get(course__slug=row["course"], slug=one["lesson"])
        services.write_note(
            user=learner,
            lesson_uid=lesson.uid,
            uid=uuid5(NAMESPACE_URL, f"{row['course']}/{number}"),
            kind=one.get("kind", Note.Kind.NOTE),
            second=one.get("second"),
            text=one["text"].strip(),
            now=at,
        )
