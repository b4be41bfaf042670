"""A course's outline and its lessons, as forms that work without scripts."""

from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from apps.accounts.guards import signed_in_user, teaches
from apps.accounts.policies import teach
from apps.courses import services
from apps.courses.errors import LectureUnavailable
from apps.courses.forms import LessonForm, NewLessonForm
from apps.courses.inserted_file_form import InsertedFileForm
from apps.courses.models import Course, Lesson, Section
from apps.courses.pages.authoring import about, confirm
from apps.courses.pages.changes import UNDO, changes_shown, offer_undo
from apps.courses.pages.panel import file_limits, frames_of, panel_of, texts_of
from apps.courses.pages.sections import learners_lose, requested_position, section_of, to_section
from apps.courses.pages.staffed import course_for_staff
from apps.courses.queries import authored_outline
from apps.courses.queries.outline_changes import change_made
from apps.files.services import check_quota
from studyplatform.kit.errors import AppError, ValidationFailed
from studyplatform.kit.text import content
from studyplatform.kit.web.body_limits import accepts_large_body


@teaches
@require_safe
def lectures(request: HttpRequest, slug: str) -> HttpResponse:
    """The outline, with what is missing before a review."""
    return show(request, course_for_staff(request, slug))


@teaches
@require_http_methods(["GET", "HEAD", "POST"])
def lesson(request: HttpRequest, slug: str, lesson: str) -> HttpResponse:
    """The outline with one lesson open beside it. Saves its texts; "preview" shows them first."""
    course = course_for_staff(request, slug)
    opened = lesson_of(course, lesson)
    form = LessonForm(request.POST or None, initial=texts_of(opened), lesson=opened)
    preview = None
    if request.method == "POST" and form.is_valid():
        if "preview" in request.POST:
            preview = content.render(form.cleaned_data["body"], content.LESSON)
        else:
            services.edit_lesson(lesson=opened, by=signed_in_user(request), now=timezone.now(), **form.arguments())
            messages.success(request, _("Saved."))
            return to_lesson(course, opened)
    return show(request, course, opened=opened, form=form, preview=preview)


@accepts_large_body(settings.UPLOAD_LIMITS["file"], by=teach, room=check_quota)
@teaches
@require_POST
def lesson_insert(request: HttpRequest, slug: str, lesson: str) -> HttpResponse:
    """Put a picture or file at the end of the lesson's text, which is shown and not saved yet."""
    course = course_for_staff(request, slug)
    opened = lesson_of(course, lesson)
    form = LessonForm(request.POST, initial=texts_of(opened), lesson=opened)
    insertion = InsertedFileForm(request.POST, request.FILES)
    if not (insertion.is_valid() and form.is_valid()):
        return show(request, course, opened=opened, form=form, insertion=insertion)
    given = insertion.cleaned_data
    try:
        file = services.upload_course_file(
            course=course,
            by=signed_in_user(request),
            file=given["inserted"],
            name=given["inserted"].name,
            now=timezone.now(),
        )
    except AppError as refusal:
        insertion.add_error("inserted", refusal.detail)
        return show(request, course, opened=opened, form=form, insertion=insertion)
    line = (
        content.write_picture(
            file.address, alt=given["alt"], caption=given["caption"], is_decorative=given["is_decorative"]
        )
        if file.is_picture
        else content.write_link(file.address, given["alt"] or file.name)
    )
    body = "\n\n".join(part for part in (form.cleaned_data["body"].rstrip(), line) if part)
    form = LessonForm({**request.POST.dict(), "body": body, **_lists(request)}, initial=texts_of(opened), lesson=opened)
    return show(request, course, opened=opened, form=form, preview=content.render(body, content.LESSON))


def _lists(request: HttpRequest) -> dict[str, list[str]]:
    return {"prerequisites": request.POST.getlist("prerequisites")}


PART = "X-Page-Part"
"""The header by which the script of the page asks for a part of it."""
PARTS = {"panel", "state", "outline"}
"""The panel of the open lesson; what changes in it with each save; all rows."""


def show(request: HttpRequest, course: Course, *, opened: Lesson | None = None, **extra: Any) -> HttpResponse:
    """Render the outline and the panel of the open lesson, or the part of the page that the script asks for."""
    user, part = signed_in_user(request), request.headers.get(PART, "")
    context: dict[str, Any] = {**about(course, user), "opened": opened, "part": part}
    context["time_zone"] = timezone.get_current_timezone_name()
    rows: list[authored_outline.SectionRow] = []
    undo = request.session.pop(UNDO, None) if part in {"", "panel"} else None
    context["undo"] = undo if undo and undo["course"] == course.slug else None
    if part not in {"panel", "state"}:
        rows = authored_outline.outline_of(course)
        context |= {
            "sections": rows,
            "outline_etag": authored_outline.arrangement_of(rows).etag,
            "file_limits": file_limits(),
            "open_section": _open_section(request, rows, opened),
            "changes": changes_shown(course),
        }
    if opened is not None and part != "outline":
        context |= panel_of(signed_in_user(request), course, opened, rows)
        context["frames"] = frames_of(request, opened)
    if part not in PARTS:
        return render(request, "courses/studio/lectures.html", context | extra)
    response = render(request, "courses/studio/lectures_part.html", context | extra)
    response.headers[PART] = part
    response.headers["Cache-Control"] = "private, no-store"  # the same address is a page
    return response


@teaches
@require_POST
def lesson_add(request: HttpRequest, slug: str) -> HttpResponse:
    """Add a lesson and open it."""
    course = course_for_staff(request, slug)
    form = NewLessonForm(request.POST, course=course)
    if not form.is_valid():
        raise ValidationFailed
    by, now = signed_in_user(request), timezone.now()
    added = services.add_lesson(by=by, now=now, **form.cleaned_data)
    offer_undo(request, course, change_made(course, by, now=now), _("“%s” was added.") % added.title)
    return to_lesson(course, added)


@teaches
@require_POST
def lesson_move(request: HttpRequest, slug: str, lesson: str) -> HttpResponse:
    """Move a lesson up or down, into the neighboring section at its end, or into a given section."""
    course = course_for_staff(request, slug)
    moving = lesson_of(course, lesson)
    was = moving.number
    section, position = _place(request, course, moving)
    change = services.move_lesson(
        lesson=moving, by=signed_in_user(request), section=section, position=position, now=timezone.now()
    )
    moving.refresh_from_db(fields=["number"])
    offer_undo(request, course, change, _("Moved %(was)s to %(now)s.") % {"was": was, "now": moving.number})
    return redirect(f"{reverse('courses:studio-lectures', args=[course.slug])}?section={section.uid}#l-{moving.slug}")


@teaches
@require_http_methods(["GET", "HEAD", "POST"])
def lesson_delete(request: HttpRequest, slug: str, lesson: str) -> HttpResponse:
    course = course_for_staff(request, slug)
    deleted = lesson_of(course, lesson)
    if request.method == "POST":
        section = deleted.section
        change = services.delete_lesson(lesson=deleted, by=signed_in_user(request), now=timezone.now())
        offer_undo(request, course, change, _("“%s” was deleted.") % deleted.title)
        return to_section(course, section)
    return confirm(
        request,
        course,
        title=_("Delete lesson %(number)s “%(title)s”?") % {"number": deleted.number, "title": deleted.title},
        text=_("Its text and quiz go with it. A video stays in your uploads."),
        detail=" ".join(filter(None, [_no_longer_needed(deleted), learners_lose(course)])),
        label=_("Delete lesson"),
        back=reverse("courses:studio-lesson", args=[course.slug, deleted.slug]),
    )


@teaches
@require_POST
def order(request: HttpRequest, slug: str) -> HttpResponse:
    """Set whether lessons open one after the other."""
    course = course_for_staff(request, slug)
    services.require_order(
        course=course, by=signed_in_user(request), required="required" in request.POST, now=timezone.now()
    )
    return redirect("courses:studio-lectures", course.slug)


def lesson_of(course: Course, slug: str) -> Lesson:
    """Return the lesson of this course with this slug.

    :raises LectureUnavailable: there is none.
    """
    found = course.lessons.select_related("section", "video", "quiz").filter(slug=slug).first()
    if found is None:
        raise LectureUnavailable
    found.course = course
    return found


def to_lesson(course: Course, lesson: Lesson) -> HttpResponseRedirect:
    return HttpResponseRedirect(reverse("courses:studio-lesson", args=[course.slug, lesson.slug]) + "#panel")


def _place(request: HttpRequest, course: Course, moving: Lesson) -> tuple[Section, int]:
    """Return the target section and position: past the end of a section, the neighboring one."""
    if named := request.POST.get("section") or request.GET.get("section"):
        try:
            section = section_of(course, UUID(named))
        except ValueError:
            raise ValidationFailed from None
        return section, requested_position(request, 9_999)
    position = requested_position(request, moving.position)
    section = moving.section
    last = section.lessons.count()
    if position < 1:
        before = course.sections.filter(position__lt=section.position).order_by("-position").first()
        return (before, before.lessons.count() + 1) if before else (section, 1)
    if position > last:
        after = course.sections.filter(position__gt=section.position).order_by("position").first()
        return (after, 1) if after else (section, last)
    return section, position


def _no_longer_needed(lesson: Lesson) -> str:
    """Return a sentence about the lessons that require this one."""
    numbers = lesson.needed_by.order_by("section__position", "position").values_list("number", flat=True)
    if not numbers:
        return ""
    return _("Lessons that require it will open without it: %s.") % ", ".join(numbers)


def _open_section(request: HttpRequest, rows: list[authored_outline.SectionRow], opened: Lesson | None) -> set[str]:
    """Return the expanded sections: the open lesson's, the one just changed, otherwise all of a short course."""
    if opened is not None:
        return {str(opened.section.uid)}
    asked = request.GET.get("section", "")
    everything = {str(row.section.uid) for row in rows}
    if sum(len(row.rows) for row in rows) <= 24:
        return everything
    return {asked} if asked in everything else {str(rows[0].section.uid)} if rows else set()
