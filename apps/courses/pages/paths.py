"""Learning paths in the studio: instructors edit their own, admins all."""

from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from apps.accounts.guards import signed_in_user, teaches
from apps.courses import path_policies, services
from apps.courses.forms import PathForm
from apps.courses.models import Course, LearningPath
from apps.courses.queries import authored_paths
from apps.courses.services.paths import COURSE_LIMIT, LEAST_COURSES
from studyplatform.kit.errors import NotFound, ValidationFailed

PAGE_SIZE = 20
LONGEST_TEXT = 100


@teaches
@require_safe
def path_list(request: HttpRequest) -> HttpResponse:
    """The paths that the user may edit, last changed first."""
    user = signed_in_user(request)
    page = Paginator(authored_paths.paths_of(user), PAGE_SIZE).get_page(request.GET.get("page"))
    return render(request, "courses/studio/paths.html", {"page": page, "total": page.paginator.count})


@teaches
@require_http_methods(["GET", "HEAD", "POST"])
def path_new(request: HttpRequest) -> HttpResponse:
    form = PathForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        path = services.create_path(by=signed_in_user(request), texts=form.texts(), now=timezone.now())
        messages.success(request, _("Draft saved. Now add courses to it."))
        return redirect("courses:studio-path", path.uid)
    return render(request, "courses/studio/path_new.html", {"form": form}, status=422 if form.errors else 200)


@teaches
@require_http_methods(["GET", "HEAD", "POST"])
def path(request: HttpRequest, uid: UUID) -> HttpResponse:
    """The texts of a path, its courses in order, and courses to add: ``?find=`` narrows them."""
    found, user = _path(request, uid), signed_in_user(request)
    form = PathForm(request.POST or None, initial=PathForm.initial_of(found))
    if request.method == "POST" and form.is_valid():
        services.edit_path(path=found, by=user, texts=form.texts(), now=timezone.now())
        messages.success(request, _("Saved."))
        return redirect("courses:studio-path", found.uid)
    text = request.GET.get("find", "").replace("\x00", "").strip()[:LONGEST_TEXT]
    places = authored_paths.places_in(found)
    published = sum(place.course.status == Course.Status.PUBLISHED for place, _badge in places)
    context = {
        "path": found,
        "form": form,
        "places": places,
        "text": text,
        "possible": authored_paths.courses_to_add(user, found, text),
        "is_full": len(places) >= COURSE_LIMIT,
        "limit": COURSE_LIMIT,
        "missing": max(0, LEAST_COURSES - published),
    }
    return render(request, "courses/studio/path.html", context, status=422 if form.errors else 200)


@teaches
@require_POST
def path_add(request: HttpRequest, uid: UUID) -> HttpResponse:
    found, course = _path(request, uid), _course(request)
    services.add_path_course(path=found, by=signed_in_user(request), course=course, now=timezone.now())
    messages.success(request, _("“%s” was added.") % course.title)
    return _back(found)


@teaches
@require_POST
def path_move(request: HttpRequest, uid: UUID) -> HttpResponse:
    """Put a course at another position of the path: from 1."""
    found, course = _path(request, uid), _course(request)
    text = request.POST.get("position", "")
    if not (text.isascii() and text.isdecimal() and len(text) < 5):
        raise ValidationFailed
    services.move_path_course(
        path=found, by=signed_in_user(request), course=course, position=int(text), now=timezone.now()
    )
    return _back(found)


@teaches
@require_POST
def path_remove(request: HttpRequest, uid: UUID) -> HttpResponse:
    found, course = _path(request, uid), _course(request)
    services.remove_path_course(path=found, by=signed_in_user(request), course=course, now=timezone.now())
    messages.success(request, _("“%s” is no longer part of the path.") % course.title)
    return _back(found)


@teaches
@require_POST
def path_publish(request: HttpRequest, uid: UUID) -> HttpResponse:
    """Publish the path, or with an empty ``on`` hide it."""
    found, user, now = _path(request, uid), signed_in_user(request), timezone.now()
    if request.POST.get("on"):
        services.publish_path(path=found, by=user, now=now)
        messages.success(request, _("The learning path is published."))
    else:
        services.unpublish_path(path=found, by=user, now=now)
        messages.success(request, _("The learning path is a draft again."))
    return redirect("courses:studio-path", found.uid)


@teaches
@require_http_methods(["GET", "HEAD", "POST"])
def path_delete(request: HttpRequest, uid: UUID) -> HttpResponse:
    """Confirm, then delete the path. Its courses stay."""
    found = _path(request, uid)
    if request.method == "POST":
        services.delete_path(path=found, by=signed_in_user(request))
        messages.success(request, _("“%s” was deleted.") % found.title)
        return redirect("courses:studio-paths")
    return render(request, "courses/studio/path_delete.html", {"path": found})


def _path(request: HttpRequest, uid: UUID) -> LearningPath:
    """Return the path.

    :raises NotFound: it doesn't exist, or the user may not edit it.
    """
    found = LearningPath.objects.filter(uid=uid).first()
    if found is None or path_policies.manage_path(signed_in_user(request), found) is not None:
        raise NotFound
    return found


def _course(request: HttpRequest) -> Course:
    slug = request.POST.get("course", "")[:LONGEST_TEXT].replace("\x00", "")
    found = Course.objects.filter(slug=slug).first()
    if found is None:
        raise ValidationFailed
    return found


def _back(path: LearningPath) -> HttpResponse:
    return redirect(f"{redirect('courses:studio-path', path.uid).url}#courses")
