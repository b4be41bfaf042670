"""Background jobs about seats of teams."""

from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from apps.billing.services import seat_care
from studyplatform.kit import jobs


@jobs.job(seat_care.JOB, label=_("Look after the seats of teams"))
def follow_seats(running: jobs.Running) -> None:
    """The next hour is planned first, so that one that fails does not end the chain."""
    now = timezone.now()
    seat_care.plan_next_look(now=now)
    seat_care.follow_seats(now=now)


jobs.PLANS.register(seat_care.JOB, lambda now: seat_care.plan_next_look(now=now))
