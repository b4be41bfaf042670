"""Sections of a course's outline, as forms that work without scripts."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST

from apps.accounts.guards import signed_in_user, teaches
from apps.courses import services
from apps.courses.forms import SectionForm
from apps.courses.models import Course, Section
from apps.courses.pages.authoring import confirm
from apps.courses.pages.changes import offer_undo
from apps.courses.pages.staffed import course_for_staff
from apps.courses.queries.outline_changes import change_made
from studyplatform.kit.errors import NotFound, ValidationFailed


@teaches
@require_POST
def section_add(request: HttpRequest, slug: str) -> HttpResponse:
    course = course_for_staff(request, slug)
    form = SectionForm(request.POST)
    if not form.is_valid():
        raise ValidationFailed
    by, now = signed_in_user(request), timezone.now()
    section = services.add_section(course=course, by=by, now=now, **form.cleaned_data)
    offer_undo(request, course, change_made(course, by, now=now), _("Section “%s” was added.") % section.title)
    return to_section(course, section)


@teaches
@require_POST
def section_rename(request: HttpRequest, slug: str, uid: UUID) -> HttpResponse:
    course = course_for_staff(request, slug)
    section = section_of(course, uid)
    form = SectionForm(request.POST)
    if not form.is_valid():
        raise ValidationFailed
    services.rename_section(section=section, by=signed_in_user(request), now=timezone.now(), **form.cleaned_data)
    return to_section(course, section)


@teaches
@require_POST
def section_move(request: HttpRequest, slug: str, uid: UUID) -> HttpResponse:
    """Move a section up or down, or to a position."""
    course = course_for_staff(request, slug)
    section = section_of(course, uid)
    was = section.position
    position = requested_position(request, was)
    change = services.move_section(section=section, by=signed_in_user(request), position=position, now=timezone.now())
    offer_undo(request, course, change, _("Moved section “%s”.") % section.title)
    return to_section(course, section)


@teaches
@require_http_methods(["GET", "HEAD", "POST"])
def section_delete(request: HttpRequest, slug: str, uid: UUID) -> HttpResponse:
    course = course_for_staff(request, slug)
    section = section_of(course, uid)
    count = section.lessons.count()
    if request.method == "POST":
        change = services.delete_section(section=section, by=signed_in_user(request), now=timezone.now())
        offer_undo(request, course, change, _("Section “%s” was deleted.") % section.title)
        return redirect("courses:studio-lectures", course.slug)
    return confirm(
        request,
        course,
        title=_("Delete section “%s”?") % section.title,
        text=ngettext("Its %d lesson will be deleted too.", "Its %d lessons will be deleted too.", count) % count
        if count
        else _("It has no lessons."),
        detail=learners_lose(course),
        label=_("Delete section"),
        back=reverse("courses:studio-lectures", args=[course.slug]),
    )


def section_of(course: Course, uid: UUID) -> Section:
    found = course.sections.filter(uid=uid).first()
    if found is None:
        raise NotFound
    return found


def to_section(course: Course, section: Section) -> HttpResponseRedirect:
    """Redirect to the section in the outline; its heading can be focused."""
    address = reverse("courses:studio-lectures", args=[course.slug])
    return HttpResponseRedirect(f"{address}?section={section.uid}#h-{section.uid}")


def requested_position(request: HttpRequest, now_at: int) -> int:
    match request.POST.get("to", ""):
        case "up":
            return now_at - 1
        case "down":
            return now_at + 1
        case text if text.isascii() and text.isdigit() and len(text) < 5:
            return int(text)
    raise ValidationFailed


def learners_lose(course: Course) -> str:
    """Return a sentence about what enrolled learners lose; empty without learners."""
    if not course.learner_count:
        return ""
    count = course.learner_count
    return (
        ngettext(
            "%d learner is enrolled and won't see it anymore. You can undo this for 30 days.",
            "%d learners are enrolled and won't see it anymore. You can undo this for 30 days.",
            count,
        )
        % count
    )
