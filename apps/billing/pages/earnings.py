"""An instructor's earnings and payouts, with their details."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import date, timedelta
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.core.paginator import Paginator
from django.db.models import Sum
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from apps.accounts.guards import signed_in_user, teaches
from apps.billing.models import ConnectedAccount, EntryKind, Payout, PayoutAccount, PremiumEarning
from apps.billing.pages.charts import chart_of_earnings
from apps.billing.pages.earnings_choices import course_of, currency_of, period_of
from apps.billing.queries import earnings as queries
from apps.billing.queries import payouts as payout_queries
from apps.billing.queries.connected import missing
from apps.billing.queries.earnings import Earned, Part
from apps.billing.queries.milestones import milestones_of
from apps.billing.queries.pending_payouts import PARTS, pending_payout, pending_rows
from apps.billing.queries.periods import LATEST, Period, last_month_of, month_of, months_before

PAGE = 12
PAYOUTS = 12  # the latest that are shown


@teaches
@require_safe
@never_cache
def earnings(request: HttpRequest) -> HttpResponse:
    """What the user earned, the next payout, transactions and earlier payouts."""
    user, now = signed_in_user(request), timezone.now()
    today = timezone.localdate(now)
    parts = queries.earned_parts(user.pk)
    currency = currency_of(request, parts)
    months = queries.by_month(parts, currency)
    period, choices = period_of(request, parts, today)
    chosen = queries.within(parts, period)
    courses = queries.by_course(chosen, currency)
    course = course_of(request, parts)
    sums = queries.sums_by_course(chosen, currency).get(course, Earned())
    seconds = queries.premium_seconds(user.pk, currency)
    rows = queries.transactions(user.pk, currency, course, period)
    page = Counted(rows, PAGE, sums.count).get_page(request.GET.get("page"))
    payouts = list(Payout.objects.filter(instructor=user, currency=currency).order_by("-created_at", "-pk")[:PAYOUTS])
    day = payout_queries.next_payout_day(now.date())
    until = payout_queries.sales_until(day)
    pending = pending_payout(user.pk, currency, until=until, last=_last_going(payouts))
    this_month = today.replace(day=1)
    last_month = (this_month - timedelta(days=1)).replace(day=1)
    last = last_month_of(period, today)
    shown = [months_before(last, count) for count in reversed(range(LATEST))]
    connected = ConnectedAccount.objects.filter(user=user).first()
    return render(
        request,
        "billing/earnings/earnings.html",
        {
            "currency": currency,
            "currencies": sorted({part.currency for part in parts}),
            "share_percent": settings.INSTRUCTOR_SHARE,
            "zone": settings.TIME_ZONE,
            "total": sum(months.values(), Earned()),
            "first_month": next(iter(months), None),
            "this_month": this_month,
            "month": months.get(this_month, Earned()),
            "change": _change(months.get(last_month, Earned()).share, months.get(this_month, Earned()).share),
            "last_month": last_month,
            "chart": chart_of_earnings(shown, months, currency, today=today),
            "chart_months": [(month, months.get(month, Earned())) for month in shown],
            "chart_ends": last,
            "period": period,
            "periods": choices,
            "courses": courses,
            "course_shares": queries.present_shares(user.pk),
            "all_courses": _titles(parts, currency),
            "course": course,
            "minutes": _minutes(seconds, period),
            "page": page,
            "premium_minutes": {
                row.pk: seconds.get((month_of(row.occurred_at), row.course_id or 0), 0) // 60
                for row in page
                if row.kind == EntryKind.PREMIUM_SHARE
            },
            "sums": sums,
            "shown": _shown(currency, period, course),
            "pending": pending,
            "minimum": payout_queries.minimum(currency),
            "refund_days": settings.REFUND_DAYS,
            "payout_day": day,
            "sales_until": until,
            "payouts": payouts,
            "years": sorted({month.year for month in months}, reverse=True),
            "what_to_do": payout_queries.WHAT_TO_DO,
            "account": PayoutAccount.objects.filter(user=user).first(),
            "connected": connected,
            "missing": missing(connected.due) if connected else [],
            "milestones": milestones_of(user),
        },
    )


def _last_going(payouts: Iterable[Payout]) -> Payout | None:
    """The first of these payouts that did not fail and has started."""
    return next((each for each in payouts if each.state in (Payout.State.PROCESSING, Payout.State.SENT)), None)


@teaches
@require_safe
@never_cache
def next_payout(request: HttpRequest) -> HttpResponse:
    """The entries of the user's next payout, of a part of it, or of what waits for a later one: ?part={part}."""
    user = signed_in_user(request)
    currency = currency_of(request, queries.earned_parts(user.pk))
    payouts = Payout.objects.filter(instructor=user, currency=currency).order_by("-created_at", "-pk")
    last, day = _last_going(payouts[:PAYOUTS]), payout_queries.next_payout_day(timezone.now().date())
    until = payout_queries.sales_until(day)
    part = request.GET.get("part", "")
    part = part if part in PARTS else ""
    rows = pending_rows(user.pk, currency, part, until=until, last=last)
    context = {
        "currency": currency,
        "part": part,
        "parts": PARTS,
        "page": Paginator(rows, PAGE * 2).get_page(request.GET.get("page")),
        "sum": rows.aggregate(sum=Sum("share"))["sum"] or 0,
        "payout_day": day,
        "sales_until": until,
    }
    return render(request, "billing/earnings/next_payout.html", context)


class Counted(Paginator):  # type: ignore[type-arg]  # a page of entries
    """A paginator whose rows were counted already."""

    def __init__(self, rows: Any, size: int, count: int) -> None:
        super().__init__(rows, size)
        self.count = count


@teaches
@require_safe
@never_cache
def premium(request: HttpRequest) -> HttpResponse:
    """How Premium is shared, and what each month brought the user's courses."""
    user = signed_in_user(request)
    rows = PremiumEarning.objects.filter(instructor=user).select_related("shared", "course")
    page = Paginator(
        rows.order_by("-shared__month", "shared__currency", "-earned", "course__title"), PAGE * 2
    ).get_page(request.GET.get("page"))
    context = {"page": page, "share_percent": settings.INSTRUCTOR_SHARE}
    return render(request, "billing/earnings/premium.html", context)


def _shown(currency: str, period: Period, course: int | None) -> dict[str, str]:
    """The queries of the CSV files of what is shown."""
    statement = {"period": period.name}
    rows = {"currency": currency, **statement, **({"course": str(course)} if course is not None else {})}
    return {"statement": urlencode(statement), "transactions": urlencode(rows)}


def _titles(parts: list[Part], currency: str) -> list[tuple[int, str]]:
    """All courses with earnings, by title."""
    found = [(row.course, row.title) for row in queries.by_course(parts, currency) if row.course is not None]
    return sorted(found, key=lambda row: row[1].casefold())


def _minutes(seconds: dict[tuple[date, int], int], period: Period) -> dict[int, int]:
    """How many minutes subscribers watched of each course in a period."""
    found: Counter[int] = Counter()
    for (month, course), count in seconds.items():
        if period.has(month):
            found[course] += count
    return {course: count // 60 for course, count in found.items()}


def _change(before: int, now: int) -> float | None:
    """By how much the month differs from the one before, in percent; None without earnings to compare."""
    return (now - before) * 100 / before if before > 0 else None
