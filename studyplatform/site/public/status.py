"""Whether the parts of this site are well, for people; load balancers ask /healthz."""

import time
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_safe

from apps.accounts.guards import open_to_everyone
from apps.files.queries import has_free_space
from studyplatform.kit.models import Job
from studyplatform.kit.web.readiness import is_database_writable

State = Literal["well", "slow", "down"]
SLOW_DATABASE = 0.5  # seconds for the simplest query
LATE_JOB = timedelta(minutes=5)


@dataclass(frozen=True)
class Service:
    name: str
    state: State
    says: str


def database() -> Service:
    started = time.perf_counter()
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return Service(_("Courses and accounts"), "down", _("Courses and accounts are unavailable."))
    took = time.perf_counter() - started
    if not is_database_writable():
        return Service(_("Courses and accounts"), "down", _("Nothing can be saved, so no one can sign in."))
    return Service(
        _("Courses and accounts"),
        "well" if took < SLOW_DATABASE else "slow",
        _("Pages load as usual.") if took < SLOW_DATABASE else _("Pages load more slowly than usual."),
    )


def processing() -> Service:
    """Background jobs; late if a job that is due has waited for minutes."""
    now = timezone.now()
    name = _("Video processing")
    try:
        waiting = Job.objects.filter(state=Job.State.QUEUED, run_at__lte=now)
        oldest = waiting.order_by("run_at").values_list("run_at", flat=True).first()
        running = Job.objects.filter(state=Job.State.RUNNING, lease_until__gt=now).count()
    except DatabaseError:
        return Service(name, "down", _("Status unknown while courses and accounts are unavailable."))
    if oldest is None or now - oldest < LATE_JOB:
        under_way = ngettext("%(num)d job is running.", "%(num)d jobs are running.", running)
        return Service(name, "well", under_way % {"num": running} if running else _("No jobs are waiting."))
    if running:
        return Service(name, "slow", _("Many jobs are waiting, so uploads take longer than usual."))
    return Service(name, "down", _("Processing has stopped. Uploads are kept and will be processed later."))


def uploads() -> Service:
    if has_free_space():
        return Service(_("Uploads"), "well", _("There is space for new files."))
    return Service(_("Uploads"), "down", _("There is no space for new files. You can watch lessons as usual."))


@open_to_everyone
@require_safe
def status(request: HttpRequest) -> HttpResponse:
    services = [
        Service(_("Website"), "well", _("You're reading this page, so the website is working.")),
        database(),
        processing(),
        uploads(),
    ]
    worst = max(services, key=lambda one: ["well", "slow", "down"].index(one.state)).state
    return render(request, "site/status.html", {"services": services, "worst": worst, "now": timezone.now()})
