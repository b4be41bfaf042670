"""Enroll in a course, resume it, bookmark it."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from apps.accounts.guards import signed_in, signed_in_user
from apps.billing.access import access_to
from apps.courses.models import Course
from apps.learning import policies, services
from apps.learning.errors import AlreadyEnrolled, PaymentRequired
from apps.learning.outline import resume_entry
from apps.learning.queries.addresses import lesson_url
from apps.learning.queries.lessons import find_course
from apps.learning.queries.outline import outline_of
from studyplatform.kit.web.requests import safe_next


@signed_in
@require_GET
def resume(request: HttpRequest, course: str) -> HttpResponse:
    """Redirect to the lesson to resume in this course."""
    found, standing = find_course(signed_in_user(request), course)
    entry = resume_entry(found, outline_of(found), standing)
    if entry is None or (standing.enrollment is None and not standing.is_staff):
        return redirect(f"/courses/{found.slug}")
    return redirect(lesson_url(found.slug, entry.slug))


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
def enroll(request: HttpRequest) -> HttpResponse:
    """Confirm, then enroll: /courses/enroll?course={slug}. A course that has to be bought leads to the checkout."""
    slug = request.POST.get("course") or request.GET.get("course") or ""
    course, standing = find_course(signed_in_user(request), slug)
    if standing.enrollment is not None:
        return redirect("learning:resume", course=course.slug)
    if request.method == "POST":
        try:
            services.enroll(user=signed_in_user(request), course=course, now=timezone.now())
        except AlreadyEnrolled:  # by another request
            return redirect("learning:resume", course=course.slug)
        message = _("You are enrolled in “%(course)s”.") % {"course": course.title}
        messages.success(request, message, extra_tags="toast")
        return redirect(safe_next(request, request.POST.get("next"), f"/learn/{course.slug}"))
    user = signed_in_user(request)
    refusal = policies.enroll(user, course)
    if isinstance(refusal, PaymentRequired) and course.pricing == Course.Pricing.ONE_TIME:
        return redirect(f"/billing/checkout?course={course.slug}")
    if isinstance(refusal, PaymentRequired) and course.pricing == Course.Pricing.PREMIUM:
        return redirect(f"/premium?course={course.slug}")
    context = {
        "course": course,
        "refusal": refusal,
        "access": None if refusal else access_to(user, course),
        "next": safe_next(request, request.GET.get("next"), ""),
    }
    return render(request, "learning/enroll.html", context, status=refusal.status if refusal else 200)


@signed_in
@require_POST
def choose_version(request: HttpRequest, course: str) -> HttpResponse:
    """Choose whether the lessons that a new version brought count, then return to the progress in the course."""
    user = signed_in_user(request)
    found, _standing = find_course(user, course)
    takes_newest = request.POST.get("take") == "newest"
    services.choose_version(user=user, course=found, takes_newest=takes_newest, now=timezone.now())
    said = _("The new lessons count for you now.") if takes_newest else _("You complete the course without them.")
    messages.success(request, said, extra_tags="toast")
    return redirect("learning:course-progress", course=found.slug)


@signed_in
@require_POST
def bookmark(request: HttpRequest, course: str) -> HttpResponse:
    """Add or remove the bookmark, then return to the page of the form."""
    found, _standing = find_course(signed_in_user(request), course)
    services.set_bookmark(
        user=signed_in_user(request), course=found, on=bool(request.POST.get("on")), now=timezone.now()
    )
    return redirect(safe_next(request, request.POST.get("next"), f"/courses/{found.slug}"))
