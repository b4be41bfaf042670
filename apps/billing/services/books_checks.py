"""Reconcile payments with the provider and with themselves, and keep what was found."""

from collections.abc import Callable
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.utils import timezone

from apps.accounts.models import User
from apps.billing import policies
from apps.billing.models import BooksCheck, LedgerEntry
from apps.billing.queries.ledger_check import problems
from apps.billing.services import reconciliation
from studyplatform.kit import jobs
from studyplatform.kit.errors import AppError
from studyplatform.kit.policies import enforce

DAYS = 30
TELL_EVERY = 20  # examined payments; then the page shows the progress


def start_check(*, admin: User, kind: str, repairs: bool = False, now: datetime) -> BooksCheck:
    """Let a job compare, and repair what differs from the provider if asked.

    One of a kind runs at a time: if one is running, it is returned instead.
    """
    enforce(policies.oversee_payments(admin))
    days = DAYS if kind == BooksCheck.Kind.PROVIDER else None
    repairs = repairs and kind == BooksCheck.Kind.PROVIDER
    try:
        with transaction.atomic():
            check = BooksCheck.objects.create(
                kind=kind, repairs=repairs, days=days, state=BooksCheck.State.RUNNING, started_at=now
            )
            jobs.enqueue("billing.check_books", key=str(check.pk), check_id=check.pk)
    except IntegrityError:
        return BooksCheck.objects.filter(kind=kind).latest("started_at")
    return check


def run_check(check: BooksCheck, *, now: datetime, extend_lease: Callable[[], None] = lambda: None) -> BooksCheck:
    """Compare, and write down what was found. Idempotent: a check that was interrupted begins again.

    A check that isn't in the database yet is saved at the end: a command that is killed leaves nothing behind.

    :raises PaymentProcessingError: the provider can't be reached.
    """
    check.examined, check.found, check.repaired, check.findings = 0, 0, 0, []

    def tell() -> None:
        check.examined += 1
        if check.examined % TELL_EVERY == 0 and check.pk:
            extend_lease()
            BooksCheck.objects.filter(pk=check.pk).update(examined=check.examined, found=check.found)

    if check.kind == BooksCheck.Kind.LEDGER:
        for problem in problems():
            _note(check, problem.kind, problem.name, problem.text, "differs")
            extend_lease()
        check.examined = LedgerEntry.objects.count()
    else:
        _compare_with_provider(check, now=now, tell=tell)
    check.state, check.finished_at = BooksCheck.State.DONE, timezone.now()
    findings = check.findings
    check.findings = findings[: BooksCheck.KEPT]
    check.save()
    check.findings = findings
    return check


def _compare_with_provider(check: BooksCheck, *, now: datetime, tell: Callable[[], None]) -> None:
    since = now - timedelta(days=check.days or DAYS)
    # All is asked for first: a repair must not change what is still to be compared.
    found = [
        *reconciliation.unfinished(now=now),
        *reconciliation.differences(since=since, now=now, examined=tell),
    ]
    for each in found:
        outcome = "differs"
        if each.repair is not None and check.repairs:
            try:
                each.repair()
                outcome = "repaired"
            except AppError as error:
                outcome = f"not repaired: {error}"
        _note(check, each.kind, each.name, each.text, outcome)


def _note(check: BooksCheck, kind: str, name: str, text: str, outcome: str) -> None:
    check.found += 1
    check.repaired += outcome == "repaired"
    check.findings.append({"kind": kind, "name": name, "text": text, "outcome": outcome})


def fail_check(*, check_id: int, error: Exception) -> None:
    """Write down why a check could not be finished."""
    running = BooksCheck.objects.filter(pk=check_id, state=BooksCheck.State.RUNNING)
    running.update(state=BooksCheck.State.FAILED, error=str(error)[:300], finished_at=timezone.now())
