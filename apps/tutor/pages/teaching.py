"""/dashboard/instructor/tutor/: the tutor of each course, for those who teach it."""

from itertools import groupby
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from apps.accounts.guards import signed_in_user, teaches
from apps.courses.models import Course
from apps.tutor import services
from apps.tutor.forms import SwitchesForm
from apps.tutor.insight import LEAST_LEARNERS
from apps.tutor.queries.insight import PERIODS, SHOWN_FIRST, Insight, insight_of, insight_of_all
from apps.tutor.queries.switches import switches_of, with_switches
from apps.tutor.queries.taught import course_of_staff, courses_of_staff

PER_PAGE = 20
PER_LIST = 10


@teaches
@never_cache
@require_safe
def courses(request: HttpRequest) -> HttpResponse:
    """The courses with their switches. ``?view=questions``: what learners ask about all courses that the user teaches.

    ``days`` is the period, as on the page of a course; ``page``, ``todos`` and ``settled`` are pages of the lists.
    """
    user = signed_in_user(request)
    if request.GET.get("view") == "questions":
        days = _days(request.GET.get("days", ""))
        shown = insight_of_all(
            list(Course.objects.taught_by(user.pk).order_by("title", "pk")), days=days, now=timezone.now()
        )
        return render(request, "tutor/teaching/all.html", {"is_all": True, **_context(request, shown, days)})
    found = courses_of_staff(user)
    page = Paginator(found, PER_PAGE).get_page(request.GET.get("page"))
    return render(request, "tutor/teaching/courses.html", {"page": page, "rows": with_switches(list(page.object_list))})


@teaches
@never_cache
@require_safe
def course(request: HttpRequest, slug: str) -> HttpResponse:
    """What learners ask about a course, and its switches.

    ``?days=`` is the period, ``lesson`` the slug of one; ``page``, ``todos`` and ``settled`` are pages of the lists.
    """
    found = course_of_staff(signed_in_user(request), slug)
    days, lesson = _days(request.GET.get("days", "")), request.GET.get("lesson", "")
    shown = insight_of(found, days=days, now=timezone.now(), lesson=lesson)
    context = {"course": found, "switches": switches_of(found), "lesson": lesson, **_context(request, shown, days)}
    return render(request, "tutor/teaching/course.html", context)


def _context(request: HttpRequest, shown: Insight, days: int) -> dict[str, Any]:
    page = Paginator(shown.lines, PER_PAGE).get_page(request.GET.get("page"))
    return {
        "insight": shown,
        "days": days,
        "periods": PERIODS,
        "least": LEAST_LEARNERS,
        "page": page,
        "groups": [
            list(lines) for _about, lines in groupby(page.object_list, key=lambda one: (one.course, one.lesson))
        ],
        "todos": Paginator(shown.todos, PER_LIST).get_page(request.GET.get("todos")),
        "settled": Paginator(shown.settled, PER_LIST).get_page(request.GET.get("settled")),
    }


@teaches
@require_POST
def settle(request: HttpRequest, slug: str) -> HttpResponse:
    """Mark the unanswered question ``key`` as done or dismissed; the outcome "open" brings it back.

    ``view`` is "questions" if it was on the page of all courses.
    """
    user, key = signed_in_user(request), request.POST.get("key", "")
    found, outcome = course_of_staff(user, slug), request.POST.get("outcome", "")
    if outcome == "open":
        services.reopen_question(course=found, by=user, key=key, now=timezone.now())
    else:
        services.settle_question(course=found, by=user, key=key, outcome=outcome, now=timezone.now())
        messages.success(
            request, _("The question was removed from the list. You can bring it back below."), extra_tags="toast"
        )
    days = _days(request.POST.get("days", ""))
    if request.POST.get("view") == "questions":
        return redirect(f"{reverse('tutor:teaching')}?{urlencode({'view': 'questions', 'days': days})}")
    query = urlencode({"days": days, "lesson": request.POST.get("lesson", "")[:200]})
    return redirect(f"{reverse('tutor:teaching-course', args=[found.slug])}?{query}")


@teaches
@require_POST
def switches(request: HttpRequest, slug: str) -> HttpResponse:
    """Save the switches of a course."""
    user = signed_in_user(request)
    found = course_of_staff(user, slug)
    form = SwitchesForm(request.POST)
    form.is_valid()  # always: checkboxes are on or off
    services.set_switches(course=found, by=user, **form.cleaned_data)
    messages.success(request, _("Saved."))
    return redirect("tutor:teaching-course", found.slug)


def _days(text: str) -> int:
    """The chosen period, :data:`SHOWN_FIRST` unless it is one of the others."""
    return next((days for days in PERIODS if str(days) == text), SHOWN_FIRST)
