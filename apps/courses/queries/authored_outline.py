"""A course's outline as its authors see it: each lesson's state, and what to look at."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Prefetch, QuerySet
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.courses.arrangement import Arrangement
from apps.courses.findings.rules import Finding
from apps.courses.models import Course, Lesson, Section
from apps.courses.queries.findings import count_contents, find_advice, is_empty
from apps.files.models import VideoAsset
from studyplatform.kit.text.durations import clock, length

Stage = VideoAsset.Stage


Kind = Lesson.Kind


@dataclass(frozen=True)
class Badge:
    """A state as a badge: the shape of its mark conveys it, the color supports it."""

    label: str
    pip: str = ""
    tone: str = ""
    icon: str = ""


@dataclass(frozen=True)
class LessonRow:
    """A lesson in the outline, with its badge, and for its author its settings and the titles of its findings."""

    lesson: Lesson
    badge: Badge
    end: str
    settings: Sequence[str] = ()
    findings: Sequence[str] = ()


@dataclass(frozen=True)
class SectionRow:
    section: Section
    rows: Sequence[LessonRow]

    @property
    def facts(self) -> str:
        """ "9 lessons, 1 h 22 min, 1 in processing"."""
        count = len(self.rows)
        parts = [ngettext("%d lesson", "%d lessons", count) % count]
        seconds = sum(row.lesson.duration for row in self.rows)
        if seconds:
            parts.append(length(seconds))
        unready = sum(row.badge.tone != "ok" for row in self.rows)
        if count and not unready:
            parts.append(_("all ready"))
        elif unready:
            parts.append(ngettext("%d not ready yet", "%d not ready yet", unready) % unready)
        return ", ".join(parts)


def outline_of(course: Course) -> list[SectionRow]:
    """Return the course's sections and lessons in order. Two queries, three if a lesson has something to look at."""
    return _section_rows(course, course.sections.order_by("position"))


def arrangement_of(rows: Iterable[SectionRow]) -> Arrangement:
    """Return the order of what is shown."""
    return Arrangement.of((row.section.pk, (entry.lesson.pk for entry in row.rows)) for row in rows)


def section_row_of(lesson: Lesson) -> SectionRow:
    """Return the section of a lesson with its lessons. At most three queries, if its course is loaded."""
    return _section_rows(lesson.course, Section.objects.filter(pk=lesson.section_id))[0]


def _section_rows(course: Course, found: QuerySet[Section]) -> list[SectionRow]:
    lessons = count_contents(Lesson.objects.order_by("position").select_related("file"))
    sections = list(found.prefetch_related(Prefetch("lessons", queryset=lessons)))
    advice = find_advice(course, (lesson for section in sections for lesson in section.lessons.all()))
    return [
        SectionRow(section, [_row(lesson, advice.get(lesson.pk, ())) for lesson in section.lessons.all()])
        for section in sections
    ]


def lesson_badge(lesson: Lesson) -> Badge:
    """Return whether the lesson is ready for learners. Quizzes need the annotation ``question_count``."""
    if lesson.kind == Kind.VIDEO and not lesson.external_video:
        return _video_badge(lesson.video)
    return Badge(_("Empty")) if is_empty(lesson) else Badge(_("Ready"), "full", "ok")


def _video_badge(video: VideoAsset | None) -> Badge:
    if video is None:
        return Badge(_("No video"))
    match video.stage:
        case Stage.COMPLETE:
            return Badge(_("Ready"), "full", "ok")
        case Stage.FAILED:
            return Badge(video.failure_label, "bar", "error")
        case Stage.UPLOADING:
            return Badge(_("Uploading"), "dash")
        case _:
            return Badge(_("Processing"), "half", "warn")


def _row(lesson: Lesson, advice: Sequence[Finding]) -> LessonRow:
    end = clock(lesson.duration) if lesson.duration else ""
    if lesson.kind == Kind.QUIZ:
        count = lesson.question_count  # type: ignore[attr-defined]
        end = ngettext("%d question", "%d questions", count) % count if count else ""
    elif lesson.kind == Kind.FILE:
        end = lesson.shown_file_name
    return LessonRow(lesson, lesson_badge(lesson), end, _settings(lesson), [one.title for one in advice])


def _settings(lesson: Lesson) -> list[str]:
    found = [str(lesson.get_external_host_display())] if lesson.external_host else []
    if lesson.is_preview:
        found.append(_("Preview lesson"))
    if lesson.is_optional:
        found.append(_("Optional"))
    if lesson.opens_at is not None:
        found.append(_("Opens on %s") % date_format(timezone.localtime(lesson.opens_at), "j M Y, H:i"))
    elif lesson.opens_after_days is not None:
        count = lesson.opens_after_days
        found.append(ngettext("Opens %d day after enrollment", "Opens %d days after enrollment", count) % count)
    return found


def outline_out(course: Course) -> dict[str, Any]:
    """Return the shape ``AuthoredOutline``. Two queries."""
    return {
        "version": course.version,
        "sections": [
            {
                "uid": row.section.uid,
                "title": row.section.title,
                "position": row.section.position,
                "facts": row.facts,
                "lessons": [_lesson_out(entry) for entry in row.rows],
            }
            for row in outline_of(course)
        ],
    }


def _lesson_out(row: LessonRow) -> dict[str, Any]:
    lesson = row.lesson
    names = ("uid", "slug", "number", "title", "kind", "duration", "is_preview")
    return {name: getattr(lesson, name) for name in names} | {
        "state": row.badge.label,
        "is_ready": row.badge.tone == "ok",
        "video": lesson.video.uid if lesson.video else None,
    }
