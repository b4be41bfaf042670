"""The picture of a course: the page on which its staff choose it, and its files."""

import re

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from apps.accounts.guards import open_to_everyone, signed_in_user, teaches
from apps.accounts.policies import teach
from apps.courses import artwork, services
from apps.courses.errors import CoursePictureUnreadable
from apps.courses.models import Course, CoursePicture
from apps.courses.models.picture import PICTURES_FOLDER
from apps.courses.pages.staffed import course_for_staff
from apps.courses.picture_form import PictureForm
from apps.courses.policies import edit_course
from apps.courses.services.pictures import MAX_PICTURE_BYTES
from apps.files import services as files
from apps.files.services import check_quota
from studyplatform.kit.errors import AppError, ValidationFailed
from studyplatform.kit.text.sizes import as_size
from studyplatform.kit.web.body_limits import accepts_large_body


@accepts_large_body(MAX_PICTURE_BYTES, by=teach, room=check_quota)
@teaches
@require_http_methods(["GET", "HEAD", "POST"])
def picture(request: HttpRequest, slug: str) -> HttpResponse:
    """Upload, crop and describe the course's picture. Works without scripts: the crop is set by sliders."""
    course = course_for_staff(request, slug)
    present = CoursePicture.objects.filter(course=course).first()
    if request.method != "POST":
        return _show(request, course, present, PictureForm(initial=PictureForm.initial_of(present)))
    form = PictureForm(request.POST, request.FILES)
    if form.is_valid():
        try:
            _save(request, course, form)
        except (CoursePictureUnreadable, ValidationFailed) as refusal:
            form.add_error("picture", _reason(refusal))
        else:
            messages.success(request, _("The picture was saved."))
            return redirect("courses:studio-picture", course.slug)
    return _show(request, course, present, form)


def _save(request: HttpRequest, course: Course, form: PictureForm) -> None:
    by, now = signed_in_user(request), timezone.now()
    alt, crop, sent = form.cleaned_data["alt"], form.crop(), form.cleaned_data["picture"]
    if sent is None:
        services.set_picture(course=course, by=by, source=None, alt=alt, crop=crop, now=now)
    else:
        services.upload_picture(course=course, by=by, file=sent, name=sent.name, alt=alt, crop=crop, now=now)


def _reason(refusal: AppError) -> str:
    return refusal.in_fields["picture"][0]["message"] if isinstance(refusal, ValidationFailed) else refusal.detail


def _show(request: HttpRequest, course: Course, present: CoursePicture | None, form: PictureForm) -> HttpResponse:
    shown = {name: form[name].value() for name in ("x", "y", "zoom")}
    middle = PictureForm.initial_of(None)
    context = {
        "course": course,
        "picture": present,
        "form": form,
        "crop": {name: middle[name] if value in {None, ""} else value for name, value in shown.items()},
        "may_edit": edit_course(signed_in_user(request), course) is None,
        "artwork": artwork.plate(course.slug, course.subject.slug, course.plate_variant),
        "most": as_size(MAX_PICTURE_BYTES),
    }
    return render(request, "courses/studio/picture.html", context, status=422 if form.errors else 200)


@teaches
@require_POST
def picture_remove(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the course's artwork again."""
    course = course_for_staff(request, slug)
    services.remove_picture(course=course, by=signed_in_user(request), now=timezone.now())
    messages.success(request, _("The picture was removed. Learners see the course artwork."))
    return redirect("courses:studio-picture", course.slug)


@open_to_everyone
@require_safe
def picture_file(request: HttpRequest, name: str) -> HttpResponseBase:
    """A file of a picture by its name, which is new for every change, so browsers may cache it forever."""
    found = re.fullmatch(r"[0-9a-f]{24}-(?:(?:\d{3,4}|whole)\.(?P<webp>webp)|share\.jpg)", name)
    if found is None:
        raise Http404
    return files.send_rendition(
        request,
        name=f"{PICTURES_FOLDER}/{name}",
        kind="image/webp" if found["webp"] else "image/jpeg",
        cache="public, max-age=31536000, immutable",
    )
