"""An instructor's courses: the list, the form, and changes of status."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from apps.accounts.guards import signed_in_user, teaches
from apps.accounts.models import User
from apps.courses import artwork, policies, services
from apps.courses.field_values import possible_prerequisites
from apps.courses.forms import MOST_OUTCOMES, PLATE_VARIANTS, CourseForm
from apps.courses.models import Course, CoursePicture
from apps.courses.pages.staffed import course_for_staff
from apps.courses.queries import authoring, readiness
from apps.courses.queries.review_threads import count_by_submission
from apps.courses.studio import new_course_props, wizard_props
from studyplatform.kit.errors import ValidationFailed
from studyplatform.kit.web.printing import warn_of_unprintable
from studyplatform.kit.web.requests import search_query

PAGE_SIZE = 20


@teaches
@require_safe
def course_list(request: HttpRequest) -> HttpResponse:
    """The instructor's own courses with their status, last changed first."""
    user = signed_in_user(request)
    status, text = request.GET.get("status", ""), search_query(request)
    counts = authoring.count_by_status(user)
    page = Paginator(authoring.courses_of(user, status=status, text=text), PAGE_SIZE).get_page(request.GET.get("page"))
    tabs = [("", _("All"), sum(counts.values()))]
    tabs += [(value, str(label), counts[value]) for value, label in Course.Status.choices if counts.get(value)]
    return render(
        request,
        "courses/studio/list.html",
        {
            "page": page,
            "rows": [(course, authoring.course_badge(course), _answer(course)) for course in page],
            "tabs": tabs,
            "status": status if status in Course.Status.values else "",
            "text": text,
            "total": sum(counts.values()),
        },
    )


@teaches
@require_http_methods(["GET", "HEAD", "POST"])
def course_new(request: HttpRequest) -> HttpResponse:
    """A short form for a new course; the edit page has the other fields."""
    form = CourseForm(initial=_typed(request)) if _asks_for_lines(request) else CourseForm(request.POST or None)
    if form.is_valid():
        course = services.create_course(by=signed_in_user(request), texts=form.texts(), now=timezone.now())
        warn_of_unprintable(request, course.title)
        messages.success(request, _("Draft saved. Now add your first section."))
        return redirect("courses:studio-lectures", course.slug)
    return render(
        request,
        "courses/studio/new.html",
        {
            "form": form,
            "wizard": new_course_props(signed_in_user(request)),
            "outcomes": _outcome_lines(form, more=int(_asks_for_lines(request))),
        },
    )


@teaches
@require_http_methods(["GET", "HEAD", "POST"])
def course_edit(request: HttpRequest, slug: str) -> HttpResponse:
    """A course's texts, its readiness for review, and its status."""
    course = course_for_staff(request, slug)
    user = signed_in_user(request)
    possible = possible_prerequisites(course)
    if _asks_for_lines(request):
        form = CourseForm(initial=_typed(request), possible_prerequisites=possible)
    else:
        form = CourseForm(request.POST or None, initial=CourseForm.initial_of(course), possible_prerequisites=possible)
    if form.is_valid():
        services.edit_course(course=course, by=user, texts=form.texts(), now=timezone.now())
        warn_of_unprintable(request, course.title)
        messages.success(request, _("Saved."))
        return redirect("courses:studio-edit", course.slug)
    picture = CoursePicture.objects.filter(course=course).first()
    history = list(authoring.history_of(course)[:20])
    return render(
        request,
        "courses/studio/edit.html",
        {
            **about(course, user),
            "form": form,
            "wizard": wizard_props(course, user),
            "outcomes": _outcome_lines(form, more=int(_asks_for_lines(request))),
            "picture": picture,
            "variants": [
                (variant, artwork.plate(course.slug, course.subject.slug, variant)) for variant in range(PLATE_VARIANTS)
            ]
            if picture is None
            else [],
            "history": history,
            "threads_of": count_by_submission(history),
            "changes": course.live.status_changes.select_related("changed_by").order_by("-changed_at", "-pk")[:10],
        },
    )


Step = Callable[[Course, User, str, datetime], object]

STEPS: dict[str, tuple[Step, Promise]] = {
    "submit": (
        lambda course, by, note, now: services.submit_course(course=course, by=by, note=note, now=now),
        gettext_lazy("Your course was submitted. Review usually takes 24 to 48 hours."),
    ),
    "withdraw": (
        lambda course, by, note, now: services.withdraw_course(course=course, by=by, now=now),
        gettext_lazy("The course is a draft again."),
    ),
    "unpublish": (
        lambda course, by, note, now: services.unpublish_course(course=course, by=by, reason=note, now=now),
        gettext_lazy("The course is closed to new learners. Enrolled learners still have access."),
    ),
    "archive": (
        lambda course, by, note, now: services.archive_course(course=course, by=by, reason=note, now=now),
        gettext_lazy("The course is archived. Enrolled learners still have access."),
    ),
    "restore": (
        lambda course, by, note, now: services.restore_course(course=course, by=by, now=now),
        gettext_lazy("The course is live again."),
    ),
}


@teaches
@require_POST
def course_step(request: HttpRequest, slug: str) -> HttpResponse:
    """Submit, withdraw, unpublish, archive, restore."""
    course = course_for_staff(request, slug)
    if request.POST.get("step") not in STEPS:
        raise ValidationFailed
    run_step, message = STEPS[request.POST["step"]]
    edited = course if request.POST["step"] in {"submit", "withdraw"} else course.live
    run_step(edited, signed_in_user(request), request.POST.get("note", "")[:4000], timezone.now())
    messages.success(request, str(message))
    return redirect("courses:studio-version" if course.is_working_copy else "courses:studio-edit", course.slug)


@teaches
@require_http_methods(["GET", "HEAD", "POST"])
def course_delete(request: HttpRequest, slug: str) -> HttpResponse:
    """Confirm, then delete a draft that was never published."""
    course = course_for_staff(request, slug)
    if request.method == "POST":
        services.delete_course(course=course, by=signed_in_user(request))
        messages.success(request, _("“%s” was deleted.") % course.title)
        return redirect("courses:studio-list")
    return confirm(
        request,
        course,
        title=_("Delete “%s”?") % course.title,
        text=_("The draft will be deleted with its sections, lessons and quizzes. Your videos stay in your uploads."),
        label=_("Delete draft"),
        back=reverse("courses:studio-edit", args=[course.slug]),
    )


def confirm(
    request: HttpRequest,
    course: Course,
    *,
    title: str,
    text: str,
    label: str,
    back: str,
    detail: str = "",
    items: Sequence[str] = (),
    is_undoable: bool = False,
) -> HttpResponse:
    """Show a confirmation page whose form posts to the same address, with ``sure`` if it can be undone."""
    words = {
        "title": title, "text": text, "detail": detail, "label": label, "back": back, "named": items,
        "is_undoable": is_undoable,
    }  # fmt: skip
    return render(request, "courses/studio/confirm.html", {"course": course, "ask": words})


def about(course: Course, user: User) -> dict[str, Any]:
    """Return the context that all studio pages of a course share: badge, abilities, checks."""
    checks = readiness.checks(course)
    return {
        "course": course,
        "badge": authoring.course_badge(course),
        "abilities": _abilities(user, course),
        "checks": checks,
        "is_ready": all(check.is_met for check in checks if check.is_required),
    }


def _abilities(user: User, course: Course) -> dict[str, bool]:
    """What the user can do: with the version that is written, and with the course that learners have meanwhile."""
    live = policies.course_abilities(user, course.live)
    return policies.course_abilities(user, course) | {name: live[name] for name in ("unpublish", "archive", "restore")}


def _answer(course: Any) -> dict[str, Any] | None:
    """Return the reviewer's last outcome and comment while they still require changes."""
    if course.status != Course.Status.DRAFT or course.last_outcome not in {"changes_requested", "rejected"}:
        return None
    return {"badge": authoring.outcome_badge(course.last_outcome), "comment": course.last_comment}


def _outcome_lines(form: CourseForm, more: int = 0) -> list[str]:
    """Return the lines of the form, and ``more`` empty ones. One stays empty, and there are at least four in all."""
    lines = [line for line in form.outcomes if line.strip()]
    wanted = max(4, len(lines) + 1, len(form.outcomes) + more if more else 0)
    return [*lines, *[""] * (min(wanted, MOST_OUTCOMES) - len(lines))]


def _asks_for_lines(request: HttpRequest) -> bool:
    """Whether the form was sent for more empty lines: it is shown again, and nothing is saved."""
    return request.method == "POST" and "more" in request.POST


def _typed(request: HttpRequest) -> dict[str, Any]:
    """What was typed so far, as the values of a form that was not sent yet."""
    lists = {name: request.POST.getlist(name) for name in ("outcomes", "prerequisites")}
    return {**request.POST.dict(), **lists}
