"""The versions of a course: compared, restored, forgotten; and the next one discarded and brought back."""

import re
from typing import Any, TypeVar
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Manager
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from apps.accounts.guards import signed_in_user, teaches
from apps.courses import policies, services
from apps.courses.errors import VersionNotKept
from apps.courses.models import Course, CourseVersion, DiscardedVersion
from apps.courses.pages.authoring import confirm
from apps.courses.pages.staffed import course_for_staff
from apps.courses.pages.versions import changes_of
from apps.courses.queries import versions
from apps.courses.queries.content_tree import read_tree
from apps.courses.queries.kept_versions import missing_contents, storage_of_versions
from apps.courses.queries.version_differences import compare_versions
from apps.courses.services import corrections
from apps.courses.services.discarded import bring_back_version
from apps.courses.services.kept_contents import forget_version
from studyplatform.kit.errors import NotFound

Row = TypeVar("Row", CourseVersion, DiscardedVersion)
VERSIONS_PER_PAGE = 20
DISCARDED_PER_PAGE = 10


@teaches
@require_safe
def version_list(request: HttpRequest, slug: str) -> HttpResponse:
    """The versions of the course, and what differs between any two of them."""
    course, user = course_for_staff(request, slug), signed_in_user(request)
    state = versions.state_of(course)
    if state is None:
        return redirect("courses:studio-edit", course.slug)
    page = Paginator(versions.versions_of(state.live), VERSIONS_PER_PAGE).get_page(request.GET.get("versions"))
    first, last = (_version(state.live, request.GET.get(name, "")) for name in ("from", "to"))
    compared: dict[str, Any] = {}
    if first is not None and last is not None and first.tree is not None and last.tree is not None:
        compared = changes_of(request, compare_versions(first.tree, last.tree))
    may_write = policies.begin_version(user, state.live) is None
    return render(
        request,
        "courses/studio/versions.html",
        {
            "course": course,
            "state": state,
            "page": page,
            "first": first,
            "last": last,
            "kept_bytes": storage_of_versions(page.object_list),
            "discarded": Paginator(versions.discarded_of(state.live, now=timezone.now()), DISCARDED_PER_PAGE).get_page(
                request.GET.get("discarded")
            ),
            "can_forget": may_write,
            "can_restore": may_write and not state.is_under_review,
            **compared,
        },
    )


@teaches
@require_http_methods(["GET", "HEAD", "POST"])
def version_discard(request: HttpRequest, slug: str) -> HttpResponse:
    """Ask, then discard the next version."""
    course = course_for_staff(request, slug)
    state = versions.state_of(course)
    if state is None or not state.is_begun:
        return redirect("courses:studio-edit", course.slug)
    number = {"number": state.number}
    if request.method == "POST":
        kept = services.discard_version(course=course, by=signed_in_user(request), now=timezone.now())
        said = _("Version %(number)s was discarded. You can bring it back for 30 days.")
        said = said if kept else _("Version %(number)s was discarded. It had no changes.")
        return _lead_on(request, "versions", state.live, said % number)
    count = len(compare_versions(read_tree(state.live), read_tree(state.edited)).entries)
    text = (
        ngettext(
            "It has %(count)d change. Learners keep version %(present)s. You can bring it back for 30 days.",
            "It has %(count)d changes. Learners keep version %(present)s. You can bring it back for 30 days.",
            count,
        )
        if count
        else _("It has no changes. Learners keep version %(present)s.")
    )
    return confirm(
        request,
        course,
        title=_("Discard version %(number)s?") % number,
        text=text % {"count": count, "present": state.present, **number},
        label=_("Discard version %(number)s") % number,
        back=reverse("courses:studio-version", args=[course.slug]),
        is_undoable=True,
    )


@teaches
@require_POST
def version_bring_back(request: HttpRequest, slug: str, uid: UUID) -> HttpResponse:
    """Make a discarded version the next one again."""
    course = course_for_staff(request, slug)
    found = _row_of(course.live.discarded_versions, uid)
    copy = bring_back_version(discarded=found, by=signed_in_user(request), now=timezone.now())
    return _lead_on(request, "version", copy, _("Version %(number)s is back as it was.") % {"number": found.number})


@teaches
@require_POST
def correction_undo(request: HttpRequest, slug: str, uid: UUID) -> HttpResponse:
    """Take a correction back."""
    course = course_for_staff(request, slug)
    version = _row_of(course.live.versions, uid)
    corrections.undo_correction(version=version, by=signed_in_user(request), now=timezone.now())
    return _lead_on(request, "versions", course, _("Correction %(label)s was taken back.") % {"label": version.label})


@teaches
@require_POST
def version_restore(request: HttpRequest, slug: str, uid: UUID) -> HttpResponse:
    """Take a stored version as the contents of the next one. It asks first if not everything can come back."""
    course = course_for_staff(request, slug)
    found = _row_of(course.live.versions, uid)
    if found.tree is None:
        raise VersionNotKept
    label = {"label": found.label}
    if "sure" not in request.POST and (missing := missing_contents(found.tree)):
        return confirm(
            request,
            course,
            title=_("Restore version %(label)s without these?") % label,
            text=_("Their files were deleted since. Everything else of version %(label)s comes back.") % label,
            items=missing,
            label=_("Restore version %(label)s") % label,
            back=reverse("courses:studio-versions", args=[course.slug]),
            is_undoable=True,
        )
    copy = services.restore_version(version=found, by=signed_in_user(request), now=timezone.now())
    return _lead_on(request, "version", copy, _("The next version has the contents of version %(label)s.") % label)


@teaches
@require_http_methods(["GET", "HEAD", "POST"])
def version_forget(request: HttpRequest, slug: str, uid: UUID) -> HttpResponse:
    """Ask, then forget the contents of a former version, which frees its files."""
    course = course_for_staff(request, slug)
    found = _row_of(course.live.versions, uid)
    label = {"label": found.label}
    if request.method == "POST":
        forget_version(version=found, by=signed_in_user(request))
        return _lead_on(request, "versions", course, _("The contents of version %(label)s were deleted.") % label)
    return confirm(
        request,
        course,
        title=_("Delete the contents of version %(label)s?") % label,
        text=_("The history still lists it, but you can't compare or restore it anymore."),
        label=_("Delete contents"),
        back=reverse("courses:studio-versions", args=[course.slug]),
    )


def _row_of(rows: Manager[Row], uid: UUID) -> Row:
    found = rows.select_related("course").filter(uid=uid).first()
    if found is None:
        raise NotFound
    return found


def _lead_on(request: HttpRequest, page: str, course: Course, said: str) -> HttpResponse:
    """Say what was done, and lead to a page of the course: "version" or "versions"."""
    messages.success(request, said)
    return redirect(f"courses:studio-{page}", course.slug)


def _version(live: Course, label: str) -> CourseVersion | None:
    if not re.fullmatch(r"\d{1,6}(\.\d{1,6})?", label, re.ASCII):
        return None
    number, _dot, correction = label.partition(".")
    return live.versions.filter(number=int(number), correction=int(correction or 0)).first()
