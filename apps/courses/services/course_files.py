"""The files of a course: added from uploads and the library, rendered in several sizes, used by texts, cleaned up."""

import contextlib
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from django.core.files import File
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import transaction
from django.db.models import Exists, OuterRef

from apps.accounts.models import User
from apps.courses import policies
from apps.courses.models import Course, CourseFile, CourseFileUse, Lesson, Question
from apps.courses.models.file import RENDITION_WIDTHS, rendition_name
from apps.courses.queries.draws import candidates_of, draws_of
from apps.courses.queries.texts import FieldText, texts_of_course_page, texts_of_lesson, texts_of_question
from apps.courses.services.locking import lock_course_row
from apps.files import services as files
from apps.files.models import File as LibraryFile
from apps.files.models import Upload
from studyplatform.kit import jobs
from studyplatform.kit.errors import AppError, NotFound
from studyplatform.kit.pictures import (
    PictureSize,
    UnreadablePicture,
    decode_picture,
    draw_alone,
    encode_webp,
    measure_picture,
)
from studyplatform.kit.policies import enforce
from studyplatform.kit.registry import Registry
from studyplatform.kit.text import content

MAX_PICTURE_BYTES = 20 * 2**20  # a larger picture is a file to download
UNUSED_RETENTION = timedelta(days=30)
CLEANING_BATCH = 500
_LARGEST = RENDITION_WIDTHS[-1]
_MAX_RENDITION_HEIGHT = 16_000  # pixels: the format has 14 bits

PICTURE_TYPES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})  # that texts show

course_file_holds: Registry[Callable[[Collection[UUID]], Collection[UUID]]] = Registry("holds on course files")
"""Functions that return those of these files, by uid, that something besides lessons and the course page shows."""


def add_course_file(*, course: Course, by: User, source: Upload | LibraryFile, now: datetime) -> CourseFile:
    """Add a complete upload or a file of the user's library to the course. Idempotent.

    :raises CourseUnderReview: the course is under review.
    :raises AppError: not the user's own file, in the bin, incomplete, or unsuitable (see ``files.claim_content``).
    """
    enforce(policies.edit_course(by, course))  # before anything is read
    size = _measure(source if isinstance(source, Upload) else source.current, by)
    with transaction.atomic():
        course = _lock(course, by)
        claimed = files.claim_content(source=source, by=by)
        known = CourseFile.objects.filter(course=course, uid=claimed.upload.uid).first()
        if known is not None:
            return known
        if claimed.upload.media_type not in PICTURE_TYPES:
            size = None
        added = CourseFile.objects.create(
            uid=claimed.upload.uid,
            course=course,
            upload=claimed.upload,
            name=claimed.name[:255],
            media_type=claimed.upload.media_type,
            width=size.width if size else None,
            height=size.height if size else None,
            rendition_width=_rendition_width(size) if size else 0,
            added_by=by,
            added_at=now,
            unused_since=now,
        )
        if added.rendition_width:
            jobs.enqueue("courses.render_file", key=added.uid.hex, uid=added.uid.hex)
    return added


def upload_course_file(*, course: Course, by: User, file: File[bytes], name: str, now: datetime) -> CourseFile:
    """Store a file posted by a form and add it to the course.

    :raises AppError: as ``add_course_file`` and ``files.begin_upload``; nothing of the file is stored then.
    """
    enforce(policies.edit_course(by, course))  # before anything is stored
    upload = files.begin_upload(
        owner=by,
        purpose=Upload.Purpose.FILE,
        filename=name,
        length=file.size or 0,
        target=str(course.uid),
        now=now,
    )
    try:
        if upload.completed_at is None:
            files.receive_chunk(upload=upload, offset=0, read=file.read, now=now)
        return add_course_file(course=course, by=by, source=upload, now=now)
    except AppError:
        files.cancel_upload(upload=upload, by=by)
        raise


def record_uses(
    *,
    course: Course,
    by: User,
    lesson: Lesson | None = None,
    bank: Sequence[Question] | None = None,
    now: datetime,
) -> None:
    """Record which files a lesson offers and its texts, or those of the course page, show or link.

    Call it in the transaction that changes them. A text copied from another course of ``by`` brings its files along.
    One query for texts without files, and one for the downloads of a lesson. ``bank``: as ``draws_of`` takes it.

    :raises CourseUnderReview: the course is under review.
    """
    enforce(policies.edit_course(by, course))
    uses = CourseFileUse.objects.filter(file__course=course, lesson=lesson)
    texts = texts_of_course_page(course) if lesson is None else _texts_shown_in(lesson, bank)
    wanted = set(_files_in(texts))
    if lesson is not None:
        wanted |= set(lesson.downloads.values_list("file__uid", flat=True))
    kept: dict[UUID, CourseFileUse] = {use.file.uid: use for use in uses.select_related("file")}
    for uid, use in kept.items():
        if (uid in wanted) != (use.ended_at is None):
            use.ended_at = None if uid in wanted else now
            use.save(update_fields=["ended_at"])
    missing = wanted - kept.keys()
    if missing:
        place = CourseFileUse.Place.COURSE if lesson is None else CourseFileUse.Place.LESSON
        CourseFileUse.objects.bulk_create(
            CourseFileUse(file=file, place=place, lesson=lesson) for file in _own_files(course, by, missing, now)
        )


def _texts_shown_in(lesson: Lesson, bank: Sequence[Question] | None = None) -> Iterator[FieldText]:
    """Yield the texts of a lesson, with those of all questions that its quiz may ask."""
    yield from texts_of_lesson(lesson)
    if lesson.kind == Lesson.Kind.QUIZ:
        drawn = candidates_of(draws_of(lesson.quiz, bank)) if lesson.quiz.bank_count else ()
        for question in [*lesson.quiz.questions.all(), *drawn]:
            yield from texts_of_question(question)


def _files_in_banks(uids: Collection[UUID]) -> set[UUID]:
    """Return those files that a question of a question bank shows, whether a quiz draws it or not."""
    banks = Question.with_removed.filter(quiz__course__files__uid__in=uids).distinct()
    return set(uids) & set(_files_in(text for question in banks for text in texts_of_question(question)))


def render_file(*, uid: UUID) -> None:
    """Make the renditions of a picture. Idempotent; a picture that can't be read has none, its original is shown."""
    file = CourseFile.objects.select_related("upload").filter(uid=uid).first()
    if file is None or file.is_rendered or not file.rendition_width or not file.width or not file.height:
        return
    raw = files.read_content(upload=file.upload, max_bytes=MAX_PICTURE_BYTES)
    sizes = {width: max(1, round(file.height * width / file.width)) for width in file.widths}
    try:
        drawn = draw_alone(lambda: _draw(raw, sizes))
    except UnreadablePicture:
        return
    for width, rendition in drawn.items():
        name = rendition_name(uid, width)
        default_storage.delete(name)  # of a job that was killed
        default_storage.save(name, ContentFile(rendition))
    # Rows of other courses share the renditions.
    if not CourseFile.objects.filter(uid=uid).update(is_rendered=True):
        files.enqueue_removal(names=[rendition_name(uid, width) for width in sizes])


def discard_course_file(*, file: CourseFile) -> None:
    """Delete the contents of a file whose row was deleted, unless another course or the library has them."""
    if not CourseFile.objects.filter(uid=file.uid).exists():
        files.enqueue_removal(names=[rendition_name(file.uid, width) for width in file.widths])
    files.release_content(upload_id=file.upload_id)


def clean_course_files(*, now: datetime) -> int:
    """Note which files no text uses, and delete those unused for `UNUSED_RETENTION`; return how many."""
    used = Exists(CourseFileUse.objects.filter(file=OuterRef("pk"), ended_at=None))
    CourseFile.objects.filter(used, unused_since__isnull=False).update(unused_since=None)
    CourseFile.objects.filter(~used, unused_since=None).update(unused_since=now)
    deleted = last = 0
    while True:
        expired = CourseFile.objects.filter(pk__gt=last, unused_since__lte=now - UNUSED_RETENTION).order_by("pk")
        batch = list(expired[:CLEANING_BATCH])
        if not batch:
            return deleted
        last = batch[-1].pk
        held = _held({file.uid for file in batch})
        for file in batch:
            deleted += file.uid not in held and _delete_unused(file)


def plan_next_cleaning(*, now: datetime) -> None:
    """Plan the cleaning of tomorrow night."""
    at = (now + timedelta(days=1)).replace(hour=3, minute=20, second=0, microsecond=0)
    jobs.enqueue("courses.clean_files", key=at.date().isoformat(), delay=at - now)


def _delete_unused(file: CourseFile) -> bool:
    with transaction.atomic():
        locked = CourseFile.objects.select_for_update().filter(pk=file.pk, unused_since=file.unused_since).first()
        if locked is None or locked.uses.filter(ended_at=None).exists():  # used again meanwhile
            return False
        locked.delete()
    return True


def _held(uids: Collection[UUID]) -> set[UUID]:
    return {uid for hold in course_file_holds.ordered() for uid in hold(uids)}


def _measure(upload: Upload, by: User) -> PictureSize | None:
    """Return the size of a picture; None of anything else, and of what is too large or can't be read."""
    if upload.owner_id != by.pk:
        raise NotFound
    if upload.length > MAX_PICTURE_BYTES or upload.completed_at is None:
        return None
    raw = files.read_content(upload=upload, max_bytes=MAX_PICTURE_BYTES)
    with contextlib.suppress(UnreadablePicture):
        return measure_picture(raw)
    return None


def _rendition_width(size: PictureSize) -> int:
    width = min(size.width, _LARGEST)
    is_too_tall = size.height * width / size.width > _MAX_RENDITION_HEIGHT
    return 0 if size.is_animated or not size.is_drawable or is_too_tall else width


def _draw(raw: bytes, sizes: dict[int, int]) -> dict[int, bytes]:
    largest = max(sizes)
    picture = decode_picture(raw, working_side=min(largest, sizes[largest]), min_width=1, min_height=1)
    return {width: encode_webp(picture, width, height) for width, height in sizes.items()}


def _own_files(course: Course, by: User, uids: set[UUID], now: datetime) -> list[CourseFile]:
    """Return the files of the course, with those of other courses that ``by`` manages and a text brought along."""
    found = {file.uid: file for file in CourseFile.objects.filter(course=course, uid__in=uids)}
    others = CourseFile.objects.filter(uid__in=uids - found.keys()).exclude(course=course).select_related("course")
    for other in others.order_by("pk") if uids - found.keys() else ():
        if other.uid not in found and policies.manage_course(by, other.course) is None:
            other.pk, other.course, other.added_by, other.added_at, other.unused_since = None, course, by, now, None
            other._state.adding = True  # noqa: SLF001 (how Django's documentation copies a row)
            other.save()
            found[other.uid] = other
    return list(found.values())


def _files_in(texts: Iterable[FieldText]) -> Iterator[UUID]:
    for _field, text in texts:
        yield from content.find_files(text)


def _lock(course: Course, by: User) -> Course:
    locked = lock_course_row(course.pk)
    enforce(policies.edit_course(by, locked))
    return locked


course_file_holds.register("question banks", _files_in_banks)
