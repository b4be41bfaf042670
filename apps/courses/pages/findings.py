"""What the studio has to say about a course: its findings, with the way to each place."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from apps.accounts.guards import signed_in_user, teaches
from apps.courses import services
from apps.courses.models import Course
from apps.courses.pages.authoring import about
from apps.courses.pages.staffed import course_for_staff
from apps.courses.queries.findings import find_all

PAGE_SIZE = 50


@teaches
@require_safe
def findings(request: HttpRequest, slug: str) -> HttpResponse:
    """The findings, what is required first, and those that are ignored last."""
    course = course_for_staff(request, slug)
    found = find_all(course)
    page = Paginator(found, PAGE_SIZE).get_page(request.GET.get("page"))
    counts = {
        "required": sum(one.is_required for one in found),
        "advice": sum(not one.is_required and not one.is_ignored for one in found),
        "ignored": sum(one.is_ignored for one in found),
    }
    context = {**about(course, signed_in_user(request)), "page": page, "counts": counts}
    return render(request, "courses/studio/findings.html", context)


@teaches
@require_POST
def finding_ignore(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """Ignore a finding for a reason, or show it again."""
    course, user = course_for_staff(request, slug), signed_in_user(request)
    if "restore" in request.POST:
        services.restore_finding(course=course, by=user, key=key)
        return _to_row(course, key)
    reason = request.POST.get("reason", "").strip()[:300]
    if not reason:
        messages.error(request, _("Say why, so that others who teach or review the course understand it."))
        return redirect("courses:studio-findings", slug)
    services.ignore_finding(course=course, by=user, key=key, reason=reason, now=timezone.now())
    messages.success(request, _("Ignored until its text changes. “Show again” takes it back."))
    return _to_row(course, key)


def _to_row(course: Course, key: str) -> HttpResponse:
    """Lead to the row of a finding, wherever it stands now: its button takes back what was done."""
    keys = [one.key for one in find_all(course)]
    page = keys.index(key) // PAGE_SIZE + 1 if key in keys else 1
    query = f"?page={page}" if page > 1 else ""
    return redirect(f"{reverse('courses:studio-findings', args=[course.slug])}{query}#f-{key}")


@teaches
@require_POST
def findings_check(request: HttpRequest, slug: str) -> HttpResponse:
    """Let a job check the links to other sites now."""
    services.request_link_check(course=course_for_staff(request, slug), by=signed_in_user(request))
    messages.success(request, _("The links are being checked. Reload this page in a minute."))
    return redirect("courses:studio-findings", slug)
