"""What stored versions of courses need: removed lessons and questions, and files, so that they can be restored."""

from collections.abc import Collection, Iterable
from itertools import chain
from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef, Sum
from django.utils.translation import gettext as _

from apps.courses.content_tree import lessons_of, questions_of
from apps.courses.content_tree.contents import contents_of
from apps.courses.content_tree.shape import check_format
from apps.courses.models import (
    CourseFile,
    CoursePicture,
    CourseVersion,
    DiscardedVersion,
    KeptContent,
    Lesson,
    Question,
)
from apps.courses.services.course_files import course_file_holds
from apps.courses.services.removed import lesson_holds, question_holds
from apps.files.models import Upload, VideoAsset


def _uids_in_versions(courses: Collection[int]) -> set[str]:
    """Return the uids that stored and discarded versions of these courses name. Two queries, one tree at a time."""
    found: set[str] = set()
    kept = CourseVersion.objects.filter(course__in=courses, tree__isnull=False).values_list("tree", flat=True)
    discarded = DiscardedVersion.objects.filter(course__in=courses).values_list("tree", flat=True)
    for tree in chain(kept.iterator(10), discarded.iterator(10)) if courses else ():
        if tree is not None:
            rows: Iterable[dict[str, str]] = [*tree["files"], *lessons_of(tree), *questions_of(tree)]
            found |= {row["uid"] for row in rows}
    return found


@lesson_holds.registers("versions")
def lessons_in_versions(lessons: Collection[int]) -> set[int]:
    """Return those of the lessons that a stored version names. Three queries."""
    rows = list(Lesson.with_removed.filter(pk__in=lessons).values_list("pk", "uid", "course_id"))
    named = _uids_in_versions({course for _pk, _row, course in rows})
    return {pk for pk, uid, _course in rows if str(uid) in named}


@question_holds.registers("versions")
def questions_in_versions(questions: Collection[int]) -> set[int]:
    """Return those of the questions that a stored version names. Three queries."""
    found = Question.with_removed.filter(pk__in=questions)
    rows = list(found.values_list("pk", "uid", "quiz__course_id", "quiz__lesson__course_id"))
    named = _uids_in_versions({bank or course or 0 for _pk, _uid, bank, course in rows})
    return {pk for pk, uid, _bank, _course in rows if str(uid) in named}


@course_file_holds.registers("versions")
def files_in_versions(files: Collection[UUID]) -> set[UUID]:
    """Return those of the files that a stored version names. Three queries."""
    courses = set(CourseFile.objects.filter(uid__in=files).values_list("course_id", flat=True))
    named = _uids_in_versions(courses)
    return {uid for uid in files if str(uid) in named}


def missing_contents(tree: dict[str, Any]) -> list[str]:
    """Return the names of what a stored version needs and nobody has anymore, in the order of the course. Two queries.

    Videos can be deleted by their owners once no published course shows them.

    :raises ContentTreeUnreadable: the version is of a later release.
    """
    wanted = contents_of(check_format(tree))
    uploads = {str(uid) for uid in Upload.objects.filter(uid__in=wanted.uploads).values_list("uid", flat=True)}
    videos = {str(uid) for uid in VideoAsset.objects.filter(uid__in=wanted.videos).values_list("uid", flat=True)}
    found = [
        name
        for lesson in lessons_of(tree)
        for uid, known, name in (
            (lesson["video"], videos, _("the video of “%(lesson)s”") % {"lesson": lesson["title"]}),
            (lesson["file"], uploads, _("the file of “%(lesson)s”") % {"lesson": lesson["title"]}),
        )
        if uid is not None and uid not in known
    ]
    found += [_("“%(name)s”") % {"name": file["name"]} for file in tree["files"] if file["uid"] not in uploads]
    if tree["picture"] is not None and tree["picture"]["upload"] not in uploads:
        found.append(_("the picture of the course"))
    return found


def storage_of_versions(versions: Iterable[CourseVersion]) -> dict[int, int]:
    """Return how many bytes of files each version keeps that its course doesn't use now, by primary key. One query."""
    of_course = {"course": OuterRef("version__course")}
    rows = (
        KeptContent.objects.filter(version__in=list(versions))
        .exclude(Exists(Lesson.with_removed.filter(**of_course, file=OuterRef("upload"))))
        .exclude(Exists(CourseFile.objects.filter(**of_course, upload=OuterRef("upload"))))
        .exclude(Exists(CoursePicture.objects.filter(**of_course, upload=OuterRef("upload"))))
    )
    return dict(rows.values("version").annotate(bytes=Sum("upload__length")).values_list("version", "bytes"))
