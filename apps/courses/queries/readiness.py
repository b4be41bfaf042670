"""What a course needs before it can be submitted, and what would improve it.

Other apps add checks of their own with ``@publication_check`` (billing: a paid course has a price).
"""

from collections.abc import Callable
from dataclasses import dataclass

from django.db.models import Count, Exists, OuterRef, Q
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.courses.models import Course, Lesson
from apps.files.models import CaptionTrack, VideoAsset

SUMMARY_LENGTH = 40
GOOD_OUTCOMES = 3
GOOD_LESSONS = 5
LONG_LESSON = 15 * 60  # seconds; recommended are 5 to 15 minutes


@dataclass(frozen=True, kw_only=True)
class Check:
    """One line of the list. ``missing`` completes "Before you can submit the course, add …"."""

    key: str
    label: str
    is_met: bool
    is_required: bool = True
    missing: str = ""
    href: str = ""


PublicationCheck = Callable[[Course], Check]
_more: list[PublicationCheck] = []


def publication_check(check: PublicationCheck) -> PublicationCheck:
    """Register a check of another app."""
    _more.append(check)
    return check


def checks(course: Course) -> list[Check]:
    """Return all checks that apply to the course, required ones first. Two queries."""
    found = [*_of_texts(course), *_of_lessons(course), *(check(course) for check in _more)]
    return sorted(found, key=lambda check: not check.is_required)


def missing(course: Course) -> str:
    """Return what is required and missing, as one phrase; empty if the course is ready."""
    return "; ".join(check.missing or check.label for check in checks(course) if check.is_required and not check.is_met)


def _of_texts(course: Course) -> list[Check]:
    edit = f"/dashboard/instructor/courses/{course.slug}/edit"
    return [
        Check(
            key="title",
            label=_("Title and category"),
            is_met=bool(course.title.strip()),
            missing=_("a title and a category"),
            href=f"{edit}#id_title",
        ),
        Check(
            key="summary",
            label=_("Summary of at least %d characters") % SUMMARY_LENGTH,
            is_met=len(course.summary.strip()) >= SUMMARY_LENGTH,
            missing=_("a summary of at least %d characters") % SUMMARY_LENGTH,
            href=f"{edit}#id_summary",
        ),
        Check(
            key="outcomes",
            label=_("At least one learning outcome"),
            is_met=bool(course.outcomes),
            missing=_("at least one learning outcome"),
            href=f"{edit}#outcomes",
        ),
        Check(
            key="more_outcomes",
            label=_("Three learning outcomes"),
            is_met=len(course.outcomes) >= GOOD_OUTCOMES,
            is_required=False,
            href=f"{edit}#outcomes",
        ),
        Check(
            key="description",
            label=_("A description"),
            is_met=bool(course.description.strip()),
            is_required=False,
            href=f"{edit}#id_description",
        ),
    ]


def _of_lessons(course: Course) -> list[Check]:
    href = f"/dashboard/instructor/courses/{course.slug}/lectures"
    captioned = CaptionTrack.objects.filter(video=OuterRef("video"))
    kinds = Lesson.Kind
    lessons = list(
        Lesson.objects.filter(course=course)
        .annotate(
            question_count=Count(
                "quiz__questions", filter=Q(quiz__questions__is_withdrawn=False, quiz__questions__removed_at=None)
            )
            + Coalesce("quiz__bank_count", 0),
            has_captions=Exists(captioned),
        )
        .select_related("video")
        .order_by("section__position", "position")
        .only("number", "kind", "duration", "body", "file", "external_host", "video__stage", "video__has_audio")
    )
    videos = [lesson for lesson in lessons if lesson.kind == kinds.VIDEO]
    unfinished = [
        lesson.number
        for lesson in videos
        if not lesson.external_host and (lesson.video is None or lesson.video.stage != VideoAsset.Stage.COMPLETE)
    ]
    empty = [lesson.number for lesson in lessons if _is_empty(lesson)]
    spoken = [lesson for lesson in videos if lesson.video and lesson.video.has_audio]
    silent = [lesson.number for lesson in spoken if not lesson.has_captions]
    long_ = [lesson.number for lesson in videos if lesson.duration > LONG_LESSON]
    found = [
        Check(
            key="lessons",
            label=_("At least one lesson"),
            is_met=bool(lessons),
            missing=_("at least one lesson"),
            href=href,
        ),
        Check(
            key="videos",
            label=_("Every video is ready"),
            is_met=not unfinished,
            missing=ngettext("a processed video to lesson %s", "processed videos to lessons %s", len(unfinished))
            % _listed(unfinished),
            href=href,
        ),
        Check(
            key="content",
            label=_("No lesson is empty"),
            is_met=not empty,
            missing=ngettext("content to lesson %s", "content to lessons %s", len(empty)) % _listed(empty),
            href=href,
        ),
        Check(
            key="captions",
            label=_("Captions on every lesson with speech")
            if not silent
            else _("Captions missing in %s") % _listed(silent),
            is_met=not silent,
            is_required=False,
            href=href,
        ),
        Check(
            key="more_lessons",
            label=_("Five lessons, 5 to 15 minutes each") if not long_ else _("Over 15 minutes: %s") % _listed(long_),
            is_met=len(lessons) >= GOOD_LESSONS and not long_,
            is_required=False,
            href=href,
        ),
    ]
    about = {"content": lessons, "videos": videos, "captions": spoken}
    return [check for check in found if about.get(check.key, True)]


def _is_empty(lesson: Lesson) -> bool:
    match lesson.kind:
        case Lesson.Kind.TEXT:
            return not lesson.body.strip()
        case Lesson.Kind.QUIZ:
            return not lesson.question_count  # type: ignore[attr-defined]
        case Lesson.Kind.FILE:
            return lesson.file_id is None
    return False


def _listed(numbers: list[str]) -> str:
    """1.1, 1.2, 1.3 and 4 more."""
    if len(numbers) <= 4:
        return ", ".join(numbers)
    return _("%(first)s and %(rest)d more") % {"first": ", ".join(numbers[:3]), "rest": len(numbers) - 3}
