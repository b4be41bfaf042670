"""What a lesson still needs, for the panel beside the outline. Each line leads to the place."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from apps.courses.findings.rules import LONG_LESSON
from apps.courses.models import Lesson, Question
from apps.files.models import CaptionTrack, VideoAsset

_LONG = gettext_lazy("Over 15 minutes. Learners finish shorter lessons more often.")


@dataclass(frozen=True)
class Missing:
    """``is_required``: the course can't be submitted without it; other lines are advice."""

    label: str | Promise
    href: str
    is_required: bool = False


def missing_in(
    lesson: Lesson,
    *,
    captions: Sequence[CaptionTrack] = (),
    questions: Iterable[Question] = (),
    question_count: int = 0,
) -> list[Missing]:
    """Return what the lesson lacks, required lines first.

    ``questions`` are the quiz's own, ``question_count`` those that an attempt gets with the bank's.
    """
    page = reverse("courses:studio-lesson", args=[lesson.course.slug, lesson.slug])
    found: list[Missing] = []
    match lesson.kind:
        case Lesson.Kind.VIDEO:
            found += _missing_in_video(lesson, captions, page)
        case Lesson.Kind.TEXT if not lesson.body.strip():
            found.append(Missing(_("The text is empty"), f"{page}#id_body", is_required=True))
        case Lesson.Kind.FILE if lesson.file_id is None:
            found.append(Missing(_("No file"), f"{page}#file", is_required=True))
        case Lesson.Kind.QUIZ:
            found += _missing_in_quiz(lesson, list(questions), question_count, page)
    if not lesson.summary.strip():
        found.append(Missing(_("No summary"), f"{page}#id_summary"))
    return sorted(found, key=lambda one: not one.is_required)


def _missing_in_video(lesson: Lesson, captions: Sequence[CaptionTrack], page: str) -> list[Missing]:
    video = lesson.video
    if lesson.external_video:
        is_long = lesson.duration > LONG_LESSON
        return [Missing(_LONG, f"{page}#video")] if is_long else []
    if video is None:
        return [Missing(_("No video"), f"{page}#video", is_required=True)]
    if video.stage == VideoAsset.Stage.FAILED:
        return [Missing(_("The video couldn't be processed"), f"{page}#video", is_required=True)]
    found = []
    if video.stage != VideoAsset.Stage.COMPLETE:
        found.append(Missing(_("The video is still being processed"), f"{page}#video", is_required=True))
    if video.has_audio and not captions:
        found.append(Missing(_("No captions"), f"{page}#captions"))
    if lesson.duration > LONG_LESSON:
        found.append(Missing(_LONG, f"{page}#video"))
    return found


def _missing_in_quiz(lesson: Lesson, questions: list[Question], count: int, page: str) -> list[Missing]:
    if not count:
        return [Missing(_("No questions"), f"{page}#questions", is_required=True)]
    silent = [one for one in questions if not one.is_withdrawn and not one.explanation.strip()]
    if not silent:
        return []
    label = ngettext("%d question without an explanation", "%d questions without an explanation", len(silent))
    first = reverse("courses:studio-question", args=[lesson.course.slug, lesson.slug, silent[0].uid])
    return [Missing(label % len(silent), f"{first}#id_explanation")]
