"""Background jobs of billing that plan their successors: payouts, shares of Premium, and the nightly reconciliation."""

from datetime import date, timedelta

from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from apps.billing import services
from apps.billing.models import BooksCheck
from apps.billing.services import books_checks, tax_details
from studyplatform.kit import jobs

LATER = timedelta(minutes=15)


def _check_failed(error: Exception, *, check_id: int) -> None:
    books_checks.fail_check(check_id=check_id, error=error)


@jobs.job("billing.check_books", label=_("Reconcile payments"), max_attempts=2, on_failure=_check_failed)
def check_books(running: jobs.Running, *, check_id: int) -> None:
    """Reconcile payments with the provider or with themselves. If the provider can't be reached, it fails at once."""
    check = BooksCheck.objects.filter(pk=check_id, state=BooksCheck.State.RUNNING).first()
    if check is not None:
        books_checks.run_check(check, now=timezone.now(), extend_lease=running.extend_lease)


@jobs.job("billing.check_books_nightly", label=_("Reconcile payments every night"))
def check_books_nightly(running: jobs.Running) -> None:
    """The next night is planned first, so that one that fails does not end the chain."""
    now = timezone.now()
    books_checks.plan_next_check(now=now)
    books_checks.start_nightly_check(now=now)


@jobs.job("billing.run_payouts", label=_("Pay instructors"))
def run_payouts(running: jobs.Running, *, day: str) -> None:
    """The next run is planned first, so that one that fails does not end the chain."""
    now = timezone.now()
    services.plan_next_run(now=now)
    services.share_until(now=now)  # the payouts contain it
    _, unknown = services.run_payouts(date.fromisoformat(day), now=now, extend_lease=running.extend_lease)
    if unknown:
        raise jobs.Postpone(LATER)


@jobs.job("billing.share_premium", label=_("Share Premium among instructors"))
def share_premium(running: jobs.Running, *, month: str) -> None:
    """The next month is planned first, so that one that fails does not end the chain."""
    now = timezone.now()
    services.plan_next_share(now=now)
    services.share_until(now=now)


@jobs.job("billing.expire_tax_details", label=_("Delete expired tax details"))
def expire_tax_details(running: jobs.Running, *, year: int) -> None:
    """The next year is planned first, so that one that fails does not end the chain."""
    now = timezone.now()
    tax_details.plan_next_expiry(now=now)
    tax_details.delete_expired_tax_details(now=now)


jobs.PLANS.register("billing.expire_tax_details", lambda now: tax_details.plan_next_expiry(now=now))
jobs.PLANS.register("billing.check_books_nightly", lambda now: books_checks.plan_next_check(now=now))
jobs.PLANS.register("billing.run_payouts", lambda now: services.plan_next_run(now=now))
jobs.PLANS.register("billing.share_premium", lambda now: services.plan_next_share(now=now))
