"""The admins' list of background jobs."""

from collections.abc import Iterable
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
from studyplatform.kit import jobs
from studyplatform.kit.errors import NotFound
from studyplatform.kit.jobs import JobSubject
from studyplatform.kit.models import Job

PAGE = 20
State = Job.State
STATES = [State.FAILED, State.RUNNING, State.QUEUED, State.DONE]


@dataclass(frozen=True)
class JobRow:
    """A job as the lists show it: what it does, what it is about (a link if ``href`` is not empty), why it failed."""

    job: Job
    label: str
    about: str = ""
    href: str = ""

    @property
    def reason(self) -> str:
        """The last line of the error: what happened, without the traceback."""
        lines = self.job.error.strip().splitlines()
        return lines[-1] if lines else ""


@administers
@require_safe
def job_list(request: HttpRequest) -> HttpResponse:
    """All background jobs, newest first; a failed one can be tried again."""
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


@administers
@require_POST
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


def job_label(kind: str) -> str:
    """What jobs of this kind do, in words; the name of a kind that this release does not have."""
    known = jobs.KINDS.get(kind)
    return str(known.label) if known else kind


def state_label(state: str) -> str:
    words = {State.QUEUED: _("Waiting"), State.RUNNING: _("Running"), State.DONE: _("Done"), State.FAILED: _("Failed")}
    return words[State(state)]


def job_rows(found: Iterable[Job]) -> list[JobRow]:
    """Jobs with what they are about: the functions given as ``about`` are called once each, however many jobs."""
    rows = list(found)
    described: dict[Any, list[Job]] = {}
    for job in rows:
        if job.kind in jobs.KINDS:
            described.setdefault(jobs.KINDS[job.kind].about, []).append(job)
    subjects: dict[int, JobSubject | None] = {}
    for about, group in described.items():
        for job, subject in zip(group, about([job.payload for job in group]), strict=True):
            subjects[job.pk] = subject
    return [_row(job, subjects.get(job.pk)) for job in rows]


def _row(job: Job, subject: JobSubject | None) -> JobRow:
    label = job_label(job.kind)
    return JobRow(job, label, subject.text, subject.url) if subject else JobRow(job, label)
