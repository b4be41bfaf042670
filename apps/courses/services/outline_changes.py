"""Changes of outlines, recorded with what is needed to take them back (``undo``)."""

import hashlib
import json
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from apps.accounts.models import User
from apps.courses.arrangement import NOTHING_CHOSEN, Arrangement, Chosen, Difference, compare
from apps.courses.models import Course, Lesson, OutlineChange, Question

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
    course: Course, *, made_by: User, kind: str, chosen: Chosen = NOTHING_CHOSEN, now: datetime
) -> Iterator[Recording]:
    """Record what is changed within. Call it in a transaction that has locked the course; five queries."""
    before = read_state(course)
    recorded = Recording()
    yield recorded
    after = read_state(course)
    recorded.change = _record(course, before, after, made_by=made_by, kind=kind, chosen=chosen, now=now)


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
    course: Course, before: State, after: State, *, made_by: User, kind: str, chosen: Chosen, now: datetime
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
    elif not changed:
        return None
    keys = _changed_keys(difference, changed, after)
    titles = [{**before.fields, **after.fields}[key]["title"] for key in keys]
    if kind == Kind.RENAME and (merged := _merge_with_last(course, changed, made_by, now)) is not None:
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


def _merge_with_last(course: Course, changed: list[list[Any]], made_by: User, now: datetime) -> OutlineChange | None:
    """Make the change a part of the last one, if that gave a title to the same thing a moment ago."""
    last = course.outline_changes.order_by("-pk").first()
    if last is None or last.undone_at is not None or last.kind != Kind.RENAME or last.made_by_id != made_by.pk:
        return None
    earlier = last.facts["fields"]
    if now - last.made_at > MERGED_WITHIN or [row[:3] for row in earlier] != [row[:3] for row in changed]:
        return None
    last.facts["fields"] = [[*old[:4], new[4]] for old, new in zip(earlier, changed, strict=True)]
    last.subject, last.made_at = str(changed[0][4])[:120], now
    last.save(update_fields=["facts", "subject", "made_at"])
    return last


def digest_contents(lessons: Collection[int]) -> dict[str, str]:
    """Return a digest of what is in each of these lessons, by primary key as text. Two queries."""
    columns = ("title", "summary", "body", "video_id", "external_video", "file_id", "chapters")
    parts: dict[int, list[Any]] = {
        pk: list(values) for pk, *values in Lesson.objects.filter(pk__in=lessons).values_list("pk", *columns)
    }
    questions = Question.objects.filter(quiz__lesson__in=lessons).order_by("quiz", "position")
    for pk, *values in questions.values_list("quiz__lesson", "kind", "prompt", "options", "answer", "explanation"):
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
