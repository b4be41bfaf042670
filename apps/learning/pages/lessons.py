"""The pages of lessons: videos, texts, files, quizzes, and audio only."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from apps.accounts.guards import open_to_everyone, session_key_of, signed_in, signed_in_user
from apps.courses.errors import LectureUnavailable
from apps.courses.models import Lesson
from apps.files.services import sign_file
from apps.learning import services
from apps.learning.activity.reading import seconds_to_wait
from apps.learning.errors import Closed
from apps.learning.forms import fields_of, posted_answers
from apps.learning.pages.completion import completion_message
from apps.learning.pages.lesson_context import shared_context
from apps.learning.pages.preview import render_closed
from apps.learning.pages.readings import unconfirmed_readings
from apps.learning.pages.watching import structured_video, watching, with_external_sources
from apps.learning.queries.addresses import lesson_url
from apps.learning.queries.lessons import OpenLesson, lesson_at, lesson_named
from apps.learning.queries.player import audience_of, player_out, signed_sources
from apps.learning.queries.quizzes import get_attempt, questions_in, quiz_ahead, quiz_page_out
from studyplatform.kit.errors import AppError, ValidationFailed
from studyplatform.kit.policies import enforce
from studyplatform.kit.text.numbers import ReadNumber
from studyplatform.kit.text.sizes import as_size


@open_to_everyone
@require_GET
def lesson(request: HttpRequest, course: str, lesson: str) -> HttpResponse:
    """A lesson of any kind. Preview lessons are open to visitors."""
    opened = lesson_at(request.user, course, lesson)
    if isinstance(opened.verdict, Closed):
        return _closed(request, opened, opened.verdict)
    enforce(opened.verdict)
    _record_opening(opened)
    return PAGES[Lesson.Kind(opened.lesson.kind)](request, opened)


def _record_opening(opened: OpenLesson) -> None:
    if opened.is_new and opened.standing.enrollment is not None:
        services.open_lesson(enrollment=opened.standing.enrollment, lesson=opened.lesson, now=timezone.now())


def _video(request: HttpRequest, opened: OpenLesson) -> HttpResponse:
    sources = signed_sources(opened, now=timezone.now(), session_key=session_key_of(request))
    context = {
        **shared_context(request, opened),
        **watching(request, opened, player_out(opened, sources)),
        "quiz": quiz_ahead(opened),
        "structured": structured_video(opened),
    }
    return with_external_sources(request, render(request, "learning/lesson_video.html", context), opened.lesson)


def _text(request: HttpRequest, opened: OpenLesson) -> HttpResponse:
    return render(
        request, "learning/lesson_text.html", {**shared_context(request, opened), "wait": _seconds_to_read(opened)}
    )


def _seconds_to_read(opened: OpenLesson) -> int:
    """Return the seconds until the text can be marked as read."""
    enrollment = opened.standing.enrollment
    if enrollment is None or not opened.may_save or opened.standing.has_completed(opened.lesson.pk):
        return 0
    now = timezone.now()
    progress = services.open_lesson(enrollment=enrollment, lesson=opened.lesson, now=now)
    return seconds_to_wait(opened.lesson.body, opened_at=progress.started_at, now=now)


def _file(request: HttpRequest, opened: OpenLesson) -> HttpResponse:
    one = opened.lesson
    context = {"file": one.file, "size": as_size(one.file.length) if one.file else ""}
    return render(request, "learning/lesson_file.html", {**shared_context(request, opened), **context})


def _quiz(
    request: HttpRequest,
    opened: OpenLesson,
    *,
    given: dict[str, list[str]] | None = None,
    errors: list[str] | None = None,
    readings: dict[str, ReadNumber] | None = None,
) -> HttpResponse:
    props = quiz_page_out(opened, now=timezone.now())
    current = props["attempt"]
    begun = fields_of(current["questions"], current["answers"]) if current else {}
    shown = {"given": begun if given is None else given, "errors": errors or [], "readings": readings or {}}
    context = {**shared_context(request, opened), "props": props, **shown}
    return render(request, "learning/lesson_quiz.html", context, status=400 if errors else 200)


PAGES = {Lesson.Kind.VIDEO: _video, Lesson.Kind.TEXT: _text, Lesson.Kind.FILE: _file, Lesson.Kind.QUIZ: _quiz}


def _closed(request: HttpRequest, opened: OpenLesson, refusal: AppError) -> HttpResponse:
    """The page for a lesson that requires an enrollment, with the way to enroll."""
    return render_closed(request, refusal, opened.course, lesson=opened.lesson)


@open_to_everyone
@require_GET
def download(request: HttpRequest, course: str, lesson: str) -> HttpResponseBase:
    """Redirect to the file of a lesson that the user may open. Downloading it completes the lesson."""
    opened = lesson_at(request.user, course, lesson)
    enforce(opened.verdict)
    one = opened.lesson
    if one.kind != Lesson.Kind.FILE or one.file is None:
        raise LectureUnavailable
    if opened.may_save:
        services.fetch_file(user=signed_in_user(request), lesson_uid=one.uid, now=timezone.now())
    audience = audience_of(one, session_key_of(request))
    address = sign_file(
        upload=one.file, name=one.shown_file_name, now=timezone.now(), audience=audience, user=request.user
    )
    return redirect(address)


@signed_in
@require_POST
def start_attempt(request: HttpRequest, course: str, lesson: str) -> HttpResponse:
    """Open an attempt and show its questions."""
    opened = lesson_at(request.user, course, lesson)
    services.open_attempt(user=signed_in_user(request), lesson_uid=opened.lesson.uid, now=timezone.now())
    return redirect(lesson_url(course, lesson))


@signed_in
@require_POST
def submit_attempt(request: HttpRequest, course: str, lesson: str, uid: UUID) -> HttpResponse:
    """Submit a quiz. The form returns with all answers if one is invalid, or to confirm how numbers were read."""
    attempt = get_attempt(request.user, uid)
    given = {name: request.POST.getlist(name) for name in request.POST if name.startswith("q.")}
    questions = questions_in(attempt)
    if readings := unconfirmed_readings(questions, attempt, request):
        opened = lesson_at(request.user, course, lesson)
        enforce(opened.verdict)
        return _quiz(request, opened, given=given, readings=readings)
    answers = posted_answers(questions, given)
    try:
        attempt, saved = services.submit_attempt(
            user=signed_in_user(request), attempt=attempt, answers=answers, now=timezone.now()
        )
    except ValidationFailed as refusal:
        opened = lesson_at(request.user, course, lesson)
        enforce(opened.verdict)
        errors = [path.removeprefix("answers.") for path in refusal.in_fields]
        return _quiz(request, opened, given=given, errors=errors)
    if saved is not None and saved.certificate is not None:
        messages.success(request, _("You completed the course. Your certificate is ready."))
    elif saved is not None and saved.newly_completed and not attempt.quiz.lesson.is_removed:
        messages.success(request, completion_message(attempt.quiz.lesson, saved), extra_tags="toast")
    return redirect(lesson_url(course, attempt.quiz.lesson.slug))


@open_to_everyone
@require_GET
def audio(request: HttpRequest) -> HttpResponse:
    """The audio of a video lesson: /audio-fallback?lesson={uid}, or the lesson's slug."""
    opened = lesson_named(request.user, request.GET.get("lesson", ""))
    if isinstance(opened.verdict, Closed):
        return _closed(request, opened, opened.verdict)
    enforce(opened.verdict)
    sources = signed_sources(opened, now=timezone.now(), session_key=session_key_of(request))
    if sources is not None:
        _record_opening(opened)
    props = {**player_out(opened, sources), "is_listening": True}
    context = {**shared_context(request, opened), **watching(request, opened, props)}
    return render(request, "learning/audio.html", context)
