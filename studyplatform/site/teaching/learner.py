"""/dashboard/instructor/students/<uid>: one learner in the courses that the reader teaches."""

from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from apps.accounts.guards import signed_in_user, teaches
from apps.accounts.models import User
from apps.courses.models import Course, Right
from apps.courses.policies import courses_with_right
from apps.forum.queries.asked import asked_in
from apps.learning import services
from apps.learning.analytics.courses import Scope, scope_of
from apps.learning.analytics.learner import (
    attempts_of,
    find_attempt,
    find_enrollments,
    staff_notes_about,
    standings_of,
    today_of,
    weeks_of,
)
from apps.learning.models import MAX_STAFF_NOTE_LENGTH, Enrollment, StaffNote
from apps.learning.queries.answers import answers_in
from apps.learning.queries.exceptions import exceptions_granted_in
from apps.learning.queries.offline_papers import read_stored_before
from studyplatform.kit.charts.bars import bar_chart
from studyplatform.kit.charts.measures import Hours
from studyplatform.kit.charts.periods import weeks_as_places
from studyplatform.kit.charts.plots import Plot, Series
from studyplatform.kit.errors import AppError, NotFound
from studyplatform.kit.web.dates import show_date
from studyplatform.site.teaching.chart_titles.weeks import title_of_weeks
from studyplatform.site.teaching.learner_words import explain_risk
from studyplatform.site.teaching.learners import ADDRESS, read_key, writable_courses

ATTEMPTS_SHOWN = NOTES_SHOWN = 10  # on a page


@teaches
@never_cache
@require_safe
def learner(request: HttpRequest, uid: UUID) -> HttpResponse:
    """Where a learner stands. ``?course=`` leads admins to courses that they don't teach."""
    return _page(request, uid)


def _page(request: HttpRequest, uid: UUID, *, note: str = "", refusal: AppError | None = None) -> HttpResponse:
    """The page; after a refused note with what was written."""
    user, now = signed_in_user(request), timezone.now()
    scope = _scope(request, user)
    enrollments = find_enrollments(scope, uid, now)
    person = enrollments[0].user
    attempts = attempts_of(enrollments)
    standings = standings_of(enrollments, attempts)
    courses = [one.course for one in enrollments]
    taught = courses_with_right(user, courses, Right.TEACH)
    present = [one for one in standings if one.left_at is None]
    asked = asked_in(person, [course.pk for course in courses], user)
    weeks = weeks_of(person, [course.pk for course in courses], today_of(now))
    granted = exceptions_granted_in(user, taught).filter(enrollment__user=person)
    query = f"?course={scope.chosen.slug}" if scope.chosen is not None else ""
    context: dict[str, Any] = {
        "person": person,
        "standings": standings,
        "present": present,
        "teachable": [one for one in present if one.course.pk in taught],
        "writable": [one for one in present if one.course.pk in writable_courses(scope, taught)],
        "noted": [one.course for one in standings if one.course.pk in taught],
        "risks": [
            (one, *explain_risk(one.enrollment, one.rollup, now)) for one in present if one.rollup and one.rollup.risk
        ],
        "attempts": Paginator([one for one in attempts if one.submitted_at], ATTEMPTS_SHOWN).get_page(
            request.GET.get("attempts")
        ),
        "courses_by_pk": {course.pk: course for course in courses},
        "course_of": {one.pk: one.course for one in enrollments},
        "asked": asked,
        "seconds": sum(one.rollup.seconds for one in standings if one.rollup),
        "this_week": weeks[-1].seconds,
        "chart": _chart(weeks, now),
        "chart_title": title_of_weeks(
            [one.monday for one in weeks], [one.seconds for one in weeks], today=today_of(now)
        ),
        "granted": list(granted) if taught else [],
        "notes": Paginator(staff_notes_about(person, taught), NOTES_SHOWN).get_page(request.GET.get("notes")),
        "deletable": {course.pk for course in courses if user.is_admin or course.instructor_id == user.pk},
        "note": note,
        "refusal": refusal,
        "key": read_key(request.POST),
        "max_note": MAX_STAFF_NOTE_LENGTH,
        "base": ADDRESS,
        "here": request.get_full_path() if request.method == "GET" else f"{ADDRESS}{uid}{query}",
        "address": f"{ADDRESS}{uid}",
        "query": query,
        "last": max(enrollments, key=lambda one: one.last_activity_at),
    }
    return render(request, "site/learners/learner.html", context, status=refusal.status if refusal else 200)


def _scope(request: HttpRequest, user: User) -> Scope:
    """All courses of the reader; for an admin, or with a course in the address, that one alone."""
    return scope_of(user, request.GET.get("course", "").replace("\x00", ""))


def _chart(weeks: list[Any], now: Any) -> Plot:
    places = weeks_as_places([one.monday for one in weeks], today_of(now))
    return bar_chart(places, Series(_("Time"), [one.seconds for one in weeks]), Hours(), written="extremes")


@teaches
@never_cache
@require_safe
def attempt(request: HttpRequest, uid: UUID, attempt: UUID) -> HttpResponse:
    """A submitted attempt with what the learner answered, and what was right."""
    user, now = signed_in_user(request), timezone.now()
    scope = _scope(request, user)
    enrollments = find_enrollments(scope, uid, now)
    found = find_attempt(enrollments, attempt)
    course = found.enrollment.course
    context = {
        "person": enrollments[0].user,
        "attempt": found,
        "course": course,
        "questions": answers_in(found),
        "stored_before": read_stored_before(found),
        "base": ADDRESS,
        "address": f"{ADDRESS}{uid}",
        "query": f"?course={scope.chosen.slug}" if scope.chosen is not None else "",
    }
    return render(request, "site/learners/attempt.html", context)


@teaches
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def write_note(request: HttpRequest, uid: UUID) -> HttpResponse:
    """Write the note ``text`` about the learner for the staff of ``course``. A refused note stays in the form."""
    user, now = signed_in_user(request), timezone.now()
    enrollments = find_enrollments(_scope(request, user), uid, now)
    if request.method != "POST":
        return redirect(f"{ADDRESS}{uid}{_asked_course(request)}")
    text, course = request.POST.get("text", ""), _noted_course(request, enrollments)
    key = read_key(request.POST)
    try:
        services.write_staff_note(learner=enrollments[0].user, course=course, by=user, text=text, key=key, now=now)
    except AppError as refusal:
        if refusal.status in {403, 404}:
            raise
        return _page(request, uid, note=text.replace("\x00", ""), refusal=refusal)
    messages.success(request, _("The note is added."), extra_tags="toast")
    return redirect(f"{ADDRESS}{uid}{_asked_course(request)}#notes")


def _noted_course(request: HttpRequest, enrollments: list[Enrollment]) -> Course:
    """The course of the form, of those in which the reader sees the learner; without one, the only one."""
    slug = request.POST.get("course", "")
    if not slug and len(enrollments) == 1:
        return enrollments[0].course
    found = next((one.course for one in enrollments if one.course.slug == slug), None)
    if found is None:
        raise NotFound
    return found


def _asked_course(request: HttpRequest) -> str:
    course = request.GET.get("course", "")
    return f"?{urlencode({'course': course})}" if course else ""


@teaches
@require_POST
def delete_note(request: HttpRequest, uid: UUID, note: UUID) -> HttpResponse:
    """Delete a note about the learner."""
    user = signed_in_user(request)
    find_enrollments(_scope(request, user), uid, timezone.now())
    found = StaffNote.objects.filter(uid=note, learner__uid=uid).select_related("course").first()
    if found is None:
        raise NotFound
    try:
        services.delete_staff_note(note=found, by=user)
    except AppError as refusal:
        if refusal.status == NotFound.status:
            raise
        messages.warning(request, refusal.detail, extra_tags=refusal.code)
    else:
        said = _("The note of %(day)s is deleted.") % {"day": show_date(found.created_at)}
        messages.success(request, said, extra_tags="toast")
    return redirect(f"{ADDRESS}{uid}{_asked_course(request)}#notes")
