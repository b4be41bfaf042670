"""Findings that authors ignore, and the checks of addresses of other sites."""

from collections.abc import Callable
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Q

from apps.accounts.models import User
from apps.courses import policies
from apps.courses.errors import FindingNotFound, FindingRequired
from apps.courses.link_checker import Ask, Outcome, WebClient, check_address, digest_of
from apps.courses.models import Course, IgnoredFinding, LinkCheck
from apps.courses.queries.findings import addresses_of, find_all
from studyplatform.kit import jobs
from studyplatform.kit.policies import enforce

MAX_CHECKS_AT_ONCE = 200
"""Addresses of one course that one job asks for; the others follow the next night."""
FAILURES_UNTIL_DEAD = 3
RETRY_DELAYS = (timedelta(minutes=10), timedelta(hours=6))
CHECKED_AGAIN = {
    LinkCheck.State.ALIVE: timedelta(days=7),
    LinkCheck.State.DEAD: timedelta(days=1),
    LinkCheck.State.UNSURE: timedelta(days=3),
}
KEPT_UNUSED = timedelta(days=60)


def ignore_finding(*, course: Course, by: User, key: str, reason: str, now: datetime) -> None:
    """Ignore a finding for a reason, until what it is about changes. Idempotent.

    It belongs to the published course, so that its next versions ignore it too: findings have the same keys in both.

    :raises FindingNotFound: the course has no such finding now.
    :raises FindingRequired: the course can't be submitted without it.
    """
    enforce(policies.edit_course(by, course))
    found = next((one for one in find_all(course) if one.key == key), None)
    if found is None:
        raise FindingNotFound
    if found.is_required:
        raise FindingRequired
    facts = {"reason": " ".join(reason.split())[:300], "ignored_by": by, "ignored_at": now}
    IgnoredFinding.objects.update_or_create(course_id=course.live_id, key=key, defaults=facts)


def restore_finding(*, course: Course, by: User, key: str) -> None:
    """Show an ignored finding again. Idempotent."""
    enforce(policies.edit_course(by, course))
    IgnoredFinding.objects.filter(course=course.live_id, key=key).delete()


def request_link_check(*, course: Course, by: User) -> None:
    """Let a job check the links of the course soon. One at a time."""
    enforce(policies.manage_course(by, course))
    if settings.LINK_CHECKS:
        jobs.enqueue("courses.check_links", key=str(course.uid), uid=str(course.uid))


def check_links(
    *, course: Course, now: datetime, extend_lease: Callable[[], None] = lambda: None, ask: Ask | None = None
) -> int:
    """Check the addresses of the course that are due; return how many were asked for.

    If no website answers, our own network is down: then nothing is learned but of addresses that are wrong as written.
    """
    addresses = {digest_of(one): one for one in addresses_of(course)}
    rows = [LinkCheck(digest=digest, address=address, due_at=now) for digest, address in addresses.items()]
    LinkCheck.objects.bulk_create(rows, ignore_conflicts=True, batch_size=500)
    due = list(LinkCheck.objects.filter(digest__in=addresses, due_at__lte=now).order_by("due_at")[:MAX_CHECKS_AT_ONCE])
    if not due:
        return 0
    outcomes: list[tuple[LinkCheck, Outcome]] = []
    ask = ask or WebClient().ask
    for row in due:
        extend_lease()
        outcomes.append((row, check_address(row.address, ask)))
    if not any(outcome.is_answered for _row, outcome in outcomes):
        outcomes = [(row, outcome) for row, outcome in outcomes if not outcome.needs_network]
    for row, outcome in outcomes:
        _record(row, outcome, now)
    again = [row.due_at for row, _outcome in outcomes if row.due_at - now <= RETRY_DELAYS[-1]]
    if again:
        uid = str(course.uid)
        jobs.enqueue("courses.check_links", key=f"{uid} again", delay=min(again) - now, uid=uid)
    return len(due)


def _record(row: LinkCheck, outcome: Outcome, now: datetime) -> None:
    row.failures = 0 if outcome.state == LinkCheck.State.ALIVE else row.failures + 1
    row.status, row.checked_at = outcome.status, now
    if not outcome.is_final and row.failures < FAILURES_UNTIL_DEAD:
        # What worked before counts as working until it has failed several times.
        row.due_at = now + RETRY_DELAYS[min(row.failures, len(RETRY_DELAYS)) - 1]
    else:
        row.state, row.detail = outcome.state, outcome.detail[:120]
        again = CHECKED_AGAIN[LinkCheck.State(outcome.state)]
        row.due_at = now + max(again, timedelta(seconds=outcome.wait_seconds))
    row.save(update_fields=["failures", "status", "checked_at", "state", "detail", "due_at"])


def plan_link_checks(*, now: datetime) -> None:
    """Plan the checks of all courses that learners see or authors write, and forget addresses that none has."""
    if not settings.LINK_CHECKS:
        return
    LinkCheck.objects.filter(due_at__lt=now - KEPT_UNUSED).delete()
    seen = Q(status__in=[Course.Status.PUBLISHED, Course.Status.REVIEW]) | Q(updated_at__gte=now - timedelta(days=30))
    with transaction.atomic():
        for uid in Course.objects.filter(seen).values_list("uid", flat=True):
            jobs.enqueue("courses.check_links", key=str(uid), uid=str(uid))


def plan_next_link_checks(*, now: datetime) -> None:
    """Plan the checks of tomorrow night."""
    at = (now + timedelta(days=1)).replace(hour=4, minute=10, second=0, microsecond=0)
    jobs.enqueue("courses.plan_link_checks", key=at.date().isoformat(), delay=at - now)
