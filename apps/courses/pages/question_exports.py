"""Export questions: choose a format, read what it can't hold, download. Works without scripts."""

from dataclasses import dataclass
from uuid import UUID

from django.db.models import Prefetch, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.http import content_disposition_header
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from apps.accounts.guards import signed_in_user, teaches
from apps.courses import services
from apps.courses.models import Course, Lesson, Question, QuestionTag
from apps.courses.pages.authoring import about
from apps.courses.pages.quiz import quiz_lesson
from apps.courses.pages.staffed import course_for_staff
from apps.courses.queries import bank as queries
from apps.courses.question_export.writing import FILE_ENDINGS, FORMATS, MEDIA_TYPES
from studyplatform.kit.errors import ValidationFailed
from studyplatform.kit.web.requests import search_query

MAX_SELECTED = 1_000  # as many as a question bank has room for
MAX_LOSSES_SHOWN = 100
BYTE_ORDER_MARK = "\ufeff"
"""By which Excel knows that a file is UTF-8."""


@dataclass(frozen=True)
class Selection:
    """Which questions of a course are exported: ``lesson`` None is its question bank."""

    lesson: Lesson | None
    questions: QuerySet[Question]

    @property
    def title(self) -> str:
        """What is exported, for the name of the file."""
        return self.lesson.title if self.lesson else _("Question bank")


@teaches
@require_safe
def question_export(request: HttpRequest, slug: str) -> HttpResponse:
    """What a file of the format in ``?format=`` will have and lack, with the link to it."""
    course, user = course_for_staff(request, slug), signed_in_user(request)
    form = _format_of(request)
    selection = _selection(request, course)
    found = list(selection.questions)
    file = services.export_questions(course=course, by=user, questions=found, form=form, is_for_report=True)
    left_out = [loss.question for loss in file.losses if loss.is_left_out]
    partly = [loss for loss in file.losses if not loss.is_left_out]
    context = {
        **about(course, user),
        "lesson": selection.lesson,
        "form": form,
        "formats": FORMATS,
        "total": len(found),
        "count": file.count,
        "left_out": left_out[:MAX_LOSSES_SHOWN],
        "left_out_count": len(left_out),
        "partly": partly[:MAX_LOSSES_SHOWN],
        "partly_count": len(partly),
        "kept": [(name, value) for name in request.GET if name != "format" for value in request.GET.getlist(name)],
        "query": request.GET.urlencode() if "format" in request.GET else f"{request.GET.urlencode()}&format={form}",
    }
    return render(request, "courses/studio/question_export.html", context)


@teaches
@require_safe
def question_export_file(request: HttpRequest, slug: str) -> HttpResponse:
    """The file."""
    course, user = course_for_staff(request, slug), signed_in_user(request)
    form = _format_of(request)
    selection = _selection(request, course)
    file = services.export_questions(course=course, by=user, questions=list(selection.questions), form=form)
    text = BYTE_ORDER_MARK + file.text if form == "csv" else file.text
    title = slugify(selection.title, allow_unicode=True)[:60]
    name = f"{'-'.join(filter(None, (course.slug[:40], title)))}.{FILE_ENDINGS[form]}"
    return HttpResponse(
        text.encode(errors="replace"),
        content_type=f"{MEDIA_TYPES[form]}; charset=utf-8",
        headers={
            "Content-Disposition": content_disposition_header(as_attachment=True, filename=name) or "attachment",
            "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff",
        },
    )


def _format_of(request: HttpRequest) -> str:
    """
    :raises ValidationFailed: there is no such format.
    """
    form = request.GET.get("format", "moodle_xml")
    if form not in FORMATS:
        raise ValidationFailed
    return form


def _selection(request: HttpRequest, course: Course) -> Selection:
    """Return the questions of ``?from=`` a quiz or the bank, of which ``question`` (uids), ``q`` and ``tag`` choose.

    With ``selected`` it is none without a ``question``.

    :raises LectureUnavailable: there is no such quiz.
    :raises ValidationFailed: a uid is none.
    """
    source = request.GET.get("from", "bank")
    if source == "bank":
        lesson = None
        tag = request.GET.get("tag", "")
        found = queries.questions_in_bank(
            course,
            words=search_query(request, max_length=200),
            tag=int(tag) if tag.isascii() and tag.isdecimal() and len(tag) < 10 else 0,
        ).order_by("position")
    else:
        lesson = quiz_lesson(course, source)
        found = lesson.quiz.questions.order_by("position").prefetch_related(
            Prefetch("tags", QuestionTag.objects.order_by("name"))
        )
    chosen = request.GET.getlist("question")[: MAX_SELECTED + 1]
    if len(chosen) > MAX_SELECTED:
        raise ValidationFailed
    if chosen or "selected" in request.GET:
        try:
            found = found.filter(uid__in=[UUID(one) for one in chosen])
        except ValueError:
            raise ValidationFailed from None
    return Selection(lesson, found)
