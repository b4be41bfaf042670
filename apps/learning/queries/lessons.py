"""A lesson and where one person stands in its course: what the lesson page and the player show."""

from collections.abc import Callable, Hashable
from dataclasses import asdict, dataclass, field
from datetime import datetime
from functools import cached_property
from itertools import count
from textwrap import shorten
from typing import Any, TypeVar
from uuid import UUID

from django.contrib.auth.models import AnonymousUser
from django.db.models import BigIntegerField, QuerySet
from markupsafe import Markup

from apps.accounts.guards import Holder
from apps.accounts.models import User
from apps.courses.errors import CourseNotFound, LectureUnavailable
from apps.courses.models import Course, Lesson
from apps.courses.policies import Person
from apps.files.models import CaptionTrack
from apps.files.queries import caption_cues
from apps.files.services import EVERYONE, Audience, sign_link
from apps.learning import policies
from apps.learning.models import Enrollment, LessonProgress
from apps.learning.outline import Entry, Outline, Placed, Standing, blocker_of, place_all, resume_position
from apps.learning.queries.addresses import course_url, lesson_url, save_url
from apps.learning.queries.bookmarks import has_bookmarked
from apps.learning.queries.outline import outline_of, standing_of
from studyplatform.kit.caching.versioned import Memo
from studyplatform.kit.db.prepared_queries import Built, Slot
from studyplatform.kit.errors import NotAuthenticated
from studyplatform.kit.policies import Verdict
from studyplatform.kit.text import markdown

T = TypeVar("T")

OPENING = 155


@dataclass(frozen=True)
class Known:
    """What a lesson tells everyone who may open it. Remembered: nobody may change it."""

    lesson: Lesson
    tracks: tuple[CaptionTrack, ...]
    """The video's captions, English first."""
    stamp: int = field(default_factory=count().__next__)
    """What is rendered from it is kept under its stamp, which nothing else has."""

    @cached_property
    def is_public(self) -> bool:
        """Whether visitors may open it, machines that read the site among them."""
        return policies.open_lesson(AnonymousUser(), self.lesson, Standing(), None) is None

    @cached_property
    def opening(self) -> str:
        """What it is about in plain text, as long as a search engine shows: its summary, else its first words."""
        lesson = self.lesson
        spoken = " ".join(cue.text for cue in caption_cues(self.tracks[0].webvtt)) if self.tracks else ""
        words = lesson.summary or spoken or Markup(markdown.render(lesson.body)).striptags()  # noqa: S704 (tags go)
        return shorten(words, OPENING, placeholder="…")


_memo: Memo[Any] = Memo("lessons")


def remembered(key: Hashable, make: Callable[[], T]) -> T:
    """Something of lessons that is the same for all, remembered until a lesson or what it shows changes."""
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
    return Known(lesson, tuple(sorted(tracks, key=lambda track: (not track.language.startswith("en"), track.language))))


@dataclass(frozen=True)
class OpenLesson:
    """A lesson, its course's outline and a person's standing, with the verdict whether they may open it."""

    known: Known
    outline: Outline
    standing: Standing
    verdict: Verdict
    may_save: bool
    is_bookmarked: bool

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
        """Whether serving it to its learner is to be noted. Of a quiz the attempt says when it was opened."""
        known = self.lesson.pk in self.standing.progress or self.lesson.kind == Lesson.Kind.QUIZ
        return self.may_save and not known

    def around(self) -> tuple[Entry | None, Entry | None]:
        return self.outline.around(self.lesson.pk)

    def next_open(self) -> Entry | None:
        """The first lesson after this one that is not locked; None if there is none."""
        after = len(self.outline.before(self.lesson.pk)) + 1
        return next((one.entry for one in self.placed[after:] if one.state != "locked"), None)


def find_lesson(person: Person, **where: Any) -> OpenLesson:
    """A lesson by address or uid, with the verdict. One query when the lesson is known, five when it is not.

    :raises LectureUnavailable: there is no such lesson.
    """
    known = remembered(("lesson", *sorted(where.items())), lambda: _read(where))
    lesson = known.lesson
    outline = outline_of(lesson.course)
    standing = standing_of(person, lesson.course)
    blocker = blocker_of(lesson.course, outline, standing, lesson.pk)
    verdict = policies.open_lesson(person, lesson, standing, blocker)
    may_save = policies.save_progress(person, lesson.course, standing) is None
    is_bookmarked = has_bookmarked(person, lesson.course, standing.enrollment)
    return OpenLesson(known, outline, standing, verdict, may_save, is_bookmarked)


def lesson_at(person: Person, course_slug: str, lesson_slug: str) -> OpenLesson:
    """The lesson at /learn/{course}/{lesson}."""
    return find_lesson(person, course__slug=course_slug, slug=lesson_slug)


def lesson_of(person: Person, uid: UUID) -> OpenLesson:
    """The lesson with this uid."""
    return find_lesson(person, uid=uid)


def lesson_named(person: Person, name: str) -> OpenLesson:
    """A lesson by its uid, by ``course/lesson``, or by its slug alone.

    Two courses may use one slug: then the one in which the person holds a seat is meant, else the oldest.

    :raises LectureUnavailable: there is none.
    """
    try:
        return lesson_of(person, UUID(name))
    except ValueError:
        course, _, slug = name.rpartition("/")
    if course:
        return lesson_at(person, course, slug)
    named = Lesson.objects.filter(slug=slug).order_by("pk")
    found = named.first()
    if isinstance(person, User):
        enrollments = Enrollment.objects.active().of(person.pk)
        found = named.filter(course__enrollments__in=enrollments).first() or found
    if found is None:
        raise LectureUnavailable
    return find_lesson(person, pk=found.pk)


def find_course(person: Person, slug: str) -> tuple[Course, Standing]:
    """A course by its slug and where the person stands in it.

    :raises CourseNotFound: there is none, or it is not public and the person has nothing to do with it.
    """
    course = Course.objects.select_related("instructor", "subject").filter(slug=slug).first()
    if course is None:
        raise CourseNotFound
    standing = standing_of(person, course)
    hidden = policies.see_course(person, course)
    if hidden is not None and standing.enrollment is None:
        raise hidden
    return course, standing


def public_lessons() -> QuerySet[Lesson, tuple[str, str, datetime]]:
    """The preview lessons of open courses, those of the newest courses first: course, slug, when the course changed."""
    previews = Lesson.objects.filter(is_preview=True, course__status=Course.Status.PUBLISHED).exclude(
        kind=Lesson.Kind.QUIZ
    )
    order = ("-course__published_at", "course", "section__position", "position")
    return previews.order_by(*order).values_list("course__slug", "slug", "course__updated_at")


def entry_out(entry: Entry, course_slug: str, state: str = "available") -> dict[str, Any]:
    """The shape ``LessonLink``."""
    return {
        "uid": str(entry.uid),
        "number": entry.number,
        "title": entry.title,
        "kind": entry.kind,
        "duration": entry.duration,
        "url": lesson_url(course_slug, entry.slug),
        "state": state,
    }


def course_out(course: Course, standing: Standing, outline: Outline) -> dict[str, Any]:
    """The shape ``PlayerCourse``."""
    enrollment = standing.enrollment
    return {
        "slug": course.slug,
        "title": course.title,
        "url": course_url(course.slug),
        "lesson_count": len(outline.entries),
        "completed_lessons": enrollment.completed_lessons if enrollment else 0,
        "percent": enrollment.percent if enrollment else 0,
    }


def outline_out(course: Course, outline: Outline, standing: Standing) -> dict[str, Any]:
    """The shape ``OutlineOut``."""
    placed = {one.entry.pk: one for one in place_all(course, outline, standing)}
    return {
        "course": course_out(course, standing, outline),
        "sections": [
            {
                "title": part.title,
                "number": part.number,
                "lesson_count": len(part.entries),
                "completed_lessons": sum(standing.has_completed(entry.pk) for entry in part.entries),
                "lessons": [entry_out(entry, course.slug, placed[entry.pk].state) for entry in part.entries],
            }
            for part in outline.parts
        ],
    }


_PROGRESS = Built(
    lambda: LessonProgress.objects.filter(
        enrollment_id=Slot("enrollment", BigIntegerField()), lesson_id=Slot("lesson", BigIntegerField())
    )
)


def player_out(opened: OpenLesson, sources: dict[str, Any] | None) -> dict[str, Any]:
    """The shape ``PlayerOut``: the island's props and the answer of GET lessons/{uid}/player/."""
    lesson, course, standing = opened.lesson, opened.course, opened.standing
    progress = None
    known = standing.progress.get(lesson.pk)
    if standing.enrollment is not None and known is not None and (known.position or known.watched_seconds):
        progress = _PROGRESS.first(enrollment=standing.enrollment.pk, lesson=lesson.pk)
    duration = lesson.video.duration if lesson.video else float(lesson.duration)
    position = progress.position if progress else 0.0
    placed = {one.entry.pk: one for one in opened.placed}
    before, after = opened.around()
    return {
        "uid": str(lesson.uid),
        "number": lesson.number,
        "title": lesson.title,
        "url": lesson_url(course.slug, lesson.slug),
        "course": course_out(course, standing, opened.outline),
        "sources": sources,
        "duration": duration,
        "position": resume_position(position, duration),
        "position_at": progress.position_at if progress else None,
        "watched": progress.watched if progress else [],
        "watched_seconds": progress.watched_seconds if progress else 0,
        "completed": standing.has_completed(lesson.pk),
        "may_save": opened.may_save,
        "previous": entry_out(before, course.slug, placed[before.pk].state) if before else None,
        "next": entry_out(after, course.slug, placed[after.pk].state) if after else None,
        "transcript": [
            {"start": cue.start, "end": cue.end, "text": cue.text}
            for cue in (caption_cues(opened.known.tracks[0].webvtt) if opened.known.tracks else ())
        ],
        "chapters": [],
        "progress_url": save_url(lesson.uid),
    }


def audience_of(lesson: Lesson, holder: Holder | None) -> Audience:
    """Whom the addresses of a lesson's media are for: one browser session, or everyone if a visitor sees a preview.

    :raises NotAuthenticated: a visitor asks for another lesson's media.
    """
    if holder is not None:
        return holder
    if not lesson.is_preview:
        raise NotAuthenticated
    return EVERYONE


def signed_sources(opened: OpenLesson, *, now: datetime, holder: Holder | None) -> dict[str, Any] | None:
    """The shape ``SourcesOut``, for a person who may open the lesson; None while there is nothing to play.

    :raises NotAuthenticated: a visitor asks, and the lesson is no preview.
    """
    video = opened.lesson.video
    if video is None:
        return None
    audience = audience_of(opened.lesson, holder)
    found = sign_link(video=video, now=now, audience=audience, captions=opened.known.tracks)
    return None if found is None else asdict(found)
