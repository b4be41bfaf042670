"""The picture of a course: set, crop, describe, remove (docs/adr/0046-pictures-of-courses.md)."""

import contextlib
import secrets
from datetime import datetime

from django.core.files import File
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import transaction
from django.utils.html import format_html
from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.courses import artwork, policies
from apps.courses.errors import CoursePictureUnreadable
from apps.courses.events import CourseEdited
from apps.courses.models import Course, CoursePicture
from apps.courses.models.picture import PICTURES_FOLDER
from apps.courses.picture_files import MIN_HEIGHT, MIN_WIDTH, RATIO, Crop, DrawnPicture, draw_files
from apps.courses.services.locking import lock_course_row
from apps.files import services as files
from apps.files.models import File as LibraryFile
from apps.files.models import Upload
from studyplatform.kit.errors import AppError, NotFound, ValidationFailed
from studyplatform.kit.events import publish
from studyplatform.kit.names import tidy_name
from studyplatform.kit.pictures import UnreadablePicture, draw_alone
from studyplatform.kit.policies import enforce
from studyplatform.kit.text.sizes import as_size

MAX_PICTURE_BYTES = 20 * 2**20
# The width of the slot: browsers that know "auto" take the real one, others these.
SIZES = "auto, (min-width: 48em) 24rem, 100vw"


def draw_plate(course: Course) -> str:
    """Return the HTML that pages show for a course: its picture, or else its artwork."""
    picture = CoursePicture.objects.filter(course=course).first()
    if picture is None:
        return artwork.plate(course.slug, course.subject.slug, course.plate_variant)
    return format_html(
        '<img class="plate-art plate-art--photo" src="{}" srcset="{}" sizes="{}" width="{}" height="{}" alt="{}"'
        ' loading="lazy" decoding="async">',
        picture.address_of(picture.widths[len(picture.widths) // 2]),
        ", ".join(f"{picture.address_of(width)} {width}w" for width in picture.widths),
        SIZES,
        picture.width,
        round(picture.width / RATIO),
        picture.alt,
    )


def set_picture(
    *, course: Course, by: User, source: Upload | LibraryFile | None, alt: str, crop: Crop, now: datetime
) -> CoursePicture:
    """Set the course's picture from an upload or the user's library; without ``source``, crop the present one again.

    The previous file is deleted, which frees its storage, unless something else uses it.

    :raises CourseUnderReview: the course is under review.
    :raises CoursePictureUnreadable: not a picture, too large, or too small.
    :raises ValidationFailed: there is neither a source nor a picture.
    :raises AppError: not the user's own file, in the bin, incomplete, or infected (see ``files.claim_content``).
    """
    enforce(policies.edit_course(by, course))  # before anything is drawn
    alt = tidy_name(alt)
    present = CoursePicture.objects.select_related("upload").filter(course=course).first()
    if source is None and present is not None and (present.x, present.y, present.zoom) == (crop.x, crop.y, crop.zoom):
        return _describe(present, by=by, alt=alt, now=now)
    upload = _own_upload(source, present, by)
    drawn = _draw(upload, crop)
    key = _store(drawn)
    try:
        with transaction.atomic():
            course = _lock(course, by)
            old = CoursePicture.objects.filter(course=course).first()
            if source is not None:
                claimed = files.claim_content(source=source, by=by, for_download=False)
                if claimed.upload.pk != upload.pk:  # the file of the library has got new contents
                    raise NotFound
            elif old is None or old.upload_id != upload.pk:  # removed or replaced meanwhile
                raise NotFound
            picture = CoursePicture(pk=old.pk if old else None, course=course, upload=upload, alt=alt, key=key)
            picture.x, picture.y, picture.zoom = crop.x, crop.y, crop.zoom
            picture.width, picture.updated_at = drawn.width, now
            picture.save()
            if old is not None:
                discard_renditions(old)
                if old.upload_id != upload.pk:
                    files.release_content(upload_id=old.upload_id)
            _show(course, now)
    except BaseException:
        _remove(CoursePicture(key=key, width=drawn.width).file_names)
        raise
    return picture


def upload_picture(
    *, course: Course, by: User, file: File[bytes], name: str, alt: str, crop: Crop, now: datetime
) -> CoursePicture:
    """Store a file posted by a form and set it as the course's picture.

    :raises AppError: as ``set_picture`` and ``files.begin_upload``; nothing of the file is stored then.
    """
    enforce(policies.edit_course(by, course))  # before anything is stored
    length = file.size or 0
    if length > MAX_PICTURE_BYTES:
        raise _unreadable()
    upload = files.begin_upload(
        owner=by, purpose=Upload.Purpose.FILE, filename=name, length=length, target=str(course.uid), now=now
    )
    try:
        if upload.completed_at is None:
            files.receive_chunk(upload=upload, offset=0, read=file.read, now=now)
        return set_picture(course=course, by=by, source=upload, alt=alt, crop=crop, now=now)
    except AppError:
        files.cancel_upload(upload=upload, by=by)
        raise


def remove_picture(*, course: Course, by: User, now: datetime) -> None:
    """Show the course's artwork again. Idempotent.

    :raises CourseUnderReview: the course is under review.
    """
    with transaction.atomic():
        course = _lock(course, by)
        deleted, _counts = CoursePicture.objects.filter(course=course).delete()
        if deleted:
            _show(course, now)


def redraw_files(picture: CoursePicture) -> bool:
    """Draw the files of a picture of a stored version again, under a new key; whether that was possible."""
    try:
        drawn = _draw(picture.upload, Crop(picture.x, picture.y, picture.zoom))
    except AppError:
        return False
    picture.key, picture.width = _store(drawn), drawn.width
    return True


def discard_files(*, picture: CoursePicture) -> None:
    """Delete the files of a picture whose row was deleted, whether alone or with its course."""
    discard_renditions(picture)
    files.release_content(upload_id=picture.upload_id)


def discard_renditions(picture: CoursePicture) -> None:
    """Delete the files of a former picture, unless a working copy or its published course shows them."""
    if not CoursePicture.objects.filter(key=picture.key).exists():
        files.enqueue_removal(names=picture.file_names)


def _describe(picture: CoursePicture, *, by: User, alt: str, now: datetime) -> CoursePicture:
    with transaction.atomic():
        course = _lock(picture.course, by)
        if not CoursePicture.objects.filter(pk=picture.pk).update(alt=alt, updated_at=now):
            raise NotFound  # removed meanwhile
        _show(course, now)
    picture.alt, picture.updated_at = alt, now
    return picture


def _own_upload(source: Upload | LibraryFile | None, present: CoursePicture | None, by: User) -> Upload:
    if isinstance(source, Upload):
        found = source
    elif source is not None:
        found = source.current
    elif present is not None:
        return present.upload
    else:
        missing = {"code": "required", "message": _("Choose a picture.")}
        raise ValidationFailed(in_fields={"picture": [missing]})
    if found.owner_id != by.pk:
        raise NotFound
    return found


def _draw(upload: Upload, crop: Crop) -> DrawnPicture:
    if upload.length > MAX_PICTURE_BYTES:
        raise _unreadable()
    raw = files.read_content(upload=upload, max_bytes=MAX_PICTURE_BYTES)
    try:
        return draw_alone(lambda: draw_files(raw, crop))
    except UnreadablePicture:
        raise _unreadable() from None


def _unreadable() -> CoursePictureUnreadable:
    return CoursePictureUnreadable(size=as_size(MAX_PICTURE_BYTES), width=MIN_WIDTH, height=MIN_HEIGHT)


def _store(drawn: DrawnPicture) -> str:
    """Store the files under a new key, and return it. What is stored before a failure is removed."""
    key = secrets.token_hex(12)
    try:
        for kind, content in drawn.files.items():
            default_storage.save(f"{PICTURES_FOLDER}/{key}-{kind}", ContentFile(content))
    except BaseException:
        _remove([f"{PICTURES_FOLDER}/{key}-{kind}" for kind in drawn.files])
        raise
    return key


def _remove(names: list[str]) -> None:
    for name in names:
        # The failure that led here is reported. What stays is an orphan, which check_storage finds.
        with contextlib.suppress(Exception):
            default_storage.delete(name)


def _lock(course: Course, by: User) -> Course:
    locked = lock_course_row(course.pk)
    enforce(policies.edit_course(by, locked))
    return locked


def _show(course: Course, now: datetime) -> None:
    course.plate = draw_plate(course)
    course.updated_at = now
    course.version += 1
    course.save(update_fields=["plate", "updated_at", "version"])
    publish(CourseEdited(course_id=course.pk))
