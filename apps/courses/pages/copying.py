"""Copies of lessons, sections and courses, as forms that work without scripts."""

from uuid import UUID, uuid4

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from apps.accounts.guards import signed_in_user, teaches
from apps.courses import services
from apps.courses.copying_form import CopyCourseForm
from apps.courses.pages.authoring import about
from apps.courses.pages.changes import offer_undo
from apps.courses.pages.outline import lesson_of
from apps.courses.pages.sections import section_of, to_section
from apps.courses.pages.staffed import course_for_staff


@teaches
@require_POST
def lesson_duplicate(request: HttpRequest, slug: str, lesson: str) -> HttpResponse:
    """Put a copy behind the lesson."""
    course = course_for_staff(request, slug)
    found = lesson_of(course, lesson)
    change, copies = services.duplicate_items(
        course=course, by=signed_in_user(request), lessons=[found.pk], now=timezone.now()
    )
    copy = copies.lessons[found.pk]
    offer_undo(request, course, change, _("“%s” was added.") % copy.title)
    return redirect(f"{reverse('courses:studio-lectures', args=[slug])}?section={found.section.uid}#l-{copy.slug}")


@teaches
@require_POST
def section_duplicate(request: HttpRequest, slug: str, uid: UUID) -> HttpResponse:
    """Put a copy with all lessons behind the section."""
    course = course_for_staff(request, slug)
    found = section_of(course, uid)
    change, copies = services.duplicate_items(
        course=course, by=signed_in_user(request), sections=[found.pk], now=timezone.now()
    )
    copy = copies.sections[found.pk]
    offer_undo(request, course, change, _("“%s” was added.") % copy.title)
    return to_section(course, copy)


@teaches
@require_http_methods(["GET", "HEAD", "POST"])
def course_duplicate(request: HttpRequest, slug: str) -> HttpResponse:
    """Make a draft with everything that was written in the course. The form has a key, so that it is made once."""
    course = course_for_staff(request, slug)
    initial = {"key": uuid4(), "title": services.name_copy(course.title), "shift_days": 0}
    form = CopyCourseForm(request.POST or None, initial=initial)
    if request.method == "POST" and form.is_valid():
        copy = services.duplicate_course(
            course=course, by=signed_in_user(request), now=timezone.now(), **form.cleaned_data
        )
        messages.success(request, _("The course was duplicated. This is the copy."))
        return redirect("courses:studio-lectures", copy.slug)
    context = {**about(course, signed_in_user(request)), "form": form}
    return render(request, "courses/studio/duplicate.html", context, status=422 if form.errors else 200)
