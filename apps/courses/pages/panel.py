"""The panel of the open lesson beside the outline: its video, text, quiz or file."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.accounts.guards import require_session_key
from apps.accounts.models import User
from apps.courses.chapters import chapters_as_text
from apps.courses.download_form import DownloadForm
from apps.courses.external_video import stored_video
from apps.courses.external_video_form import ExternalVideoForm
from apps.courses.field_values import lesson_values, version_of
from apps.courses.forms import LANGUAGES, CaptionsForm, ChaptersForm, LessonForm
from apps.courses.inserted_file_form import InsertedFileForm
from apps.courses.models import Course, Lesson, Question
from apps.courses.queries import authoring
from apps.courses.queries.authored_outline import SectionRow, lesson_badge, section_row_of
from apps.courses.queries.bank import draw_rows, tags_of_bank
from apps.courses.queries.chapters import chapters_of_captions
from apps.courses.queries.downloads import downloads_of
from apps.courses.queries.findings import find_in_lesson
from apps.courses.queries.review_threads import Addresses, rows_of_lesson
from apps.courses.queries.solutions import answers_of_question
from apps.courses.question_forms import QuizForm
from apps.courses.questions import MAX_GAPS, Answers, Choice, Gap
from apps.courses.services.course_files import MAX_PICTURE_BYTES
from apps.files.queries import notice_of
from apps.files.services import (
    FrameChoice,
    can_transcribe,
    choose_frames,
    failure_sentence,
    sign_link,
    video_suffixes,
)
from studyplatform.kit.text import content
from studyplatform.kit.text.durations import clock
from studyplatform.kit.text.gaps import find_gaps
from studyplatform.kit.text.sizes import as_size

ICONS = {
    Question.Kind.SINGLE: "list-checks",
    Question.Kind.MULTIPLE: "square-check-big",
    Question.Kind.TRUTH: "circle-check",
    Question.Kind.NUMERIC: "hash",
    Question.Kind.TEXT: "type",
    Question.Kind.ORDERING: "list-ordered",
    Question.Kind.MATCHING: "arrow-left-right",
    Question.Kind.GAPS: "rectangle-ellipsis",
    Question.Kind.ESSAY: "pen-line",
}
LEAST_LINES = 4


@dataclass(frozen=True)
class Line:
    """A question in the panel's list."""

    question: Question
    icon: str


def file_limits() -> dict[str, Any]:
    """Return what the script needs to say which files can become lessons, before it sends them."""
    return {
        "videoEndings": video_suffixes(),
        "formats": settings.VIDEO_FORMATS,
        "videoBytes": settings.UPLOAD_LIMITS["video"],
        "fileBytes": settings.UPLOAD_LIMITS["file"],
        "textLength": content.LESSON.max_length,
    }


def panel_of(user: User, course: Course, lesson: Lesson, sections: Sequence[SectionRow] = ()) -> dict[str, Any]:
    """Return the context of the open lesson's panel, by kind. ``sections``: the course's, if they have been read."""
    section = next((one for one in sections if one.section.pk == lesson.section_id), None) or section_row_of(lesson)
    context: dict[str, Any] = {
        "section_row": section,
        "row": next(row for row in section.rows if row.lesson.pk == lesson.pk),
        "saved_versions": {name: version_of(value) for name, value in lesson_values(lesson).items()},
        "downloads": downloads_of(lesson),
        "download_form": DownloadForm(),
        "form": LessonForm(initial=texts_of(lesson), lesson=lesson),
        "insertion": InsertedFileForm(),
        "file_limit": _("Up to %(most)s. PNG, JPEG, WebP and GIF pictures of up to %(shown)s are shown, others linked.")
        % {"most": as_size(settings.UPLOAD_LIMITS["file"]), "shown": as_size(MAX_PICTURE_BYTES)},
        "needed_by": list(lesson.needed_by.order_by("section__position", "position")),
    }
    match lesson.kind:
        case Lesson.Kind.VIDEO:
            captions = list(lesson.video.captions.order_by("language")) if lesson.video else []
            duration = lesson.video.duration if lesson.video else lesson.duration if lesson.external_video else 0
            context |= {
                "video": lesson.video,
                "external": stored_video(lesson.external_video),
                "external_form": ExternalVideoForm(
                    initial={
                        "external_video": lesson.external_video,
                        "external_length": clock(lesson.duration) if lesson.external_video and lesson.duration else "",
                    }
                ),
                "takes_external": bool(settings.EXTERNAL_VIDEO_HOSTS) or bool(lesson.external_video),
                "video_badge": lesson_badge(lesson),
                "video_notice": notice_of(lesson.video) if lesson.video else "",
                "videos": authoring.videos_for(user, course),
                "captions": captions,
                "captions_form": CaptionsForm(),
                "caption_chapters": [] if lesson.chapters else chapters_of_captions(captions, duration=duration),
                "chapters_form": ChaptersForm(
                    initial={"chapters": chapters_as_text(lesson.chapters)},
                    duration=duration,
                ),
                "languages": dict(LANGUAGES),
                **_automatic_captions(lesson),
            }
        case Lesson.Kind.FILE:
            limit = settings.UPLOAD_LIMITS["file"]
            context |= {
                "file_size": as_size(lesson.file.length) if lesson.file else "",
                "file_hint": _("Up to %s: for example a PDF, slides, a spreadsheet or an archive.") % as_size(limit),
                "file_props": {
                    "endpoint": "/api/v1/uploads/",
                    "limits": {
                        "file": limit,
                        "fileLabel": as_size(limit),
                        "videoLabel": as_size(settings.UPLOAD_LIMITS["video"]),
                    },
                    "hint": _("Up to %s: for example a PDF, slides, a spreadsheet or an archive.") % as_size(limit),
                    "lesson": authoring.file_lesson_out(lesson),
                    "choice": reverse("courses:studio-file-choice", args=[course.slug, lesson.slug]),
                },
            }
        case Lesson.Kind.QUIZ:
            questions = list(lesson.quiz.questions.order_by("position"))
            context |= {
                "quiz": lesson.quiz,
                "questions": [Line(question, ICONS[Question.Kind(question.kind)]) for question in questions],
                "points": sum(question.points for question in questions),
                "draws": draw_rows(lesson.quiz),
                "tags": tags_of_bank(course),
                "quiz_form": QuizForm(
                    initial={
                        "intro": lesson.quiz.intro,
                        "pass_percent": lesson.quiz.pass_percent,
                        "max_attempts": lesson.quiz.max_attempts,
                        "minutes": lesson.quiz.time_limit // 60,
                        "reveal": lesson.quiz.reveal,
                        "wait": lesson.quiz.retry_wait // 60,
                        "draw": lesson.quiz.draw_count,
                        "shuffle_questions": lesson.quiz.shuffle_questions,
                        "shuffle_options": lesson.quiz.shuffle_options,
                    }
                ),
                "kinds": [(value, label, ICONS[Question.Kind(value)]) for value, label in Question.Kind.choices],
            }
    context["findings"] = find_in_lesson(lesson)
    context |= {"comments": rows_of_lesson(course, lesson), "to": Addresses(course)}
    return context


def texts_of(lesson: Lesson) -> dict[str, Any]:
    """Return the initial values of the lesson's form."""
    names = ("title", "summary", "body", "is_preview", "is_optional", "opens_after_days")
    texts = {name: getattr(lesson, name) for name in names}
    if lesson.opens_at is not None:
        texts["opens_at"] = f"{timezone.localtime(lesson.opens_at):%Y-%m-%dT%H:%M}"  # as browsers' fields have it
    return {**texts, "prerequisites": list(lesson.prerequisites.all())}


def lines_for(answers: Answers, *, more: int = 0) -> list[Choice]:
    """Return the choices of a form, with empty lines for new ones."""
    lines = list(answers.choices)
    missing = max(LEAST_LINES - len(lines), 0) + more
    return [*lines, *[Choice(text="")] * missing]


def question_context(
    question: Question | None, answers: Answers | None, *, prompt: str = "", more: int = 0
) -> dict[str, Any]:
    """Return the fields of the quiz builder: those posted, otherwise those of the question.

    A text with gaps gets a block for each mark in its ``prompt``.
    """
    typed = answers if answers is not None else answers_of_question(question) if question else Answers()
    accepted = [*((text, "") for text in typed.accepted), *((one.text, one.share) for one in typed.partly)]
    accepted += [("", "")] * max(1 + more, 3 - len(accepted))
    return {
        "question": question,
        "answers": typed,
        "lines": lines_for(typed, more=more),
        "accepted": accepted,
        "wrong": [*typed.remarks.items(), *[("", "")] * (1 + more)],
        "gaps": _gaps_for(typed, prompt, more=more),
    }


def _gaps_for(answers: Answers, prompt: str, *, more: int) -> list[Gap]:
    """Return the blocks of a form: one for each mark in the text, at least two, with empty ones for new gaps."""
    count = max([2, len(answers.gaps), *find_gaps(prompt)]) + more
    return [*answers.gaps, *[Gap()] * (min(count, MAX_GAPS) - len(answers.gaps))]


def frames_of(request: HttpRequest, lesson: Lesson) -> list[FrameChoice]:
    """Frames of the lesson's video from which its author chooses the cover."""
    if lesson.video is None or not lesson.video.is_playable:
        return []
    audience = require_session_key(request)
    return choose_frames(
        lesson.video, sign_link(video=lesson.video, now=timezone.now(), audience=audience, captions=())
    )


def _automatic_captions(lesson: Lesson) -> dict[str, Any]:
    """What a model writes for the lesson's video, or could write."""
    if lesson.video is None or not can_transcribe():
        return {"can_transcribe": False}
    newest = lesson.video.automatic_captions.filter(kind="speech").defer("texts").order_by("-pk").first()
    failure = failure_sentence(newest.failure) if newest is not None else ""
    return {"can_transcribe": True, "automatic_captions": newest, "automatic_failure": failure}
