"""Reconcile payments with the provider and with themselves, every night by itself, and keep what was found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime, time, timedelta
from functools import partial

from django.db import IntegrityError, transaction
from django.db.models import Min
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.accounts import services as people
from apps.accounts.models import Role, User
from apps.billing import policies
from apps.billing.errors import PaymentProcessingError
from apps.billing.models import BalanceTransaction, BooksCheck, BooksDifference, LedgerEntry
from apps.billing.queries.ledger_check import problems
from apps.billing.services import balance, balance_facts, balance_totals, reconciliation, webhooks
from apps.billing.services.differences import Difference, examine_part, isolated, note_crash
from studyplatform.kit import jobs
from studyplatform.kit.policies import enforce

_JOB = "billing.check_books"
DAYS = 30
MAX_WINDOW = timedelta(days=365)
TELL_EVERY = 20  # examined payments; then the page shows the progress
RUN_AT = time(3, 30, tzinfo=UTC)
PAGE = "/dashboard/admin/reconciliation"
Scope = BooksDifference.Scope
Tell = Callable[[], None]


def start_check(*, admin: User, kind: str, repairs: bool = False, now: datetime) -> BooksCheck:
    """Let a job compare, and repair what differs from the provider if asked.

    One of a kind runs at a time: if one is running, it is returned instead.
    """
    enforce(policies.oversee_payments(admin))
    return _begin(kind, repairs=repairs and kind == BooksCheck.Kind.PROVIDER, now=now)


def start_nightly_check(*, now: datetime) -> None:
    """Compare with the provider and repair, and check the ledger. A check that is running is not started again."""
    _begin(BooksCheck.Kind.PROVIDER, repairs=True, now=now)
    _begin(BooksCheck.Kind.LEDGER, repairs=False, now=now)


def plan_next_check(*, now: datetime) -> None:
    """Enqueue the job of the next night; it is enqueued once."""
    run_at = datetime.combine(now.astimezone(UTC).date(), RUN_AT)
    if run_at <= now:
        run_at += timedelta(days=1)
    jobs.enqueue("billing.check_books_nightly", key=run_at.date().isoformat(), delay=run_at - now)


def _begin(kind: str, *, repairs: bool, now: datetime) -> BooksCheck:
    days = DAYS if kind == BooksCheck.Kind.PROVIDER else None
    _end_abandoned(kind, now=now)
    try:
        with transaction.atomic():
            check = BooksCheck.objects.create(
                kind=kind, repairs=repairs, days=days, state=BooksCheck.State.RUNNING, started_at=now
            )
            jobs.enqueue(_JOB, key=str(check.pk), check_id=check.pk)
    except IntegrityError:
        return BooksCheck.objects.filter(kind=kind).latest("started_at")
    return check


def _end_abandoned(kind: str, *, now: datetime) -> None:
    """End a check that no job carries out any longer, which would keep all others from starting."""
    running = BooksCheck.objects.filter(kind=kind, state=BooksCheck.State.RUNNING)
    for pk in running.values_list("pk", flat=True):
        if not jobs.is_alive(_JOB, key=str(pk), now=now):
            running.filter(pk=pk).update(state=BooksCheck.State.FAILED, error=str(_("interrupted")), finished_at=now)


def run_check(check: BooksCheck, *, now: datetime, extend_lease: Callable[[], None] = lambda: None) -> BooksCheck:
    """Compare, and write down what was found. Idempotent: a check that was interrupted begins again.

    Rows that break are findings; the others go on. A check that isn't in the database yet is saved at the end: a
    command that is killed leaves nothing behind.

    :raises PaymentProcessingError: the provider can't be reached.
    """
    check.examined, check.found, check.repaired, check.findings = 0, 0, 0, []

    def tell() -> None:
        check.examined += 1
        if check.examined % TELL_EVERY == 0:
            extend_lease()
            if check.pk:
                BooksCheck.objects.filter(pk=check.pk).update(examined=check.examined, found=check.found)

    if check.kind == BooksCheck.Kind.LEDGER:
        for problem in problems():
            _note(check, problem.kind, problem.name, problem.text, "differs")
            extend_lease()
        check.examined = LedgerEntry.objects.count()
    else:
        _compare_with_provider(check, now=now, tell=tell)
    check.state, check.finished_at = BooksCheck.State.DONE, timezone.now()
    if check.repairs or check.kind == BooksCheck.Kind.LEDGER:
        _keep_open(check, now=now)
    findings = check.findings
    check.findings = findings[: BooksCheck.KEPT]
    check.save()
    check.findings = findings
    return check


def _compare_with_provider(check: BooksCheck, *, now: datetime, tell: Tell) -> None:
    since = _start_of_window(check, now=now)
    # All is asked for first: a repair must not change what is still to be compared.
    found = [
        *examine_part("unfinished", reconciliation.unfinished(now=now)),
        *examine_part("payments", reconciliation.differences(since=since, now=now, examined=tell)),
    ]
    began = timezone.now()
    _settle(check, found)
    # Then the provider's balance, which also contains what nobody here has begun.
    read = partial(balance.read_history, tell=tell)
    _settle(check, read())
    comparison = balance_facts.Comparison(
        refetch=balance_facts.refetch_by(partial(webhooks.act_on, now=now)), began=began, now=now, tell=tell
    )
    if check.repairs:
        _settle(check, balance.unposted(), is_news=False)
        _settle(check, _balance_differences(comparison, since=since, read=read))
    else:
        _settle(check, [*balance.unposted(), *_balance_differences(comparison, since=since, read=read)])


def _start_of_window(check: BooksCheck, *, now: datetime) -> datetime:
    """Since when rows are compared one by one: what is open stays in the window, or it would seem to be gone."""
    since = now - timedelta(days=check.days or DAYS)
    if not check.repairs or (check.days or 0) < DAYS:
        return since
    oldest = BooksDifference.objects.filter(scope=Scope.PROVIDER, resolved_at=None).aggregate(at=Min("found_at"))["at"]
    return since if oldest is None else max(min(since, oldest - timedelta(days=DAYS)), now - MAX_WINDOW)


def _balance_differences(
    comparison: balance_facts.Comparison, *, since: datetime, read: Callable[[], object]
) -> Iterator[Difference]:
    yield from examine_part("balance", balance_totals.against_balance(read))
    yield from examine_part("ledger", _against_ledger(comparison, since=since))
    yield from examine_part("bank", balance_totals.against_bank())


def _against_ledger(comparison: balance_facts.Comparison, *, since: datetime) -> Iterator[Difference]:
    recent = BalanceTransaction.objects.filter(created_at__gte=since) | balance_facts.differing()
    yield from comparison.compare(recent)
    now = comparison.now
    older: datetime | None = since
    left = balance_totals.unaccounted(_unlisted_sums(since, now))
    if left:  # then everything is compared
        older = None
        yield from comparison.compare(BalanceTransaction.objects.filter(created_at__lt=since))
        left = balance_totals.unaccounted(_unlisted_sums(None, now))
    yield from balance_facts.unlisted(since=older, now=now)
    for currency, amount in left.items():
        text = f"{amount} of the ledger's account provider belongs to nothing that the provider lists"
        yield Difference("total", f"ledger {currency}", text)


def _unlisted_sums(since: datetime | None, now: datetime) -> dict[str, int]:
    sums = Counter[str]()
    lines = balance_facts.without_movement(since=since, until=now + timedelta(days=1))
    for currency, amount in lines.values_list("currency", "amount"):
        sums[currency] += amount
    return dict(sums)


def _settle(check: BooksCheck, found: Iterable[Difference], *, is_news: bool = True) -> None:
    """Repair each difference if that is wanted, and write it down. ``is_news``: also what is repaired now."""
    for each in found:
        outcome = "differs"
        if each.repair is not None and check.repairs:
            try:
                with isolated():
                    each.repair()
                outcome = "differs" if each.is_open() else "repaired"
            except PaymentProcessingError as error:
                outcome = f"not repaired: {error}"
            except Exception as error:
                outcome = f"not repaired: {note_crash(each.kind, each.name, error)}"
        if (is_news and not each.is_expected) or outcome != "repaired":
            _note(check, each.kind, each.name, each.text, outcome)


def _note(check: BooksCheck, kind: str, name: str, text: str, outcome: str) -> None:
    check.found += 1
    check.repaired += outcome == "repaired"
    found = {"kind": kind, "name": name, "text": text, "outcome": outcome}
    # What the provider wrote may contain NUL, which PostgreSQL refuses.
    check.findings.append({key: value.replace("\x00", "\N{REPLACEMENT CHARACTER}") for key, value in found.items()})


def _keep_open(check: BooksCheck, *, now: datetime) -> None:
    """Remember what needs a human, mark what is gone as resolved, and notify admins of what is new: once.

    A comparison of fewer days than the nightly one, or of which a part broke, marks nothing as resolved.
    """
    scope = _scope_of(check)
    left = {
        (each["kind"][:20], each["name"][:150]): each["text"][:300]
        for each in check.findings
        if each["outcome"] != "repaired"
    }
    with transaction.atomic():
        known = BooksDifference.objects.select_for_update().filter(scope=scope, resolved_at=None)
        rows = {row.key: row for row in known}
        is_complete = all(kind != BooksDifference.BROKEN_PART for kind, _name in left)
        if is_complete and (check.days is None or check.days >= DAYS):
            gone = [row.pk for key, row in rows.items() if key not in left]
            BooksDifference.objects.filter(pk__in=gone).update(resolved_at=now)
        _open(scope, {key: text for key, text in left.items() if key not in rows}, now=now)


def _scope_of(check: BooksCheck) -> Scope:
    return Scope.LEDGER if check.kind == BooksCheck.Kind.LEDGER else Scope.PROVIDER


def _open(scope: str, differences: Mapping[tuple[str, str], str], *, now: datetime) -> None:
    """Write down new differences, and notify admins of those that they were not notified of."""
    BooksDifference.objects.bulk_create(
        [
            BooksDifference(scope=scope, kind=kind, subject=subject, text=text, found_at=now)
            for (kind, subject), text in differences.items()
        ],
        ignore_conflicts=True,
    )
    news = BooksDifference.objects.filter(scope=scope, resolved_at=None, told_at=None)
    first = news.order_by("pk").first()
    if first is None:
        return
    count = news.count()
    people.notify_all(
        "billing.books_differ",
        User.objects.filter(role=Role.ADMIN, is_active=True),
        PAGE,
        f"{first.pk} {count}",
        now=now,
        count=count,
        first=f"{first.subject}: {first.text}",
    )
    news.update(told_at=now)


def fail_check(*, check_id: int, error: Exception) -> None:
    """Write down why a check could not be finished. Of those that run every night, it is a difference of its own."""
    now = timezone.now()
    running = BooksCheck.objects.filter(pk=check_id, state=BooksCheck.State.RUNNING)
    check = running.first()
    if check is None:
        return
    with transaction.atomic():
        running.update(state=BooksCheck.State.FAILED, error=str(error)[:300], finished_at=now)
        if check.repairs or check.kind == BooksCheck.Kind.LEDGER:
            text = f"the comparison couldn't be finished: {error}"[:300]
            _open(_scope_of(check), {(BooksDifference.BROKEN_PART, "nightly"): text}, now=now)
