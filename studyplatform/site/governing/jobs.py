"""What admins look after beside the queue: past reviews, and the background work."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from apps.accounts.guards import administers
from apps.accounts.models import User
from apps.courses.models import Course, Submission
from apps.courses.queries import authoring, review
from apps.files.models import Upload, VideoAsset
from studyplatform.kit import jobs
from studyplatform.kit.errors import NotFound
from studyplatform.kit.models import Job
from studyplatform.kit.web.requests import searched

PAGE = 20
State = Job.State
STATES = [State.FAILED, State.RUNNING, State.QUEUED, State.DONE]


@dataclass(frozen=True)
class JobRow:
    """A job in words: what it does, what it is about, and why it failed."""

    job: Job
    label: str
    about: str = ""
    href: str = ""

    @property
    def reason(self) -> str:
        """The last line of the error: what happened, without the way there."""
        lines = self.job.error.strip().splitlines()
        return lines[-1] if lines else ""


@require_safe
@administers
def job_list(request: HttpRequest) -> HttpResponse:
    """All background work, the newest first; what failed can be tried again."""
    state, kind = request.GET.get("state", ""), request.GET.get("kind", "")
    found = Job.objects.order_by("-created_at", "-pk")
    if kind in jobs.KINDS:
        found = found.filter(kind=kind)
    counted = {row["state"]: row["count"] for row in found.order_by().values("state").annotate(count=Count("pk"))}
    if state in State.values:
        found = found.filter(state=state)
    page = Paginator(found, PAGE).get_page(request.GET.get("page"))
    tabs = [("", _("All"), sum(counted.values()))]
    tabs += [(str(one), state_label(one), counted.get(one, 0)) for one in STATES]
    return render(
        request,
        "site/jobs.html",
        {
            "page": page,
            "rows": job_rows(page),
            "tabs": tabs,
            "state": state if state in State.values else "",
            "kind": kind if kind in jobs.KINDS else "",
            "kinds": sorted(((name, str(one.label)) for name, one in jobs.KINDS.items()), key=lambda pair: pair[1]),
        },
    )


@require_POST
@administers
def job_retry(request: HttpRequest, uid: UUID) -> HttpResponse:
    """Put a failed job back into its queue."""
    job = Job.objects.filter(uid=uid).first()
    if job is None:
        raise NotFound
    if jobs.retry(job, now=timezone.now()):
        messages.success(request, _("“%s” is back in the queue.") % job_label(job.kind))
    else:
        messages.warning(request, _("Nothing was changed. The job hasn't failed, or it is already running again."))
    back = request.POST.get("next", "")
    is_ours = back.startswith("/dashboard/admin/") and url_has_allowed_host_and_scheme(back, allowed_hosts=None)
    return redirect(back if is_ours else reverse("site:admin-jobs"))


@require_safe
@administers
def review_history(request: HttpRequest) -> HttpResponse:
    """Every submission that was answered or withdrawn, the latest first."""
    outcome, text = request.GET.get("outcome", ""), searched(request)
    found = review.decided(text=text)
    counted = {row["outcome"]: row["count"] for row in found.order_by().values("outcome").annotate(count=Count("pk"))}
    if outcome in counted:
        found = found.filter(outcome=outcome)
    page = Paginator(found, PAGE).get_page(request.GET.get("page"))
    tabs = [("", _("All"), sum(counted.values()))]
    tabs += [(value, str(label), counted[value]) for value, label in Submission.Outcome.choices if counted.get(value)]
    return render(
        request,
        "site/reviews.html",
        {
            "page": page,
            "rows": [(one, authoring.outcome_badge(one.outcome), _hours(one)) for one in page],
            "tabs": tabs,
            "outcome": outcome if outcome in counted else "",
            "text": text,
        },
    )


@require_safe
@administers
def password_elsewhere(request: HttpRequest) -> HttpResponse:
    """Django's admin has a form of its own for the password; there is one such form, in the settings."""
    return redirect("accounts:settings")


def job_label(kind: str) -> str:
    """The kind in words; of one that no longer exists, its name."""
    known = jobs.KINDS.get(kind)
    return str(known.label) if known else kind


def state_label(state: str) -> str:
    words = {State.QUEUED: _("Waiting"), State.RUNNING: _("Running"), State.DONE: _("Done"), State.FAILED: _("Failed")}
    return words[State(state)]


def job_rows(found: Iterable[Job]) -> list[JobRow]:
    """Jobs with what they are about. At most four queries, however many jobs."""
    rows = list(found)
    videos = VideoAsset.objects.defer("facts").in_bulk(_ids(rows, "video"))
    courses = Course.objects.only("slug", "title").in_bulk(_ids(rows, "course_id"))
    people = User.objects.in_bulk(_ids(rows, "user_id"))
    uploads = {upload.uid.hex: upload for upload in Upload.objects.filter(uid__in=_uids(rows))}
    return [_row(job, videos, courses, people, uploads) for job in rows]


def _row(
    job: Job,
    videos: Mapping[int, VideoAsset],
    courses: Mapping[int, Course],
    people: Mapping[int, User],
    uploads: Mapping[str, Upload],
) -> JobRow:
    given, label = job.payload, job_label(job.kind)
    if (course := courses.get(given.get("course_id", 0))) is not None:
        return JobRow(job, label, course.title, reverse("site:review", args=[course.slug]))
    if (person := people.get(given.get("user_id", 0))) is not None:
        return JobRow(job, label, person.username, reverse("admin:accounts_user_change", args=[person.pk]))
    if (video := videos.get(given.get("video", 0))) is not None:
        return JobRow(job, label, video.filename, reverse("admin:files_videoasset_change", args=[video.pk]))
    if (upload := uploads.get(given.get("upload", ""))) is not None:
        return JobRow(job, label, upload.filename)
    return JobRow(job, label)


def _ids(rows: Iterable[Job], name: str) -> set[int]:
    return {value for job in rows if isinstance(value := job.payload.get(name), int)}


def _uids(rows: Iterable[Job]) -> set[UUID]:
    return {UUID(value) for job in rows if job.kind == "files.expire_upload" and (value := job.payload.get("upload"))}


def _hours(submission: Submission) -> Any:
    if submission.decided_at is None:
        return None
    return round((submission.decided_at - submission.submitted_at).total_seconds() / 3600)
