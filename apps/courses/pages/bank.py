"""The question bank of a course, and what its quizzes draw from it. Forms that work without scripts."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from apps.accounts.guards import signed_in_user, teaches
from apps.courses import services
from apps.courses.errors import OutlineFull, QuestionInvalid
from apps.courses.models import Course, Lesson, Question, QuestionTag, QuizDraw
from apps.courses.pages.authoring import about, confirm
from apps.courses.pages.outline import to_lesson
from apps.courses.pages.panel import ICONS
from apps.courses.pages.question_editing import read_editing
from apps.courses.pages.quiz import initial_of, quiz_lesson, tag_names_of
from apps.courses.pages.staffed import course_for_staff
from apps.courses.queries import bank as queries
from studyplatform.kit.errors import NotFound, ValidationFailed
from studyplatform.kit.web.requests import search_query

MAX_TAGS_SENT = 50


@teaches
@require_safe
def bank(request: HttpRequest, slug: str) -> HttpResponse:
    """The questions, narrowed by ``q`` and ``tag``, each with the number of quizzes that use it."""
    course = course_for_staff(request, slug)
    words, tag = search_query(request, max_length=200), _number(request.GET.get("tag", ""))
    questions = queries.questions_in_bank(course, words=words, tag=tag)
    page = Paginator(questions, queries.PAGE_SIZE).get_page(request.GET.get("page"))
    draws = queries.draws_of_course(course)
    return render(
        request,
        "courses/studio/bank.html",
        {
            **about(course, signed_in_user(request)),
            "page": page,
            "rows": [(one, ICONS[Question.Kind(one.kind)], queries.uses_of(one, draws)) for one in page.object_list],
            "q": words,
            "tag": tag,
            "tags": queries.tags_of_bank(course),
            "kinds": [(value, label, ICONS[Question.Kind(value)]) for value, label in Question.Kind.choices],
        },
    )


@teaches
@require_http_methods(["GET", "HEAD", "POST"])
def question_new(request: HttpRequest, slug: str) -> HttpResponse:
    """An empty question of the kind in ``?kind=``."""
    course = course_for_staff(request, slug)
    kind = request.POST.get("kind") or request.GET.get("kind") or Question.Kind.SINGLE
    return _edit(request, course, None, kind)


@teaches
@require_http_methods(["GET", "HEAD", "POST"])
def question(request: HttpRequest, slug: str, uid: UUID) -> HttpResponse:
    """A question with its tags and the quizzes that use it."""
    course = course_for_staff(request, slug)
    found = _question(course, uid)
    return _edit(request, course, found, request.POST.get("kind") or found.kind)


@teaches
@require_POST
def question_copy(request: HttpRequest, slug: str, uid: UUID) -> HttpResponse:
    course = course_for_staff(request, slug)
    copy = services.duplicate_question(question=_question(course, uid), by=signed_in_user(request), now=timezone.now())
    messages.success(request, _("Question duplicated."))
    return redirect("courses:studio-bank-question", course.slug, copy.uid)


@teaches
@require_http_methods(["GET", "HEAD", "POST"])
def question_delete(request: HttpRequest, slug: str, uid: UUID) -> HttpResponse:
    course = course_for_staff(request, slug)
    deleted = _question(course, uid)
    if request.method == "POST":
        services.delete_question(question=deleted, by=signed_in_user(request), now=timezone.now())
        messages.success(request, _("The question was deleted. You can undo this on the page “Lessons”."))
        return redirect("courses:studio-bank", course.slug)
    return confirm(
        request,
        course,
        title=_("Delete this question?"),
        text=deleted.prompt,
        detail=_("Quizzes that use it stop asking it. Open and submitted attempts keep it."),
        label=_("Delete question"),
        back=reverse("courses:studio-bank-question", args=[course.slug, deleted.uid]),
    )


@teaches
@require_POST
def question_use(request: HttpRequest, slug: str, uid: UUID) -> HttpResponse:
    """Link a question of the bank to a quiz, or copy it there."""
    course = course_for_staff(request, slug)
    found, by, now = _question(course, uid), signed_in_user(request), timezone.now()
    into = (
        course.lessons.filter(kind=Lesson.Kind.QUIZ, slug=request.POST.get("quiz", "")).select_related("quiz").first()
    )
    if into is None:
        messages.warning(request, _("Choose a quiz."))
        return redirect("courses:studio-bank-question", course.slug, found.uid)
    into.course = course
    try:
        if "copy" in request.POST:
            services.copy_question(question=found, into=into.quiz, by=by, now=now)
            messages.success(request, _("Copied to %(number)s.") % {"number": into.number})
        else:
            services.link_question(quiz=into.quiz, question=found, by=by, now=now)
            messages.success(request, _("Linked to %(number)s.") % {"number": into.number})
    except (QuestionInvalid, OutlineFull) as refusal:
        messages.warning(request, refusal.detail)
    return redirect("courses:studio-bank-question", course.slug, found.uid)


@teaches
@require_POST
def question_to_bank(request: HttpRequest, slug: str, lesson: str, uid: UUID) -> HttpResponse:
    """Copy a question of a quiz to the bank."""
    course = course_for_staff(request, slug)
    found = quiz_lesson(course, lesson).quiz.questions.filter(uid=uid).first()
    if found is None:
        raise NotFound
    copy = services.copy_to_bank(question=found, by=signed_in_user(request), now=timezone.now())
    messages.success(request, _("Copied to the question bank."))
    return redirect("courses:studio-bank-question", course.slug, copy.uid)


@teaches
@require_POST
def draw_add(request: HttpRequest, slug: str, lesson: str) -> HttpResponse:
    """Draw ``count`` questions with all of the tags."""
    course = course_for_staff(request, slug)
    opened = quiz_lesson(course, lesson)
    picked = {_number(one) for one in request.POST.getlist("tags")[:MAX_TAGS_SENT]}
    tags = list(QuestionTag.objects.filter(bank__course=course, pk__in=picked).select_related("bank"))
    if len(tags) < len(picked):
        raise ValidationFailed
    count, by = _number(request.POST.get("count", "")), signed_in_user(request)
    try:
        services.add_draw(quiz=opened.quiz, by=by, tags=tags, count=count, now=timezone.now())
    except (QuestionInvalid, OutlineFull) as refusal:
        messages.warning(request, refusal.detail)
    else:
        messages.success(request, _("Saved."))
    return to_lesson(course, opened)


@teaches
@require_POST
def draw_change(request: HttpRequest, slug: str, lesson: str, uid: UUID) -> HttpResponse:
    """Move a draw up or down, or remove it."""
    course = course_for_staff(request, slug)
    opened = quiz_lesson(course, lesson)
    draw = QuizDraw.objects.filter(quiz=opened.quiz, uid=uid).first()
    if draw is None:
        raise NotFound
    draw.quiz = opened.quiz
    step = {"up": -1, "down": 1}.get(request.POST.get("to", ""))
    if "remove" in request.POST:
        services.delete_draw(draw=draw, by=signed_in_user(request), now=timezone.now())
    elif step is not None:
        services.move_draw(draw=draw, by=signed_in_user(request), position=draw.position + step)
    else:
        raise ValidationFailed
    return to_lesson(course, opened)


def _edit(request: HttpRequest, course: Course, found: Question | None, kind: str) -> HttpResponse:
    """Show the form beside a preview, or save it with its tags."""
    if kind not in Question.Kind.values:
        raise ValidationFailed
    editing = read_editing(request, course, found, kind, initial_of(found, kind))
    problem = ""
    if editing.is_saving and editing.form.is_valid():
        try:
            saved = services.save_bank_question(
                course=course,
                question=found,
                by=signed_in_user(request),
                draft=editing.form.draft(),
                tags=request.POST.get("tags", "").split(","),
                now=timezone.now(),
            )
        except QuestionInvalid as refusal:
            problem = refusal.detail
        else:
            messages.success(request, _("Question saved."))
            return redirect("courses:studio-bank-question", course.slug, saved.uid)
    context: dict[str, Any] = {
        **about(course, signed_in_user(request)),
        **editing.context,
        "problem": problem,
        "tag_names": request.POST.get("tags", tag_names_of(found)),
        "uses": queries.uses_of(found, queries.draws_of_course(course)) if found else [],
        "quizzes": course.lessons.filter(kind=Lesson.Kind.QUIZ).order_by("section__position", "position"),
    }
    return render(request, "courses/studio/bank_question.html", context)


def _question(course: Course, uid: UUID) -> Question:
    """
    :raises NotFound: the course's bank has no such question.
    """
    found = Question.objects.select_related("rewatch_lesson", "quiz").filter(quiz__course=course, uid=uid).first()
    if found is None:
        raise NotFound
    found.quiz.course = course
    return found


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else 0
