"""/dashboard/instructor/tutor/: the tutor of each course, for those who teach it."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from apps.accounts.guards import signed_in_user, teaches
from apps.tutor import services
from apps.tutor.forms import SwitchesForm
from apps.tutor.queries.switches import switches_of, with_switches
from apps.tutor.queries.taught import course_of_staff, courses_of_staff

PER_PAGE = 20


@teaches
@never_cache
@require_safe
def courses(request: HttpRequest) -> HttpResponse:
    """The courses with their switches."""
    found = courses_of_staff(signed_in_user(request))
    page = Paginator(found, PER_PAGE).get_page(request.GET.get("page"))
    return render(request, "tutor/teaching/courses.html", {"page": page, "rows": with_switches(list(page.object_list))})


@teaches
@never_cache
@require_safe
def course(request: HttpRequest, slug: str) -> HttpResponse:
    """The tutor of a course."""
    found = course_of_staff(signed_in_user(request), slug)
    return render(request, "tutor/teaching/course.html", {"course": found, "switches": switches_of(found)})


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
