"""The overview of the site for admins: the review queue, figures and background jobs."""

from typing import Any

from django.core.paginator import Paginator
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_safe

from apps.accounts.guards import administers, signed_in_user
from apps.courses.queries import review
from studyplatform.kit.extensions import MONTH, admin_tiles, tiles_for
from studyplatform.kit.models import Job
from studyplatform.kit.web.requests import search_query
from studyplatform.site.governing.jobs import job_label, job_rows

LATEST = 8
QUEUE_PAGE = 20


@administers
@require_safe
def admin_home(request: HttpRequest) -> HttpResponse:
    """The review queue with its waiting times, figures, and recent jobs."""
    now = timezone.now()
    which, text = request.GET.get("queue", ""), search_query(request)
    queue = review.queue()
    found = review.filter_queue(queue, which=which, text=text, now=now)
    page = Paginator(found, QUEUE_PAGE).get_page(request.GET.get("page"))
    waiting = [(submission, review.due(submission.submitted_at, now), _finding(submission)) for submission in page]
    hours = review.decision_hours(since=now - MONTH)
    return render(
        request,
        "site/admin.html",
        {
            "waiting": waiting,
            "page": page,
            "queue_count": queue.count() if which or text else page.paginator.count,
            "which": which,
            "text": text,
            "appeals": [
                (appeal, review.due(appeal.written_at, now)) for appeal in review.pending_appeals()[:QUEUE_PAGE]
            ],
            "late": review.late(now),
            "median_hours": max(1, round(hours[len(hours) // 2])) if hours else None,
            "decided": len(hours),
            "tiles": tiles_for(admin_tiles, signed_in_user(request), now=now),
            "queues": [{**row, "label": job_label(row["kind"])} for row in _queues()],
            "jobs": job_rows(Job.objects.order_by("-created_at", "-pk")[:LATEST]),
        },
    )


def _finding(submission: Any) -> tuple[str, str, str]:
    """Tone, icon and text of the result of the automatic checks of a submission."""
    if submission.unready:
        words = ngettext("%d video not ready", "%d videos not ready", submission.unready) % submission.unready
        return "error", "circle-alert", words
    if submission.uncaptioned:
        return "warn", "captions", _("%d without captions") % submission.uncaptioned
    if submission.too_long:
        words = ngettext("%d lesson over 15 min", "%d lessons over 15 min", submission.too_long)
        return "warn", "clock", words % submission.too_long
    return "ok", "check", _("All passed")


def _queues() -> QuerySet[Any, Any]:
    """The jobs that wait, run or failed, by kind; kinds without any are left out."""
    states = [Job.State.QUEUED, Job.State.RUNNING, Job.State.FAILED]
    return (
        Job.objects.filter(state__in=states)
        .values("kind")
        .annotate(
            waiting=Count("pk", filter=Q(state=Job.State.QUEUED)),
            running=Count("pk", filter=Q(state=Job.State.RUNNING)),
            failed=Count("pk", filter=Q(state=Job.State.FAILED)),
        )
        .order_by("-failed", "-waiting", "kind")
    )
