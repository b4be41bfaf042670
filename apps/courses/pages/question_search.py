"""Put a question that exists into a quiz: searched in the question bank and the other quizzes, linked or copied."""

from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from apps.accounts.guards import signed_in_user, teaches
from apps.courses import services
from apps.courses.errors import OutlineFull, QuestionInvalid
from apps.courses.models import Course, Lesson, Question
from apps.courses.pages.authoring import about
from apps.courses.pages.panel import ICONS
from apps.courses.pages.quiz import quiz_lesson
from apps.courses.pages.staffed import course_for_staff
from apps.courses.queries import bank as queries
from studyplatform.kit.web.requests import search_query


@teaches
@require_http_methods(["GET", "HEAD", "POST"])
def question_search(request: HttpRequest, slug: str, lesson: str) -> HttpResponse:
    """The questions of the course outside of this quiz (``q``), each with what the quiz has of it already."""
    course = course_for_staff(request, slug)
    opened = quiz_lesson(course, lesson)
    if request.method == "POST":
        _put(request, course, opened)
        return redirect(request.get_full_path())
    words = search_query(request, max_length=200)
    page = Paginator(queries.questions_beside(opened, words=words), queries.PAGE_SIZE).get_page(request.GET.get("page"))
    present = queries.presence_of(page.object_list, opened)
    context = {
        **about(course, signed_in_user(request)),
        "opened": opened,
        "page": page,
        "rows": [(one, ICONS[Question.Kind(one.kind)], present[one.pk]) for one in page.object_list],
        "q": words,
    }
    return render(request, "courses/studio/question_search.html", context)


def _put(request: HttpRequest, course: Course, opened: Lesson) -> None:
    by, now = signed_in_user(request), timezone.now()
    uid = _uid(request.POST.get("question", ""))
    found = None if uid is None else queries.questions_beside(opened).filter(uid=uid).first()
    if found is None:
        messages.warning(request, _("Choose a question of this course."))
        return
    if found.quiz.course_id:
        found.quiz.course = course
    else:
        found.quiz.lesson.course = course
    try:
        if "link" in request.POST:
            services.link_question(quiz=opened.quiz, question=found, by=by, now=now)
            messages.success(request, _("Linked. The quiz asks it as it stands in the question bank."))
        else:
            services.copy_question(question=found, into=opened.quiz, by=by, now=now)
            messages.success(request, _("Copied to the end of the quiz."))
    except (QuestionInvalid, OutlineFull) as refusal:
        messages.warning(request, refusal.detail)


def _uid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
