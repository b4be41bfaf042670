"""The review of a course: an admin reads it as a learner would, and decides."""

from typing import Any
from uuid import UUID

from csp.decorators import csp_update
from django import forms
from django.contrib import messages
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from apps.accounts.guards import administers, require_session_key, session_key_of, signed_in_user
from apps.accounts.models import User
from apps.courses import policies, services
from apps.courses.errors import CourseNotFound
from apps.courses.models import Course, Lesson, Submission
from apps.courses.queries import authoring, readiness, review, versions
from apps.courses.queries.authored_outline import outline_of
from apps.courses.queries.compared_videos import shown_changes
from apps.courses.queries.content_tree import read_tree
from apps.courses.queries.downloads import downloads_of
from apps.courses.queries.external_videos import external_video_of, policy_sources
from apps.courses.queries.findings import find_all
from apps.courses.queries.reviewed_captions import with_captions
from apps.courses.queries.version_differences import compare_versions
from apps.courses.queries.version_effects import count_effects, read_change
from apps.files.queries import caption_cues
from apps.learning.queries.lessons import lesson_at
from apps.learning.queries.player import player_out, signed_sources
from studyplatform.kit.errors import ValidationFailed
from studyplatform.kit.policies import enforce
from studyplatform.kit.web.requests import safe_next
from studyplatform.site.governing.quiz_reading import quiz_reading
from studyplatform.site.governing.review_comments import comments_context

Outcome = Submission.Outcome

ANSWERS = {
    Outcome.APPROVED: gettext_lazy("“%(course)s” is live."),
    Outcome.CHANGES_REQUESTED: gettext_lazy("The instructor of “%(course)s” will see what to change."),
    Outcome.REJECTED: gettext_lazy("“%(course)s” is a draft again, and the instructor will see your reason."),
}


class DecisionForm(forms.Form):
    """A reviewer's decision. Every decision except an approval needs a comment."""

    outcome = forms.ChoiceField(
        label=gettext_lazy("Decision"),
        choices=[(outcome.value, outcome.label) for outcome in ANSWERS],
        error_messages={"required": gettext_lazy("Choose a decision.")},
    )
    comment = forms.CharField(label=gettext_lazy("Comment"), max_length=10_000, required=False, widget=forms.Textarea)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        outcome = cleaned.get("outcome")
        if outcome and outcome != Outcome.APPROVED and not cleaned.get("comment", "").strip():
            self.add_error("comment", _("Tell the instructor what to change."))
        return cleaned


@administers
@require_http_methods(["GET", "HEAD", "POST"])
def course_review(request: HttpRequest, slug: str) -> HttpResponse:
    """The course, its automatic checks and the form for the decision."""
    course, user = _course(slug), signed_in_user(request)
    form = DecisionForm(request.POST or None)
    if request.method == "POST":
        enforce(policies.review_course(user, course))
        if form.is_valid():
            services.decide_submission(course=course, by=user, now=timezone.now(), **form.cleaned_data)
            said = ANSWERS[Outcome(form.cleaned_data["outcome"])]
            messages.success(request, str(said) % {"course": course.title})
            return redirect("site:admin-home")
    page = _page(request, course, user)
    response = render(request, "site/review.html", {**page, "form": form})
    video = external_video_of(page["opened"].lesson) if page["opened"] else None
    if video is not None:
        csp_update(policy_sources(video))(lambda _request: response)(request)
    return response


@administers
@require_POST
def course_step(request: HttpRequest, slug: str) -> HttpResponse:
    """Suspend a live course, or end a suspension."""
    course, user, now = _course(slug).live, signed_in_user(request), timezone.now()
    match request.POST.get("step"):
        case "suspend":
            services.suspend_course(course=course, by=user, reason=request.POST.get("reason", "")[:4000], now=now)
            messages.success(request, _("The course is suspended. Enrolled learners still have access."))
        case "reinstate":
            services.reinstate_course(course=course, by=user, now=now)
            messages.success(request, _("The course is live again."))
        case _:
            raise ValidationFailed
    return redirect("site:review", course.slug)


@administers
@require_POST
def review_point(request: HttpRequest, slug: str) -> HttpResponse:
    """Check a point of the checklist, or take it back."""
    course = _course(slug)
    is_ticked = "tick" in request.POST
    services.tick_point(
        course=course,
        by=signed_in_user(request),
        point=request.POST.get("tick" if is_ticked else "untick", ""),
        is_ticked=is_ticked,
        now=timezone.now(),
    )
    return redirect(safe_next(request, request.POST.get("back"), reverse("site:review", args=[slug])))


@administers
@require_POST
def appeal_decision(request: HttpRequest, uid: UUID) -> HttpResponse:
    """Lift a suspension that was appealed, or keep it with a reason."""
    appeal = review.find_appeal(uid)
    outcome, reply = request.POST.get("outcome"), request.POST.get("reply", "")[:5_000]
    if outcome not in {"reinstated", "kept"}:
        raise ValidationFailed
    services.decide_appeal(
        appeal=appeal,
        by=signed_in_user(request),
        is_reinstated=outcome == "reinstated",
        reply=reply,
        now=timezone.now(),
    )
    said = _("The course is live again.") if outcome == "reinstated" else _("The suspension is kept.")
    messages.success(request, said)
    return redirect("site:review", appeal.course.slug)


def _course(slug: str) -> Course:
    """The course as it is reviewed: its working copy while its next version is under review."""
    courses = Course.with_working_copies.select_related("subject", "instructor", "next_version_of__instructor")
    found = {one.is_working_copy: one for one in courses.filter(Q(slug=slug) | Q(next_version_of__slug=slug))}
    copy, course = found.get(True), found.get(False)
    if copy is not None and (course is None or copy.status == Course.Status.REVIEW):
        return copy
    if course is None:
        raise CourseNotFound
    return course


def _page(request: HttpRequest, course: Course, user: User) -> dict[str, Any]:
    sections = outline_of(course)
    rows = [row for section in sections for row in section.rows]
    asked = request.GET.get("lesson", "")
    opened = next((row for row in rows if row.lesson.slug == asked), rows[0] if rows else None)
    pending = review.pending_of(course)
    history = list(authoring.history_of(course)[:20])
    findings = find_all(course)
    return {
        "course": course,
        "badge": authoring.course_badge(course),
        "abilities": _abilities(user, course),
        **_changes(request, course),
        "checks": readiness.checks(course, findings),
        "sections": sections,
        "opened": opened,
        "reading": _reading(request, course, opened.lesson) if opened else {},
        "downloads": downloads_of(opened.lesson) if opened else (),
        "pending": pending,
        "due": review.due(pending.submitted_at, timezone.now()) if pending else None,
        "history": history,
        "points": review.points(),
        "ticks": review.ticks_of(pending) if pending else {},
        "suspension": review.suspension_of(course.live),
        "appeals": [one for one in review.appeals_of(course.live)[:10] if course.status != Course.Status.SUSPENDED],
        "round": sum(submission.outcome != Outcome.WITHDRAWN for submission in history),
        "steps": course.live.status_changes.select_related("changed_by").order_by("-changed_at", "-pk")[:5],
        **comments_context(
            request, course, [row.lesson for row in rows], opened.lesson if opened else None, history, findings
        ),
    }


def _abilities(user: User, course: Course) -> dict[str, bool]:
    """What can be done with the version under review, and with the course that learners have meanwhile."""
    live = policies.course_abilities(user, course.live)
    return policies.course_abilities(user, course) | {name: live[name] for name in ("suspend", "reinstate")}


def _changes(request: HttpRequest, course: Course) -> dict[str, Any]:
    """What the next version changes, as its author sees it."""
    if not course.is_working_copy:
        return {}
    following = read_tree(course)
    difference = with_captions(compare_versions(read_tree(course.live), following), course)
    effects = count_effects(read_change(course.live, difference.raw, following))
    state = versions.state_of(course)
    shown = shown_changes(request.GET, difference, now=timezone.now(), audience=require_session_key(request))
    return {**shown, "version": state, "draft": course.draft, "effects": effects}


def player_within(address: str, player: dict[str, Any], course: Course) -> dict[str, Any]:
    """Return the player's props with links that stay on the page at ``address``."""
    learned = f"/learn/{course.slug}/"

    def led(lesson: dict[str, Any]) -> dict[str, Any]:
        return {**lesson, "url": f"{address}?lesson={lesson['url'].removeprefix(learned)}"}

    around = {name: led(player[name]) if player[name] else None for name in ("previous", "next")}
    return {**led(player), **around}


def _reading(request: HttpRequest, course: Course, lesson: Lesson) -> dict[str, Any]:
    """The contents of the open lesson, including the answers of a quiz. Reading it records no progress."""
    match lesson.kind:
        case Lesson.Kind.QUIZ:
            return quiz_reading(lesson.quiz)
        case Lesson.Kind.VIDEO if lesson.video is not None or lesson.external_video:
            tracks = lesson.video.captions.order_by("language") if lesson.video is not None else ()
            seen = lesson_at(request.user, course.slug, lesson.slug)
            enforce(seen.verdict)
            sources = signed_sources(seen, now=timezone.now(), session_key=session_key_of(request))
            return {
                "tracks": [(track, caption_cues(track.webvtt)) for track in tracks],
                "player": player_within(reverse("site:review", args=[course.slug]), player_out(seen, sources), course),
            }
    return {}
