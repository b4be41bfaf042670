"""Changes of outlines, recorded with what is needed to take them back (``undo``)."""

import hashlib
import json
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db.models import Model, QuerySet

from apps.accounts.models import User
from apps.courses.arrangement import NOTHING_CHOSEN, Arrangement, Chosen, Difference, compare
from apps.courses.models import Course, Lesson, LessonDownload, OutlineChange, Question, Quiz, QuizDraw

SETTINGS = ("is_preview", "is_optional", "opens_at", "opens_after_days")  # of a lesson, that are recorded
MERGED_WITHIN = timedelta(minutes=5)  # a title that is saved while it is typed is one change
Kind = OutlineChange.Kind


@dataclass(frozen=True)
class State:
    """An outline at one moment: its arrangement, and the recorded fields of sections and lessons."""

    arrangement: Arrangement
    fields: dict[tuple[str, int], dict[str, Any]]


@dataclass
class Recording:
    """The change that is being recorded; ``change`` is None if nothing changed."""

    change: OutlineChange | None = field(default=None)


@contextmanager
def recording(
    course: Course,
    *,
    made_by: User,
    kind: str,
    chosen: Chosen = NOTHING_CHOSEN,
    batch: UUID | None = None,
    now: datetime,
) -> Iterator[Recording]:
    """Record what is changed within. Call it in a transaction that has locked the course; five queries.

    What is added with the same ``batch`` is one change.
    """
    before = read_state(course)
    recorded = Recording()
    yield recorded
    after = read_state(course)
    recorded.change = _record(course, before, after, made_by=made_by, kind=kind, chosen=chosen, batch=batch, now=now)


def read_state(course: Course) -> State:
    """Read the outline with what is recorded of it. Two queries."""
    sections = list(course.sections.order_by("position").values("pk", "title"))
    lessons = list(course.lessons.order_by("position").values("pk", "section_id", "title", *SETTINGS))
    inside: dict[int, list[int]] = {section["pk"]: [] for section in sections}
    for lesson in lessons:
        inside[lesson["section_id"]].append(lesson["pk"])
    fields: dict[tuple[str, int], dict[str, Any]] = {
        ("section", row["pk"]): {"title": row["title"]} for row in sections
    }
    for row in lessons:
        opens_at = row["opens_at"].isoformat() if row["opens_at"] else None
        fields["lesson", row["pk"]] = {"title": row["title"], **{name: row[name] for name in SETTINGS}} | {
            "opens_at": opens_at
        }
    return State(Arrangement.of(inside.items()), fields)


def _record(
    course: Course,
    before: State,
    after: State,
    *,
    made_by: User,
    kind: str,
    chosen: Chosen,
    batch: UUID | None,
    now: datetime,
) -> OutlineChange | None:
    difference = compare(before.arrangement, after.arrangement, chosen)
    changed = [
        [*key, name, was[name], after.fields[key][name]]
        for key, was in before.fields.items()
        if key in after.fields
        for name in was
        if was[name] != after.fields[key][name]
    ]
    facts: dict[str, Any] = {"fields": changed}
    if before.arrangement != after.arrangement:
        facts["order"] = {"before": before.arrangement.sections, "after": after.arrangement.sections}
        facts |= _places(difference)
        if difference.added_lessons:
            facts["contents"] = digest_contents(difference.added_lessons)
        if difference.added_sections:
            facts["titles"] = {str(pk): after.fields["section", pk]["title"] for pk in difference.added_sections}
    elif not changed:
        return None
    keys = _changed_keys(difference, changed, after)
    titles = [{**before.fields, **after.fields}[key]["title"] for key in keys]
    if kind in _OF_FIELDS and (merged := _merge_with_last(course, changed, kind, titles[0], made_by, now)) is not None:
        return merged
    if batch is not None:
        facts["batch"] = batch.hex
        if (merged := _merge_with_batch(course, facts, after.arrangement, made_by, now)) is not None:
            return merged
    return OutlineChange.objects.create(
        course=course,
        made_by=made_by,
        made_at=now,
        kind=kind,
        subject=titles[0] if len(titles) == 1 else "",
        count=max(1, len(titles)),
        facts=facts,
    )


def _places(difference: Difference) -> dict[str, Any]:
    return {
        name: {
            "sections": sorted(getattr(difference, f"{name}_sections")),
            "lessons": sorted(getattr(difference, f"{name}_lessons")),
        }
        for name in ("moved", "added", "removed")
    }


def _changed_keys(difference: Difference, changed: list[list[Any]], after: State) -> list[tuple[str, int]]:
    """Return what the change is about: a section that was removed or added stands for its lessons."""
    sections = difference.sections
    now_in = after.arrangement.section_of
    keys = [("section", pk) for pk in sorted(sections)]
    if not (difference.removed_sections or difference.added_sections):
        keys += [("lesson", pk) for pk in sorted(difference.lessons)]
    else:
        keys += [("lesson", pk) for pk in sorted(difference.moved_lessons)]
        keys += [("lesson", pk) for pk in sorted(difference.added_lessons) if now_in[pk] not in sections]
    return list(dict.fromkeys([*keys, *((row[0], row[1]) for row in changed)]))


_OF_FIELDS = {Kind.RENAME, Kind.SETTINGS}


def _merge_with_last(
    course: Course, changed: list[list[Any]], kind: str, title: str, made_by: User, now: datetime
) -> OutlineChange | None:
    """Make the change a part of the last one, if that is of the same call, or gave a title to the same thing just now.

    A call saves the fields of one lesson one by one.
    """
    last = course.outline_changes.order_by("-pk").first()
    if last is None or last.undone_at is not None or last.kind not in _OF_FIELDS or last.made_by_id != made_by.pk:
        return None
    earlier = {tuple(row[:3]): row for row in last.facts["fields"]}
    later = {tuple(row[:3]): row for row in changed}
    is_typed = (
        kind == last.kind == Kind.RENAME and now - last.made_at <= MERGED_WITHIN and earlier.keys() == later.keys()
    )
    is_same_call = now == last.made_at and {key[:2] for key in earlier} == {key[:2] for key in later}
    if not is_typed and not (is_same_call and len({key[:2] for key in later}) == 1):
        return None
    for key, row in later.items():
        earlier[key] = [*earlier.get(key, row)[:4], row[4]]
    last.facts["fields"] = list(earlier.values())
    last.kind = kind if kind == last.kind else Kind.SETTINGS
    last.subject, last.made_at = title[:120], now
    last.save(update_fields=["facts", "kind", "subject", "made_at"])
    return last


def _merge_with_batch(
    course: Course, facts: dict[str, Any], after: Arrangement, made_by: User, now: datetime
) -> OutlineChange | None:
    """Make the lessons that were added a part of the change that added the others of their batch.

    Not if that was undone, or if what it added was moved or deleted since.
    """
    added = course.outline_changes.filter(kind=Kind.ADD, made_by=made_by, facts__batch=facts["batch"])
    first = added.order_by("-pk").first()
    if first is None or first.undone_at is not None or later_change(first) is not None:
        return None
    lessons = {*first.facts["added"]["lessons"], *facts["added"]["lessons"]}
    before = [(section, [pk for pk in inside if pk not in lessons]) for section, inside in after.sections]
    # What others have done since stays as it is: the former order is the present one without these lessons.
    first.facts["order"] = {"before": Arrangement.of(before).sections, "after": after.sections}
    first.facts["added"]["lessons"] = sorted(lessons)
    first.facts["contents"] |= facts["contents"]
    first.subject, first.count, first.made_at = "", len(lessons), now
    first.save(update_fields=["facts", "subject", "count", "made_at"])
    return first


def later_change(change: OutlineChange) -> OutlineChange | None:
    """Return the last change, if one is not undone, that put the same things in another place since."""
    mine = _touched(change)
    since = OutlineChange.objects.filter(course=change.course_id, pk__gt=change.pk, undone_at=None)
    return next((later for later in since.order_by("-pk") if mine & _touched(later)), None)


def _touched(change: OutlineChange) -> set[tuple[str, int]]:
    return {
        (rows, pk)
        for name in ("moved", "added", "removed")
        for rows, pks in change.facts.get(name, {}).items()
        for pk in pks
    }


_COLUMNS_OF_PLACE = {
    "id",
    "uid",
    "origin",
    "course",
    "section",
    "position",
    "number",
    "slug",
    "removed_at",
    "removed_by",
}
_COUNTED_COLUMNS = {
    "duration",
    "bank_count",
    "since_version",
}  # that services set, also when nobody has edited the lesson


_NO_FILES: dict[str, Any] = {"video_id": None, "file_id": None, "file_name": ""}


def _list_written_columns(model: type[Model]) -> list[str]:
    """Return the columns in which authors write: all that are not known to be something else."""
    fields = model._meta.concrete_fields  # noqa: SLF001 (public by Django's documentation)
    return [one.attname for one in fields if one.name not in _COLUMNS_OF_PLACE | _COUNTED_COLUMNS]


def digest_contents(lessons: Collection[int], *, without_files: Collection[int] = ()) -> dict[str, str]:
    """Return a digest of everything that was written in each of these lessons, by primary key as text. Seven queries.

    A change of any of it gives another digest, so that it is not lost when the lesson is taken back.
    ``without_files`` are lessons that are looked at as if they had no video and no file.
    """
    names = _list_written_columns(Lesson)
    rows_of_lessons = Lesson.objects.filter(pk__in=lessons).values("pk", *names)
    parts: dict[int, list[Any]] = {
        row["pk"]: [(row | _NO_FILES if row["pk"] in without_files else row)[name] for name in names]
        for row in rows_of_lessons
    }
    draws = QuizDraw.objects.filter(quiz__lesson__in=lessons).order_by("quiz", "position")
    links = Lesson.prerequisites.through.objects.filter(from_lesson__in=lessons).order_by("to_lesson")
    rows: list[QuerySet[Any, Any]] = [
        Quiz.objects.filter(lesson__in=lessons).values_list("lesson", *_list_written_columns(Quiz)),
        Question.objects.filter(quiz__lesson__in=lessons)
        .order_by("quiz", "position")
        .values_list("quiz__lesson", *_list_written_columns(Question)),
        draws.values_list("quiz__lesson", "question", "count"),
        draws.exclude(tags=None).order_by("quiz", "position", "tags").values_list("quiz__lesson", "position", "tags"),
        LessonDownload.objects.filter(lesson__in=lessons)
        .order_by("lesson", "position")
        .values_list("lesson", *_list_written_columns(LessonDownload)),
        links.values_list("from_lesson", "to_lesson"),
    ]
    for found in rows:
        for pk, *values in found:
            parts[pk].append(values)
    return {
        str(pk): hashlib.sha256(json.dumps(values, default=str).encode()).hexdigest()[:16]
        for pk, values in parts.items()
    }


def record_removed_question(question: Question, course: Course, *, made_by: User, now: datetime) -> OutlineChange:
    """Record that a question was removed, with its place and what linked it."""
    draws = question.draws.order_by("pk").values_list("quiz", "position")
    return OutlineChange.objects.create(
        course=course,
        made_by=made_by,
        made_at=now,
        kind=Kind.QUESTION,
        subject=" ".join(question.prompt.split())[:120],
        facts={
            "fields": [],
            "questions": [[question.pk, question.quiz_id, question.position]],
            "draws": [list(row) for row in draws],
        },
    )
