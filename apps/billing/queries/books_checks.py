"""What was found when the books were compared."""

from django.db.models import QuerySet

from apps.billing.models import BooksCheck


def latest_check(kind: str) -> BooksCheck | None:
    """Return the latest check that ended. One query."""
    return BooksCheck.objects.filter(kind=kind).exclude(state=BooksCheck.State.RUNNING).order_by("-started_at").first()


def running_checks() -> dict[str, BooksCheck]:
    """Return what is being compared at the moment, by kind. One query."""
    return {check.kind: check for check in BooksCheck.objects.filter(state=BooksCheck.State.RUNNING)}


def earlier_checks() -> QuerySet[BooksCheck]:
    """Return all checks that ended, the latest first, without their findings."""
    ended = BooksCheck.objects.exclude(state=BooksCheck.State.RUNNING)
    return ended.defer("findings").order_by("-started_at", "-pk")
