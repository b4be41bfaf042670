"""The quiz builder: one question at a time, beside the outline."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from apps.accounts.guards import signed_in_user, teaches
from apps.courses import services
from apps.courses.errors import DrawTooLarge, LectureUnavailable, QuestionInvalid
from apps.courses.models import Course, Lesson, Question
from apps.courses.pages.authoring import about, confirm
from apps.courses.pages.changes import offer_undo
from apps.courses.pages.outline import lesson_of, show, to_lesson
from apps.courses.pages.panel import panel_of
from apps.courses.pages.question_editing import read_editing
from apps.courses.pages.staffed import course_for_staff
from apps.courses.question_forms import QuestionForm, QuizForm
from studyplatform.kit.errors import NotFound, ValidationFailed


@teaches
@require_POST
def rules(request: HttpRequest, slug: str, lesson: str) -> HttpResponse:
    """Pass mark, attempts, time limit, what an attempt draws."""
    course = course_for_staff(request, slug)
    opened = quiz_lesson(course, lesson)
    form = QuizForm(request.POST)
    if not form.is_valid():
        return show(request, course, opened=opened, quiz_form=form)
    given = form.cleaned_data
    try:
        services.edit_quiz(
            quiz=opened.quiz,
            by=signed_in_user(request),
            intro=given["intro"],
            pass_percent=given["pass_percent"],
            max_attempts=given["max_attempts"] or 0,
            time_limit=(given["minutes"] or 0) * 60,
            reveal=given["reveal"],
            retry_wait=(given["wait"] or 0) * 60,
            draw_count=given["draw"] or 0,
            shuffle_questions=given["shuffle_questions"],
            shuffle_options=given["shuffle_options"],
            now=timezone.now(),
        )
    except DrawTooLarge as refusal:
        form.add_error("draw", refusal.detail)
        return show(request, course, opened=opened, quiz_form=form)
    messages.success(request, _("Saved."))
    return to_lesson(course, opened)


@teaches
@require_http_methods(["GET", "HEAD", "POST"])
def question_new(request: HttpRequest, slug: str, lesson: str) -> HttpResponse:
    """An empty question of the kind in ``?kind=``; saving adds it at the end."""
    course = course_for_staff(request, slug)
    opened = quiz_lesson(course, lesson)
    kind = request.POST.get("kind") or request.GET.get("kind") or Question.Kind.SINGLE
    if kind not in Question.Kind.values:
        raise ValidationFailed
    return _edit(request, course, opened, None, kind)


@teaches
@require_http_methods(["GET", "HEAD", "POST"])
def question(request: HttpRequest, slug: str, lesson: str, uid: UUID) -> HttpResponse:
    course = course_for_staff(request, slug)
    opened = quiz_lesson(course, lesson)
    found = question_of(opened, uid)
    kind = request.POST.get("kind") or found.kind
    if kind not in Question.Kind.values:
        raise ValidationFailed
    return _edit(request, course, opened, found, kind)


@teaches
@require_POST
def question_move(request: HttpRequest, slug: str, lesson: str, uid: UUID) -> HttpResponse:
    course = course_for_staff(request, slug)
    opened = quiz_lesson(course, lesson)
    moving = question_of(opened, uid)
    step = {"up": -1, "down": 1}.get(request.POST.get("to", ""))
    if step is None:
        raise ValidationFailed
    services.move_question(
        question=moving, by=signed_in_user(request), position=moving.position + step, now=timezone.now()
    )
    return to_question(course, opened, moving)


@teaches
@require_POST
def question_copy(request: HttpRequest, slug: str, lesson: str, uid: UUID) -> HttpResponse:
    course = course_for_staff(request, slug)
    opened = quiz_lesson(course, lesson)
    copy = services.duplicate_question(
        question=question_of(opened, uid), by=signed_in_user(request), now=timezone.now()
    )
    messages.success(request, _("Question duplicated."))
    return to_question(course, opened, copy)


@teaches
@require_http_methods(["GET", "HEAD", "POST"])
def question_delete(request: HttpRequest, slug: str, lesson: str, uid: UUID) -> HttpResponse:
    course = course_for_staff(request, slug)
    opened = quiz_lesson(course, lesson)
    deleted = question_of(opened, uid)
    if request.method == "POST":
        change = services.delete_question(question=deleted, by=signed_in_user(request), now=timezone.now())
        offer_undo(request, course, change, _("The question was deleted."))
        return to_lesson(course, opened)
    return confirm(
        request,
        course,
        title=_("Delete question %d?") % deleted.position,
        text=deleted.prompt,
        detail=_("Submitted attempts keep their results."),
        label=_("Delete question"),
        back=reverse("courses:studio-question", args=[course.slug, opened.slug, deleted.uid]),
    )


def quiz_lesson(course: Course, slug: str) -> Lesson:
    """Return the quiz lesson of this course with this slug.

    :raises LectureUnavailable: there is none.
    """
    found = lesson_of(course, slug)
    if found.kind != Lesson.Kind.QUIZ:
        raise LectureUnavailable
    return found


def question_of(lesson: Lesson, uid: UUID) -> Question:
    found = lesson.quiz.questions.select_related("rewatch_lesson").filter(uid=uid).first()
    if found is None:
        raise NotFound
    found.quiz = lesson.quiz
    found.quiz.lesson = lesson
    return found


def to_question(course: Course, lesson: Lesson, question: Question) -> HttpResponse:
    address = reverse("courses:studio-question", args=[course.slug, lesson.slug, question.uid])
    return redirect(f"{address}#question")


def _edit(request: HttpRequest, course: Course, lesson: Lesson, found: Question | None, kind: str) -> HttpResponse:
    """Show the form beside a preview, or save it."""
    editing = read_editing(request, course, found, kind, initial_of(found, kind))
    problem = ""
    if editing.is_saving and editing.form.is_valid():
        try:
            saved = _save(request, lesson, found, editing.form)
        except QuestionInvalid as refusal:
            problem = refusal.detail
        else:
            messages.success(request, _("Question %d saved.") % saved.position)
            return to_question(course, lesson, saved)
    context = {
        **about(course, signed_in_user(request)),
        **panel_of(signed_in_user(request), course, lesson),
        "opened": lesson,
        "problem": problem,
        "tag_names": request.POST.get("tags", tag_names_of(found)),
        **editing.context,
    }
    return render(request, "courses/studio/quiz_question.html", context)


def _save(request: HttpRequest, lesson: Lesson, found: Question | None, form: QuestionForm) -> Question:
    by, now, tags = signed_in_user(request), timezone.now(), request.POST.get("tags", tag_names_of(found))
    return services.save_tagged_question(
        quiz=lesson.quiz, question=found, by=by, draft=form.draft(), tags=tags.split(","), now=now
    )


def tag_names_of(found: Question | None) -> str:
    """Return the tags of a question as its form shows them. No query for a new one."""
    return ", ".join(found.tags.order_by("name").values_list("name", flat=True)) if found else ""


def initial_of(found: Question | None, kind: str) -> dict[str, Any]:
    """Return the initial values of the form of a question, or of a new one."""
    if found is None:
        return {"kind": kind, "points": 1}
    at = found.rewatch_at
    return {
        "kind": kind,
        "prompt": found.prompt,
        "explanation": found.explanation,
        "points": found.points,
        "all_or_nothing": found.all_or_nothing,
        "is_withdrawn": found.is_withdrawn,
        "rewatch": found.rewatch_lesson.uid if found.rewatch_lesson else None,
        "rewatch_at": f"{at // 60}:{at % 60:02}" if at is not None else "",
    }
