"""Comments on places of a course: opened, answered, resolved, reopened (docs/adr/0065)."""

import re
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID, uuid4

from django.core.files import File
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.courses import policies
from apps.courses.models import Course, Lesson, Question, ReviewComment, ReviewLink, ReviewThread, Submission
from apps.courses.review_places import MAX_PARAGRAPHS, digest_of, paragraphs_of, quote_of, read_second
from apps.courses.services.review_notices import tell_of_comment
from apps.courses.services.review_pictures import StoredPicture, discard_picture, store_picture
from studyplatform.kit.errors import NotFound, ValidationFailed
from studyplatform.kit.policies import enforce
from studyplatform.kit.text import content
from studyplatform.kit.text.durations import DAY, clock
from studyplatform.kit.web import rate_limits

Place = ReviewThread.Place
MAX_PICTURES_AT_LINK = 40  # nobody's quota counts them
_PARAGRAPH = re.compile(r"p(\d{1,4})-([0-9a-f]{12})")
_QUESTION = re.compile(r"q([0-9a-f]{32})")


@dataclass(frozen=True, kw_only=True)
class Writer:
    """Who writes a comment: a user, or an outside expert at a link."""

    user: User | None = None
    link: ReviewLink | None = None
    expert_name: str = ""


@dataclass(frozen=True, kw_only=True)
class Said:
    """A comment as it was sent. ``uid`` was made with the form, so that a text that is sent twice is written once."""

    uid: UUID
    text: str
    picture: File[bytes] | None = None


def open_thread(
    *,
    course: Course,
    writer: Writer,
    said: Said,
    lesson: Lesson | None = None,
    at: str = "",
    about: str = "",
    is_required: bool = False,
    now: datetime,
) -> ReviewThread:
    """Comment on a place of the course, as it is shown: the live one or its working copy.

    ``lesson``: None for the course page. ``at``: the time of its video, such as "4:12"; ``about``: a paragraph or a
    question, as `review_places.choices_in` names it; both empty for the whole lesson. Only admins require changes.

    :raises ValidationFailed: there is no text, or no such place.
    :raises NotFound, NotCourseStaff: the writer may not comment on the course.
    """
    _check(writer, course, said, now)
    place = _find_place(lesson, at, about)
    live = course.live
    if sent_before := _sent_before(said, writer):
        return sent_before.thread
    picture = store_picture(said.picture) if said.picture else None
    try:
        with transaction.atomic():
            thread = ReviewThread.objects.create(
                course=live,
                submission=live.submissions.filter(outcome=Submission.Outcome.PENDING).first(),
                is_required=is_required and writer.user is not None and writer.user.is_admin,
                opened_at=now,
                changed_at=now,
                **place,
            )
            _write(thread, writer, said, picture, now)
    except IntegrityError:  # the same form, sent twice at the same moment
        discard_picture(picture)
        if sent_before := _sent_before(said, writer):
            return sent_before.thread
        raise
    except BaseException:
        discard_picture(picture)
        raise
    return thread


def answer_thread(*, thread: ReviewThread, writer: Writer, said: Said, now: datetime) -> ReviewComment:
    """Answer in a thread. A resolved one stays resolved.

    :raises ValidationFailed: there is no text.
    :raises NotFound, NotCourseStaff: the writer may not comment on the course.
    """
    _check(writer, thread.course, said, now)
    if sent_before := _sent_before(said, writer):
        return sent_before
    picture = store_picture(said.picture) if said.picture else None
    try:
        with transaction.atomic():
            locked = ReviewThread.objects.select_for_update(of=("self",)).get(pk=thread.pk)
            locked.changed_at = now
            locked.save(update_fields=["changed_at"])
            return _write(locked, writer, said, picture, now)
    except IntegrityError:  # the same form, sent twice at the same moment
        discard_picture(picture)
        if sent_before := _sent_before(said, writer):
            return sent_before
        raise
    except BaseException:
        discard_picture(picture)
        raise


def resolve_thread(*, thread: ReviewThread, by: User, now: datetime) -> ReviewThread:
    """Say that nothing is left to do. Of two people at the same moment the first one counts. Idempotent."""
    enforce(policies.manage_course(by, thread.course))
    with transaction.atomic():
        locked = ReviewThread.objects.select_for_update(of=("self",)).get(pk=thread.pk)
        if locked.resolved_at is None:
            locked.resolved_at, locked.resolved_by, locked.changed_at = now, by, now
            locked.save(update_fields=["resolved_at", "resolved_by", "changed_at"])
    return locked


def reopen_thread(*, thread: ReviewThread, by: User, now: datetime) -> ReviewThread:
    """Take the resolution back. Idempotent."""
    enforce(policies.manage_course(by, thread.course))
    with transaction.atomic():
        locked = ReviewThread.objects.select_for_update(of=("self",)).get(pk=thread.pk)
        if locked.resolved_at is not None:
            locked.resolved_at, locked.resolved_by, locked.changed_at = None, None, now
            locked.save(update_fields=["resolved_at", "resolved_by", "changed_at"])
    return locked


def _check(writer: Writer, course: Course, said: Said, now: datetime) -> None:
    """Enforce that the writer may comment, and that there is something to write."""
    if writer.user is not None:
        enforce(policies.manage_course(writer.user, course))
        rate_limits.consume("review_comment", str(writer.user.pk), now=now)
    elif writer.link is None or writer.link.course_id != course.live_id or not writer.expert_name:
        raise NotFound
    else:
        rate_limits.consume("review_comment", f"link {writer.link.pk}", now=now)
        if said.picture and writer.link.comments.exclude(picture_key="").count() >= MAX_PICTURES_AT_LINK:
            raise _wrong("picture", _("No more pictures can be sent at this link."))
    if not said.text.strip():
        raise _wrong("text", _("Write a comment."))
    if len(said.text) > content.COMMENT.max_length:
        raise _wrong("text", _("A comment can have up to %d characters.") % content.COMMENT.max_length)


def _sent_before(said: Said, writer: Writer) -> ReviewComment | None:
    """Return the comment that this writer has sent with the same form and text before."""
    author, link = writer.user.pk if writer.user else None, writer.link.pk if writer.link else None
    found = ReviewComment.objects.select_related("thread__course").filter(uid=said.uid).first()
    is_same = found is not None and (found.author_id, found.link_id, found.text) == (author, link, said.text)
    return found if is_same else None


def _write(
    thread: ReviewThread, writer: Writer, said: Said, picture: StoredPicture | None, now: datetime
) -> ReviewComment:
    # A browser that went back sends another text with the uid of the form that it kept.
    is_taken = ReviewComment.objects.filter(uid=said.uid).exclude(text=said.text).exists()
    comment = ReviewComment.objects.create(
        uid=uuid4() if is_taken else said.uid,
        thread=thread,
        author=writer.user,
        link=writer.link,
        expert_name=writer.expert_name,
        text=said.text,
        written_at=now,
        picture_key=picture.key if picture else "",
        picture_width=picture.width if picture else None,
        picture_height=picture.height if picture else None,
    )
    tell_of_comment(comment=comment)
    return comment


def _find_place(lesson: Lesson | None, at: str, about: str) -> dict[str, object]:
    """Return the columns of a thread that say where it stands."""
    if lesson is None:
        return {"place": Place.COURSE}
    named: dict[str, object] = {
        "lesson_uid": lesson.tree_uid,
        "lesson_number": lesson.number,
        "lesson_title": lesson.title,
    }
    if about:
        return named | _find_part(lesson, about)
    if at.strip():
        return named | {"place": Place.SECOND, "second": _second_in(lesson, at)}
    return named | {"place": Place.LESSON}


def _find_part(lesson: Lesson, about: str) -> dict[str, object]:
    if paragraph := _PARAGRAPH.fullmatch(about):
        paragraphs = paragraphs_of(lesson.body)[:MAX_PARAGRAPHS]
        digests = {digest_of(one): (number, one) for number, one in enumerate(paragraphs, 1)}
        if found := digests.get(paragraph[2]):
            number, text = found
            quote = quote_of(text, content.LESSON)
            return {"place": Place.PARAGRAPH, "paragraph": number, "quote": quote, "digest": paragraph[2]}
    elif (named := _QUESTION.fullmatch(about)) and lesson.kind == Lesson.Kind.QUIZ:
        question = Question.objects.filter(quiz__lesson=lesson, uid=UUID(named[1])).first()
        if question is not None:
            return {
                "place": Place.QUESTION,
                "question_uid": question.tree_uid,
                "quote": quote_of(question.prompt, content.PROMPT),
                "digest": digest_of(question.prompt),
            }
    raise _wrong("about", _("The text was changed meanwhile. Choose the paragraph or question again."))


def _second_in(lesson: Lesson, at: str) -> int:
    second = read_second(at)
    if second is None or second > DAY:
        raise _wrong("at", _("Enter a time of the video, such as 4:12."))
    if lesson.kind != Lesson.Kind.VIDEO:
        raise _wrong("at", _("This lesson has no video."))
    length = lesson.video.duration if lesson.video else lesson.duration
    if length and second > length:
        raise _wrong("at", _("The video ends at %(time)s.") % {"time": clock(length)})
    return second


def _wrong(field: str, message: str) -> ValidationFailed:
    return ValidationFailed(in_fields={field: [{"code": "invalid", "message": message}]})
