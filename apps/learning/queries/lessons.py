"""Find a lesson or a course together with the user's standing in it."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from textwrap import shorten
from typing import Any, TypeVar
from uuid import UUID

from django.contrib.auth.models import AnonymousUser
from django.db.models import QuerySet

from apps.accounts.models import User
from apps.accounts.policies import AnyUser
from apps.courses.errors import CourseNotFound, LectureUnavailable
from apps.courses.models import Course, Lesson, LessonDownload
from apps.courses.policies import manage_course
from apps.courses.queries.downloads import downloads_of
from apps.files.models import CaptionTrack
from apps.files.queries import caption_cues
from apps.learning import policies
from apps.learning.models import Enrollment
from apps.learning.outline import Entry, Outline, Placed, Standing, blocker_of, place_all
from apps.learning.queries.bookmarks import has_bookmarked
from apps.learning.queries.outline import outline_of, standing_of
from apps.learning.queries.removed_lessons import entry_after, explain_missing, find_removed
from apps.learning.simulation import Assumed, standing_with
from studyplatform.kit.caching.versioned import Stamped, VersionedCache
from studyplatform.kit.policies import Verdict, enforce
from studyplatform.kit.text import content

T = TypeVar("T")

DESCRIPTION_LENGTH = 155


@dataclass(frozen=True)
class Known(Stamped):
    """The part of a lesson that is the same for everyone who may open it. Cached, so it must not be changed."""

    lesson: Lesson
    tracks: tuple[CaptionTrack, ...]
    """The video's captions, English first."""
    downloads: tuple[LessonDownload, ...] = ()

    @cached_property
    def is_public(self) -> bool:
        """Whether visitors may open it, including search engines."""
        return policies.open_lesson(AnonymousUser(), self.lesson, Standing(), None) is None

    @cached_property
    def opening(self) -> str:
        """A description as long as search engines show it: the summary, otherwise the beginning of the lesson."""
        lesson = self.lesson
        spoken = " ".join(cue.text for cue in caption_cues(self.tracks[0].webvtt)) if self.tracks else ""
        text = lesson.summary or spoken or content.plain_text(lesson.body, content.LESSON)
        return shorten(text, DESCRIPTION_LENGTH, placeholder="…")


_memo: VersionedCache[Any] = VersionedCache("lessons")


def cached(key: Hashable, make: Callable[[], T]) -> T:
    """Return a cached value about lessons that is the same for everyone, until a lesson or its content changes."""
    value: T = _memo.get(key, make)
    return value


def _read(where: dict[str, Any]) -> Known:
    lesson = (
        Lesson.objects.select_related("course__instructor", "course__subject", "section", "video", "quiz")
        .defer("course__description", "course__outcomes", "course__before_you_begin", "video__facts")
        .filter(**where)
        .first()
    )
    if lesson is None:
        raise LectureUnavailable
    tracks = CaptionTrack.objects.filter(video_id=lesson.video_id) if lesson.video_id else []
    tracks = sorted(tracks, key=lambda track: (not track.language.startswith("en"), track.language))
    return Known(lesson, tuple(tracks), tuple(downloads_of(lesson)))


@dataclass(frozen=True)
class OpenLesson:
    """A lesson with its course's outline, the user's standing, and the verdict whether the user may open it."""

    known: Known
    outline: Outline
    standing: Standing
    verdict: Verdict
    may_save: bool
    is_bookmarked: bool
    is_simulated: bool = False
    """Whether course staff see it as a learner with an assumed progress."""

    @property
    def lesson_count(self) -> int:
        """How many lessons count for the learner; for others, how many there are."""
        is_enrolled = self.standing.enrollment is not None
        return self.standing.fit(self.outline).required_count if is_enrolled else len(self.outline.entries)

    @property
    def lesson(self) -> Lesson:
        return self.known.lesson

    @property
    def course(self) -> Course:
        return self.lesson.course

    @cached_property
    def placed(self) -> list[Placed]:
        """All lessons of the course with their states."""
        return place_all(self.course, self.outline, self.standing)

    @property
    def is_new(self) -> bool:
        """Whether to record that it is served for the first time. For a quiz, the attempt records it."""
        known = self.lesson.pk in self.standing.progress or self.lesson.kind == Lesson.Kind.QUIZ
        return self.may_save and not known

    def around(self) -> tuple[Entry | None, Entry | None]:
        if self.lesson.is_removed:
            return None, entry_after(self.lesson, self.outline)
        return self.outline.around(self.lesson.pk)

    def next_open(self) -> Entry | None:
        """Return the first lesson after this one that is not locked; None if there is none."""
        after = len(self.outline.before(self.lesson.pk)) + 1
        return next((one.entry for one in self.placed[after:] if one.state != "locked"), None)


def find_lesson(user: AnyUser, **where: Any) -> OpenLesson:
    """Find a lesson by its address or uid. One query if the lesson is cached, otherwise six.

    A removed quiz is found by learners with an attempt at it: an open one is submitted there, others are read.

    :raises LectureUnavailable: there is no such lesson.
    :raises LessonTakenOut: the user is enrolled, and a newer version of the course has no such lesson.
    """
    try:
        known = cached(("lesson", *sorted(where.items())), lambda: _read(where))
    except LectureUnavailable:
        opened = _removed_quiz(user, where)
        if opened is None:
            raise explain_missing(user, **where) from None
        return opened
    lesson = known.lesson
    outline = outline_of(lesson.course)
    standing = standing_of(user, lesson.course)
    blocker = blocker_of(lesson.course, outline, standing, lesson.pk)
    verdict = policies.open_lesson(user, lesson, standing, blocker)
    may_save = policies.save_progress(user, lesson.course, standing) is None
    is_bookmarked = has_bookmarked(user, lesson.course, standing.enrollment)
    return OpenLesson(known, outline, standing, verdict, may_save, is_bookmarked)


def _removed_quiz(user: AnyUser, where: dict[str, Any]) -> OpenLesson | None:
    """Return a removed quiz for a learner with attempts at it; None for others."""
    lesson = find_removed(user, **where, kind=Lesson.Kind.QUIZ, quiz__attempts__enrollment__user=user)
    if lesson is None:
        return None
    lesson.number = ""  # another lesson has it now
    standing = standing_of(user, lesson.course)
    is_bookmarked = has_bookmarked(user, lesson.course, standing.enrollment)
    outline = outline_of(lesson.course)
    return OpenLesson(Known(lesson, ()), outline, standing, None, may_save=True, is_bookmarked=is_bookmarked)


def lesson_as_learner(
    user: User, course_slug: str, lesson_slug: str, assumed: Assumed, *, has_dates_ahead: bool, now: datetime
) -> OpenLesson:
    """Return a lesson as a learner with an assumed progress would find it, for the staff of its course.

    :raises AppError: there is no such lesson, or the user is not staff of its course.
    """
    known = cached(
        ("lesson", course_slug, lesson_slug), lambda: _read({"course__slug": course_slug, "slug": lesson_slug})
    )
    lesson = known.lesson
    enforce(manage_course(user, lesson.course))
    outline = outline_of(lesson.course)
    standing = standing_with(lesson.course, outline, lesson.pk, assumed, has_dates_ahead=has_dates_ahead, now=now)
    blocker = blocker_of(lesson.course, outline, standing, lesson.pk)
    verdict = policies.open_lesson(user, lesson, standing, blocker)
    return OpenLesson(known, outline, standing, verdict, may_save=False, is_bookmarked=False, is_simulated=True)


def lesson_at(user: AnyUser, course_slug: str, lesson_slug: str) -> OpenLesson:
    """Return the lesson at /learn/{course}/{lesson}."""
    return find_lesson(user, course__slug=course_slug, slug=lesson_slug)


def lesson_of(user: AnyUser, uid: UUID) -> OpenLesson:
    """Return the lesson with this uid."""
    return find_lesson(user, uid=uid)


def lesson_named(user: AnyUser, name: str) -> OpenLesson:
    """Find a lesson by its uid, by ``course/lesson``, or by its slug alone.

    If several courses use the slug, a course in which the user is enrolled takes precedence, then the oldest.

    :raises LectureUnavailable: there is none.
    """
    try:
        return lesson_of(user, UUID(name))
    except ValueError:
        course, _, slug = name.rpartition("/")
    if course:
        return lesson_at(user, course, slug)
    named = Lesson.objects.filter(slug=slug, course__next_version_of=None).order_by("pk")
    found = named.first()
    if isinstance(user, User):
        enrollments = Enrollment.objects.active().of(user.pk)
        found = named.filter(course__enrollments__in=enrollments).first() or found
    if found is None:
        raise LectureUnavailable
    return find_lesson(user, pk=found.pk)


def find_course(user: AnyUser, slug: str) -> tuple[Course, Standing]:
    """Return a course by its slug, and the user's standing in it.

    :raises CourseNotFound: there is none, or the user may not see it and isn't enrolled.
    """
    course = Course.with_working_copies.select_related("instructor", "subject").filter(slug=slug).first()
    if course is None:
        raise CourseNotFound
    standing = standing_of(user, course)
    hidden = policies.see_course(user, course)
    if hidden is not None and standing.enrollment is None:
        raise hidden
    return course, standing


def public_lessons() -> QuerySet[Lesson, tuple[str, str, datetime]]:
    """Return the preview lessons of published courses, newest courses first: course slug, slug, time of change."""
    previews = Lesson.objects.filter(is_preview=True, course__status=Course.Status.PUBLISHED).exclude(
        kind=Lesson.Kind.QUIZ
    )
    order = ("-course__published_at", "course", "section__position", "position")
    return previews.order_by(*order).values_list("course__slug", "slug", "course__updated_at")
