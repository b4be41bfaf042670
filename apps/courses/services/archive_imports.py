"""Make a course of an archive: all of it, or nothing (docs/adr/0067)."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import DataError, IntegrityError, transaction

from apps.accounts.models import User
from apps.courses import policies
from apps.courses.content_tree import check_format, contents_of, lessons_of, questions_of, quizzes_of, replace_contents
from apps.courses.content_tree.shape import COURSE_COLUMNS, LESSON_COLUMNS, QUESTION_COLUMNS, QUIZ_COLUMNS
from apps.courses.course_archive import Archive, open_archive
from apps.courses.errors import ContentTreeUnreadable, CourseArchiveUnreadable
from apps.courses.models import Course, Lesson, Question, Quiz, Section, Subject
from apps.courses.picture_files import Crop
from apps.courses.question_shapes import check_question
from apps.courses.services.applying import apply_tree
from apps.courses.services.archives import Progress, Report
from apps.courses.services.courses import CourseTexts, create_course
from apps.courses.services.pictures import set_picture
from apps.files import services as files
from apps.files.models import Upload
from studyplatform.kit.errors import AppError
from studyplatform.kit.policies import enforce


@dataclass
class _Arriving:
    """What of an archive gets which new names."""

    uploads: dict[str, UUID]
    videos: dict[str, files.ArrivingVideo]


def import_course(
    *, path: Path, owner: User, now: datetime, progress: Progress = lambda *_: None, dry_run: bool = False
) -> Report:
    """Make a draft course of an archive, with contents of its own. Whatever fails, nothing is left of it.

    :raises CourseArchiveUnreadable: it is no archive that this release reads, or something in it cannot be used.
    :raises QuotaExceeded: the owner has not enough storage.
    :raises StoreFull: the disk has not enough space.
    :raises RoleRequired, EmailNotVerified: the owner may not teach.
    """
    enforce(policies.create_course(owner))
    with open_archive(path) as archive:
        tree = _check_tree(archive)
        arriving = _plan(archive, tree)
        report = Report(
            title=str(tree["course"]["title"]),
            lessons=sum(1 for _ in lessons_of(tree)),
            videos=len(arriving.videos),
            uploads=len(arriving.uploads),
            total_bytes=archive.total,
            left_out=_leave_out_missing(tree, arriving),
        )
        counted = sum(archive.size_of(name) for name in archive.names if "/public/" not in name)
        if (refusal := files.check_quota(owner, counted)) is not None:
            raise refusal
        if dry_run:
            _read_all(archive, progress)
            return report
        with files.Arrival(archive.total) as arrival:
            names = [files.kept_name(uid) for uid in arriving.uploads.values()]
            arrival.expect(*names, *(name for video in arriving.videos.values() for name in video.names))
            _store(archive, arriving, arrival, progress)
            with transaction.atomic():
                arrival.settle()
                report.course = _make(archive, tree, arriving, owner, now, report)
    return report


def _check_tree(archive: Archive) -> dict[str, Any]:
    """
    :raises CourseArchiveUnreadable: the tree has something that no course has.
    """
    try:
        tree = check_format(archive.tree)
        _clean(Course, tree["course"], COURSE_COLUMNS)
        for section in tree["sections"]:
            _clean(Section, section, ("title",))
        for lesson in lessons_of(tree):
            _clean(Lesson, lesson, LESSON_COLUMNS)
        for lesson_uid, quiz in quizzes_of(tree):
            _clean(Quiz, quiz, QUIZ_COLUMNS if lesson_uid else ())
        for question in questions_of(tree):
            _clean(Question, question, QUESTION_COLUMNS)
            _check_question(question)
        contents = contents_of(tree)
        downloads = [row["file"] for lesson in lessons_of(tree) for row in lesson["downloads"]]
        for uid in (*contents.uploads, *contents.videos, *contents.files, *downloads, *tree["course"]["prerequisites"]):
            if str(UUID(uid)) != uid:
                raise ValueError(uid)
    except ContentTreeUnreadable:
        raise CourseArchiveUnreadable(reason="later") from None
    except ValidationError as problem:
        raise CourseArchiveUnreadable(reason="; ".join(problem.messages)[:200]) from None
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError):
        raise CourseArchiveUnreadable(reason="damaged") from None
    return tree


def _clean(model: Any, row: dict[str, Any], names: Iterable[str]) -> None:
    for name in names:
        column = model._meta.get_field(name)  # noqa: SLF001 (public by Django's documentation)
        if row[name] in ("", [], {}) or (row[name] is None and column.null):
            continue
        column.clean(row[name], model())


def _check_question(question: dict[str, Any]) -> None:
    """
    :raises CourseArchiveUnreadable: learners could not be asked it, or their answers not be marked.
    """
    try:
        check_question(question)
    except (ValueError, TypeError, AttributeError, KeyError) as problem:
        named = f"“{str(question['prompt'])[:60]}”"
        raise CourseArchiveUnreadable(reason=f"question {named}, {problem}"[:200]) from None


def _plan(archive: Archive, tree: dict[str, Any]) -> _Arriving:
    contents = contents_of(tree)
    found = _Arriving(uploads={}, videos={})
    names = set(archive.names)
    for name in archive.names:
        kind, _, rest = name.partition("/")
        if kind == "uploads":
            found.uploads[rest] = uuid4()
        elif rest.endswith(".json") and "/" not in rest:
            uid = rest.removesuffix(".json")
            described = archive.read_json(name)
            has_original = f"videos/{uid}/original" in names
            _check_video(described)
            found.videos[uid] = files.ArrivingVideo(described=described, has_original=has_original)
    for name in names:
        video = re.fullmatch(r"videos/([0-9a-f-]{36})/(?:original|public/(.+))", name)
        if video is None:
            continue
        is_known = video[1] in found.videos and (not video[2] or files.PUBLISHED_NAME.fullmatch(video[2]))
        if not is_known:
            raise CourseArchiveUnreadable(reason="damaged")
    if not set(found.uploads) <= contents.uploads or not set(found.videos) <= contents.videos:
        raise CourseArchiveUnreadable(reason="damaged")  # nobody would see what the course does not name
    return found


def _check_video(described: Any) -> None:
    """
    :raises CourseArchiveUnreadable: it describes no video.
    """
    try:
        for row in described["captions"]:
            row["webvtt"] = files.checked_captions(row["webvtt"])
        is_whole = isinstance(described["renditions"], list) and isinstance(described["filename"], str)
        paths = [described[name] for name in ("poster", "storyboard", "sound_levels")]
        paths += [row["playlist"] for row in described["renditions"]]
        if not is_whole or any(path and not files.PUBLISHED_NAME.fullmatch(path) for path in paths):
            raise ValueError
    except (KeyError, TypeError, ValueError, AttributeError, AppError):
        raise CourseArchiveUnreadable(reason="damaged") from None


def _leave_out_missing(tree: dict[str, Any], arriving: _Arriving) -> list[str]:
    """Take out of the tree what the archive does not have, and return it in words.

    What is only named may be somebody else's here.
    """
    missing = []
    for lesson in lessons_of(tree):
        for kind, arrived in (("video", arriving.videos), ("file", arriving.uploads)):
            if lesson[kind] is not None and lesson[kind] not in arrived:
                lesson[kind] = None
                missing.append(str(lesson["title"]))
        lesson["downloads"] = [row for row in lesson["downloads"] if row["file"] in arriving.uploads]
    missing += [str(file["name"]) for file in tree["files"] if file["uid"] not in arriving.uploads]
    tree["files"] = [file for file in tree["files"] if file["uid"] in arriving.uploads]
    picture = tree["picture"]
    if picture is not None and picture["upload"] not in arriving.uploads:
        tree["picture"] = None
        missing.append(str(picture["alt"] or picture["key"]))
    named = Course.objects.filter(uid__in=tree["course"]["prerequisites"], status=Course.Status.PUBLISHED)
    tree["course"]["prerequisites"] = [str(uid) for uid in named.values_list("uid", flat=True)]
    return missing


def _read_all(archive: Archive, progress: Progress) -> None:
    done = 0
    for name in archive.names:
        with archive.open(name) as source:
            for chunk in files.iterate_chunks(source):
                done += len(chunk)
        progress(done, archive.total)


def _store(archive: Archive, arriving: _Arriving, arrival: files.Arrival, progress: Progress) -> None:
    done = 0
    for name in archive.names:
        kind, _, rest = name.partition("/")
        if kind == "uploads":
            target = files.kept_name(arriving.uploads[rest])
        elif "/" in rest:
            uid, _, inside = rest.partition("/")
            target = arriving.videos[uid].name_of(inside)
        else:
            done += archive.size_of(name)  # it was read before
            continue
        if name.endswith(".m3u8"):
            with archive.open(name) as source:
                if files.is_foreign_playlist(source.read()):
                    raise CourseArchiveUnreadable(reason="damaged")
        with archive.open(name) as source:
            arrival.store(source, target)
        done += archive.size_of(name)
        progress(done, archive.total)


def _make(
    archive: Archive, tree: dict[str, Any], arriving: _Arriving, owner: User, now: datetime, report: Report
) -> Course:
    try:
        uploads = _make_uploads(archive, arriving, owner, now)
        for uid, video in arriving.videos.items():
            public = [name for name in archive.names if name.startswith(f"videos/{uid}/public/")]
            stored_bytes = sum(archive.size_of(name) for name in public)
            files.settle_video(arriving=video, owner=owner, stored_bytes=stored_bytes, now=now)
        new = {old: str(uid) for old, uid in arriving.uploads.items()}
        videos = {old: str(video.uid) for old, video in arriving.videos.items()}
        renamed = replace_contents(tree, uploads=new, videos=videos, files=new)
        picture, renamed["picture"] = renamed["picture"], None
        course = _make_course(renamed, owner, now, report)
        if picture is not None and picture["upload"] in uploads:
            crop = Crop(x=picture["x"], y=picture["y"], zoom=picture["zoom"])
            source = uploads[picture["upload"]]
            set_picture(course=course, by=owner, source=source, alt=picture["alt"], crop=crop, now=now)
    except CourseArchiveUnreadable:
        raise
    except (
        AppError,
        ValidationError,
        IntegrityError,
        DataError,
        LookupError,
        TypeError,
        ValueError,
        AttributeError,
    ) as problem:
        raise CourseArchiveUnreadable(reason=str(problem)[:200] or type(problem).__name__) from None
    course.refresh_from_db()
    return course


def _make_uploads(archive: Archive, arriving: _Arriving, owner: User, now: datetime) -> dict[str, Upload]:
    names = archive.about.get("names")
    named = {old: str(name) for old, name in names.items()} if isinstance(names, dict) else {}
    made = {}
    for old, uid in arriving.uploads.items():
        entry = f"uploads/{old}"
        made[str(uid)] = files.settle_upload(
            uid=uid,
            owner=owner,
            filename=named.get(old) or "file",
            length=archive.size_of(entry),
            sha256=archive.digest_of(entry),
            now=now,
        )
    return made


def _make_course(tree: dict[str, Any], owner: User, now: datetime, report: Report) -> Course:
    wanted = tree["course"]
    subject = Subject.objects.filter(slug=wanted["subject"]).first()
    if subject is None:
        subject = Subject.objects.order_by("pk").first()
        report.left_out.append(str(wanted["subject"]))
    if subject is None:
        raise CourseArchiveUnreadable(reason="this site has no subjects")
    if wanted["price"] and wanted["currency"] != settings.CURRENCY:
        # A number of another currency is another price.
        report.left_out.append(f"{wanted['price']} {wanted['currency']}")
        wanted["price"], wanted["pricing"] = 0, Course.Pricing.FREE
    wanted["currency"], wanted["subject"] = settings.CURRENCY, subject.slug
    begun = create_course(by=owner, texts=CourseTexts(title=wanted["title"], subject=subject), now=now)
    course: Course = Course.objects.select_for_update().get(pk=begun.pk)
    applied = apply_tree(tree, into=course, by=owner, now=now, identity="new")
    report.left_out += [name for name in applied.missing if name not in report.left_out]
    return course
