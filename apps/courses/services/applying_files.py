"""The files, downloads and picture of a course, made equal to those of a content tree. Contents are shared by rows."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any
from uuid import UUID

from django.db.models import F

from apps.courses.content_tree.shape import FILE_COLUMNS, PICTURE_COLUMNS, lessons_of
from apps.courses.models import CourseFile, CourseFileUse, CoursePicture, LessonDownload
from apps.courses.services.applying_quizzes import drawable_texts
from apps.courses.services.applying_rows import BATCH, Target
from apps.courses.services.outline_rows import ASIDE
from apps.courses.services.pictures import discard_files, discard_renditions, redraw_files
from apps.files.models import Upload
from studyplatform.kit import jobs
from studyplatform.kit.text.content import COURSE_FILES, find_files

_PLACED = ("name", "position")


def apply_files(target: Target) -> None:
    """Give the course a row for each file of the tree. Those that no text shows anymore are cleaned up some night."""
    known = {file["uid"] for file in target.present["files"]}
    wanted = {file["uid"]: file for file in target.tree["files"] if file["uid"] not in known}
    if not wanted:
        return
    uploads = {str(upload.uid): upload for upload in Upload.objects.filter(uid__in=wanted)}
    rendered = {
        str(uid) for uid in CourseFile.objects.filter(uid__in=wanted, is_rendered=True).values_list("uid", flat=True)
    }
    made = []
    for uid, file in wanted.items():
        if uid not in uploads:
            target.applied.missing.append(file["name"])
            continue
        row = CourseFile(uid=UUID(uid), course=target.course, upload=uploads[uid], added_by=target.by)
        for name in FILE_COLUMNS:
            setattr(row, name, file[name])
        row.is_rendered, row.added_at, row.unused_since = uid in rendered, target.now, target.now
        made.append(row)
    CourseFile.objects.bulk_create(made)
    for row in made:
        if row.rendition_width and not row.is_rendered:
            jobs.enqueue("courses.render_file", key=row.uid.hex, uid=row.uid.hex)


def _files_by_uid(target: Target) -> dict[str, CourseFile]:
    return {str(file.uid): file for file in CourseFile.objects.filter(course=target.course)}


def apply_downloads(target: Target) -> None:
    """Write what lessons offer beside their content. Rows keep their addresses where the file is the same."""
    former = {lesson["uid"]: lesson["downloads"] for lesson in lessons_of(target.present)}
    changed = {
        lesson["uid"]: lesson["downloads"]
        for lesson in lessons_of(target.tree)
        if lesson["downloads"] != former.get(lesson["uid"], [])
        or (lesson["uid"] not in former and target.lessons[lesson["uid"]].pk is not None)
    }
    if not changed:
        return
    rows = LessonDownload.objects.filter(lesson__in=[target.lessons[uid].pk for uid in changed])
    known = {(row.lesson_id, str(row.file.uid)): row for row in rows.select_related("file")}
    rows.update(position=F("position") + ASIDE)
    own = _files_by_uid(target)
    new, kept = [], []
    for uid, downloads in changed.items():
        for position, download in enumerate(downloads, start=1):
            lesson = target.lessons[uid]
            row = known.pop((lesson.pk, download["file"]), None)
            if row is not None:
                kept.append(row)
            elif download["file"] in own:
                row = LessonDownload(lesson=lesson, file=own[download["file"]])
                new.append(row)
            else:
                continue  # it is named as missing already
            row.name, row.position = download["name"], position
    LessonDownload.objects.filter(pk__in=[row.pk for row in known.values()]).delete()
    LessonDownload.objects.bulk_update(kept, _PLACED, batch_size=BATCH)
    LessonDownload.objects.bulk_create(new)


def apply_uses(target: Target) -> None:
    """Record which files the course page and each lesson show, offer or link, as ``record_uses`` does for one."""
    own = _files_by_uid(target)
    if not own:
        return
    wanted: dict[int | None, set[str]] = {None: set(_files_in(target.tree["course"]))}
    drawn = drawable_texts(target.tree)
    for lesson in lessons_of(target.tree):
        shown = set(_files_in([lesson, drawn.get(lesson["uid"], [])]))
        wanted[target.lessons[lesson["uid"]].pk] = shown | {row["file"] for row in lesson["downloads"]}
    ended: list[int] = []
    begun: list[int] = []
    known: dict[int | None, set[str]] = defaultdict(set)
    for use in CourseFileUse.objects.filter(file__course=target.course).select_related("file"):
        if use.lesson_id not in wanted:
            continue
        uid = str(use.file.uid)
        known[use.lesson_id].add(uid)
        if (uid in wanted[use.lesson_id]) != (use.ended_at is None):
            (begun if use.ended_at is not None else ended).append(use.pk)
    if ended:
        CourseFileUse.objects.filter(pk__in=ended).update(ended_at=target.now)
    if begun:
        CourseFileUse.objects.filter(pk__in=begun).update(ended_at=None)
    place = CourseFileUse.Place
    CourseFileUse.objects.bulk_create(
        CourseFileUse(file=own[uid], place=place.COURSE if lesson is None else place.LESSON, lesson_id=lesson)
        for lesson, uids in wanted.items()
        for uid in sorted(uids - known[lesson])
        if uid in own
    )


def _files_in(value: Any) -> Iterator[str]:
    """Yield the files that any text within a part of a tree shows or links."""
    if isinstance(value, str):
        if COURSE_FILES in value:
            yield from (str(uid) for uid in find_files(value))
    elif isinstance(value, dict):
        for one in value.values():
            yield from _files_in(one)
    elif isinstance(value, list):
        for one in value:
            yield from _files_in(one)


def apply_picture(target: Target) -> bool:
    """Give the course the picture of the tree, whose files it shares; return whether it shows another one now.

    A picture that no course has anymore is drawn again; if its upload is gone, the course keeps the present one.
    """
    wanted = target.tree["picture"]
    if wanted == target.present["picture"]:
        return False
    old = CoursePicture.objects.filter(course=target.course).first()
    if wanted is None:
        CoursePicture.objects.filter(course=target.course).delete()
        return True
    upload = Upload.objects.filter(uid=wanted["upload"]).first()
    picture = CoursePicture(pk=old.pk if old else None, upload=upload, updated_at=target.now)
    for name in PICTURE_COLUMNS:
        setattr(picture, name, wanted[name])
    is_stored = CoursePicture.objects.filter(key=wanted["key"]).exists()
    if upload is None or not (is_stored or redraw_files(picture)):
        target.applied.missing.append(wanted["alt"] or wanted["key"])
        return False
    picture.course = target.course  # not before: the course remembers it
    picture.save()
    if old is not None and old.upload_id != upload.pk:
        discard_files(picture=old)
    elif old is not None and old.key != picture.key:
        discard_renditions(old)
    return True
