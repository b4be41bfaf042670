"""The sections and lessons of a course, made equal to those of a content tree."""

from collections import defaultdict
from datetime import datetime
from typing import Any

from django.db.models import CharField, F, Value
from django.db.models.functions import Cast, Concat

from apps.courses.content_tree.shape import LESSON_COLUMNS, Tree, lessons_of
from apps.courses.errors import PrerequisitesInCircle
from apps.courses.models import Lesson, Section
from apps.courses.queries.content_tree import lesson_columns
from apps.courses.services.applying_rows import BATCH, Target
from apps.courses.services.outline_rows import ASIDE, find_free_slug

_COMPARED = (*LESSON_COLUMNS, "video", "file")
_WRITTEN = (*LESSON_COLUMNS, "video", "file")
_PLACE = ("section", "position", "since_version", "removed_at", "removed_by")


def apply_outline(target: Target) -> None:
    """Write sections and lessons. What changes its place is first set aside, as positions and addresses are unique."""
    is_moved = _order(target.tree) != _order(target.present)
    if is_moved:
        target.course.sections.update(position=F("position") + ASIDE)
        target.course.lessons.update(position=F("position") + ASIDE)
    _remove_missing(target)
    _write_sections(target, is_moved=is_moved)
    _write_lessons(target, is_moved=is_moved)
    _readdress_removed(target)


def _order(tree: Tree) -> list[tuple[str, list[str]]]:
    return [(one["uid"], [lesson["uid"] for lesson in one["lessons"]]) for one in tree["sections"]]


def _remove_missing(target: Target) -> None:
    """Remove what the tree lacks. It keeps the place that it had: learners who were there go on after it."""
    wanted = target.lessons_of_tree
    gone = [row.pk for uid, row in target.lessons.items() if uid not in wanted and not row.is_removed]
    if gone:
        Lesson.objects.filter(pk__in=gone).update(position=F("position") - ASIDE, **target.gone)
        target.applied.removed_lessons = gone
    kept = {section["uid"] for section in target.tree["sections"]}
    if sections := [row.pk for uid, row in target.sections.items() if uid not in kept and not row.is_removed]:
        Section.objects.filter(pk__in=sections).update(position=F("position") - ASIDE, **target.gone)


def _write_sections(target: Target, *, is_moved: bool) -> None:
    new, changed = [], []
    for position, wanted in enumerate(target.tree["sections"], start=1):
        row = target.sections.get(wanted["uid"])
        if row is None:
            row = Section(course=target.course, **target.name_row(wanted["uid"]))
            target.sections[wanted["uid"]] = row
            new.append(row)
        elif is_moved or row.title != wanted["title"]:
            changed.append(row)
        row.title, row.position, row.removed_at, row.removed_by = wanted["title"], position, None, None
    Section.objects.bulk_create(new)
    Section.with_removed.bulk_update(changed, ["title", "position", "removed_at", "removed_by"], batch_size=BATCH)


def _write_lessons(target: Target, *, is_moved: bool) -> None:
    new: list[Lesson] = []
    changed: list[Lesson] = []
    placed: list[Lesson] = []
    renamed: list[int] = []
    for section in target.tree["sections"]:
        for position, wanted in enumerate(section["lessons"], start=1):
            row = target.lessons.get(wanted["uid"])
            is_new = row is None
            if row is None:
                row = Lesson(course=target.course, **target.name_row(wanted["uid"]))
                target.lessons[wanted["uid"]] = row
                new.append(row)
            elif is_moved:
                placed.append(row)
            if is_new or row.is_removed:
                row.since_version = target.version
            if not is_new and row.is_removed:
                target.applied.added_lessons.append(row.pk)
            if _write_columns(target, row, wanted, is_new=is_new, renamed=renamed) and not is_new:
                changed.append(row)
            row.section, row.position = target.sections[section["uid"]], position
            row.removed_at, row.removed_by = None, None
    if renamed:
        aside = Concat(Value("aside-"), Cast("pk", CharField()))
        Lesson.objects.filter(pk__in=renamed).update(slug=aside)
    Lesson.with_removed.bulk_update(changed, _WRITTEN, batch_size=BATCH)  # first: who returns may have a new address
    Lesson.with_removed.bulk_update(placed, _PLACE, batch_size=BATCH)
    Lesson.objects.bulk_create(new, batch_size=BATCH)
    target.applied.added_lessons += [row.pk for row in new]
    target.applied.changed_lessons = [row.pk for row in changed]


def _readdress_removed(target: Target) -> None:
    """Give removed lessons whose address a lesson of the tree has another one, where learners find their work."""
    live = {lesson["slug"] for lesson in lessons_of(target.tree)}
    removed = [row for uid, row in target.lessons.items() if uid not in target.lessons_of_tree]
    taken = live | {row.slug for row in removed}
    moved = [row for row in removed if row.slug in live]
    for row in moved:
        row.slug = find_free_slug(taken, row.slug)
        taken.add(row.slug)
    Lesson.with_removed.bulk_update(moved, ["slug"], batch_size=BATCH)


def _write_columns(target: Target, row: Lesson, wanted: dict[str, Any], *, is_new: bool, renamed: list[int]) -> bool:
    """Give a lesson its columns; return whether it has other ones now."""
    video, file = (target.videos.get(wanted["video"] or ""), target.uploads.get(wanted["file"] or ""))
    for uid, found in ((wanted["video"], video), (wanted["file"], file)):
        if uid is not None and found is None:
            target.applied.missing.append(wanted["title"])
    was = {} if is_new else {**lesson_columns(row), "video": row.video_id, "file": row.file_id}
    now = {
        **{name: wanted[name] for name in LESSON_COLUMNS},
        "video": video.pk if video is not None else None,
        "file": file.pk if file is not None else None,
    }
    if video is not None:
        now["duration"] = round(video.duration)
    if all(was.get(name, was) == now[name] for name in _COMPARED):
        return False
    if not is_new and row.slug != now["slug"] and not row.is_removed:
        renamed.append(row.pk)
    if was.get("file") is not None and was["file"] != now["file"]:
        target.applied.replaced_uploads.append(was["file"])
    for name in LESSON_COLUMNS:
        setattr(row, name, now[name])
    row.opens_at = datetime.fromisoformat(now["opens_at"]) if now["opens_at"] else None
    row.video, row.file = video, file
    return True


def apply_prerequisites(target: Target) -> None:
    """Write which lessons require which.

    :raises PrerequisitesInCircle: lessons require each other.
    """
    wanted = {lesson["uid"]: lesson["prerequisites"] for lesson in lessons_of(target.tree)}
    if (circle := _find_circle(wanted)) is not None:
        raise PrerequisitesInCircle(lesson=target.lessons[circle].title)
    pairs = {
        (target.lessons[waits].pk, target.lessons[needed].pk)
        for waits, needs in wanted.items()
        for needed in needs
        if needed in wanted
    }
    through = Lesson.prerequisites.through
    inside = {target.lessons[uid].pk for uid in wanted}
    found = through.objects.filter(from_lesson__course=target.course)
    known = {(row.from_lesson_id, row.to_lesson_id): row.pk for row in found if row.from_lesson_id in inside}
    if extra := [pk for pair, pk in known.items() if pair not in pairs]:
        through.objects.filter(pk__in=extra).delete()
    through.objects.bulk_create(
        through(from_lesson_id=waits, to_lesson_id=needed) for waits, needed in sorted(pairs - known.keys())
    )


def _find_circle(wanted: dict[str, list[str]]) -> str | None:
    """Return a lesson that requires itself over others, or None: leaves are taken away until nothing is left."""
    waiting = {waits: {needed for needed in needs if needed in wanted} for waits, needs in wanted.items()}
    needed_by: dict[str, list[str]] = defaultdict(list)
    for waits, needs in waiting.items():
        for needed in needs:
            needed_by[needed].append(waits)
    free = [uid for uid, needs in waiting.items() if not needs]
    while free:
        done = free.pop()
        for waits in needed_by[done]:
            waiting[waits].discard(done)
            if not waiting[waits]:
                free.append(waits)
    return next((uid for uid, needs in waiting.items() if needs), None)
