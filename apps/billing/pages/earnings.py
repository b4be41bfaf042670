"""An instructor's earnings and payouts, with their details and CSV files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from apps.accounts import policies
from apps.accounts.guards import recently_authenticated, signed_in_user, teaches
from apps.accounts.models import User
from apps.billing import forms, services
from apps.billing.models import EarningsMilestone, Payout, PayoutAccount
from apps.billing.queries import earnings as queries
from apps.billing.queries import payouts as payout_queries
from apps.billing.queries.earnings import Earned, Part
from studyplatform.kit.policies import enforce
from studyplatform.kit.text.csv_lines import csv_line
from studyplatform.kit.text.money import minor_units, plain_amount

PAGE = 12
PAYOUTS = 12  # the latest that are shown
MONTHS = 12


@dataclass(frozen=True)
class Bar:
    """A month of the chart; heights in percent of the plot."""

    month: date
    earned: Earned
    share_height: float
    platform_height: float


@teaches
@require_safe
@never_cache
def earnings(request: HttpRequest) -> HttpResponse:
    """What the user earned, the next payout, transactions and earlier payouts."""
    user, now = signed_in_user(request), timezone.now()
    parts = queries.earned_parts(user.pk)
    currency = _currency(request, parts)
    months = queries.by_month(parts, currency)
    courses = queries.by_course(parts, currency)
    course = _course(request, parts)
    counts = queries.transaction_counts(parts, currency)
    page = Counted(queries.transactions(user.pk, currency, course), PAGE, counts[course]).get_page(
        request.GET.get("page")
    )
    payouts = list(Payout.objects.filter(instructor=user, currency=currency).order_by("-created_at", "-pk")[:PAYOUTS])
    going = [each for each in payouts if each.state in (Payout.State.PROCESSING, Payout.State.SENT)]
    day = payout_queries.next_payout_day(now.date())
    until = payout_queries.sales_until(day)
    pending = queries.pending_payout(user.pk, currency, until=until, last=going[0] if going else None)
    this_month = now.date().replace(day=1)
    last_month = (this_month - timedelta(days=1)).replace(day=1)
    chart, top = _chart(months, this_month, currency)
    return render(
        request,
        "billing/earnings/earnings.html",
        {
            "currency": currency,
            "currencies": sorted({part.currency for part in parts}),
            "share_percent": settings.INSTRUCTOR_SHARE,
            "total": sum(months.values(), Earned()),
            "first_month": next(iter(months), None),
            "this_month": this_month,
            "month": months.get(this_month, Earned()),
            "change": _change(months.get(last_month, Earned()).share, months.get(this_month, Earned()).share),
            "last_month": last_month,
            "bars": chart,
            "top": top,
            "courses": courses,
            "course": course,
            "page": page,
            "pending": pending,
            "minimum": payout_queries.minimum(currency),
            "refund_days": settings.REFUND_DAYS,
            "payout_day": day,
            "sales_until": until,
            "payouts": payouts,
            "what_to_do": payout_queries.WHAT_TO_DO,
            "account": PayoutAccount.objects.filter(user=user).first(),
            "milestones": _milestones(user),
        },
    )


class Counted(Paginator):  # type: ignore[type-arg]  # a page of entries
    """A paginator whose rows were counted already."""

    def __init__(self, rows: Any, size: int, count: int) -> None:
        super().__init__(rows, size)
        self.count = count


@teaches
@require_safe
@never_cache
def transactions_csv(request: HttpRequest) -> StreamingHttpResponse:
    """All transactions of the user in one currency as CSV."""
    user = signed_in_user(request)
    parts = queries.earned_parts(user.pk)
    rows = queries.transactions(user.pk, _currency(request, parts), _course(request, parts))

    def lines() -> Iterator[str]:
        yield csv_line(["date", "kind", "title", "currency", "paid", "yours", "reference"])
        for row in rows.values().iterator(chunk_size=500):
            found: dict[str, Any] = dict(row)
            day, currency = row["occurred_at"].date().isoformat(), row["currency"]
            amounts = [plain_amount(found[name] or 0, currency) for name in ("paid", "share")]
            yield csv_line([day, row["kind"], row["description"], currency.upper(), *amounts, row["uid"]])

    return _csv("transactions.csv", lines())


@teaches
@require_safe
@never_cache
def statement_csv(request: HttpRequest) -> StreamingHttpResponse:
    """What the user earned in each month and currency as CSV."""
    parts = queries.earned_parts(signed_in_user(request).pk)

    def lines() -> Iterator[str]:
        yield csv_line(["month", "currency", "paid", "yours", "platform", "transactions"])
        for currency in sorted({part.currency for part in parts}):
            for month, earned in queries.by_month(parts, currency).items():
                amounts = (earned.paid, earned.share, earned.paid - earned.share)
                plain = [plain_amount(amount, currency) for amount in amounts]
                yield csv_line([f"{month:%Y-%m}", currency.upper(), *plain, earned.count])

    return _csv("statement.csv", lines())


@recently_authenticated
@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def details(request: HttpRequest) -> HttpResponse:
    """Where the user's payouts go. The number of an account is never shown again, so the form begins without it."""
    user = signed_in_user(request)
    enforce(policies.teach(user))
    account = PayoutAccount.objects.filter(user=user).first()
    known = {"holder": account.holder, "bank_code": account.bank_code} if account else {"holder": user.get_full_name()}
    form = forms.PayoutDetails(request.POST if request.method == "POST" else None, initial=known)
    if form.is_valid():
        services.save_bank_account(user=user, now=timezone.now(), **form.cleaned_data)
        messages.success(request, _("Your payout details are saved."))
        return redirect("billing:earnings")
    context = {"form": form, "account": account}
    return render(request, "billing/earnings/details.html", context, status=422 if form.errors else 200)


def _currency(request: HttpRequest, parts: list[Part]) -> str:
    """The requested currency if there are earnings in it, else the site's or the first one with any."""
    found = {part.currency for part in parts}
    wanted = request.GET.get("currency", "")
    if wanted in found:
        return wanted
    return settings.CURRENCY if settings.CURRENCY in found or not found else min(found)


def _course(request: HttpRequest, parts: list[Part]) -> int | None:
    wanted = request.GET.get("course", "")
    return next((part.course for part in parts if part.course is not None and str(part.course) == wanted), None)


def _change(before: int, now: int) -> float | None:
    """By how much the month differs from the one before, in percent; None without earnings to compare."""
    return (now - before) * 100 / before if before > 0 else None


def _chart(months: dict[date, Earned], this_month: date, currency: str) -> tuple[list[Bar], int]:
    """The bars of the last twelve months, and the amount at the top of the plot."""
    shown = [this_month]
    while len(shown) < MONTHS:
        shown.insert(0, (shown[0] - timedelta(days=1)).replace(day=1))
    most = max((months.get(month, Earned()).paid for month in shown), default=0)
    top = _round_up(most, minor_units(currency))
    bars = []
    for month in shown:
        earned = months.get(month, Earned())
        paid, share = max(earned.paid, 0), min(max(earned.share, 0), max(earned.paid, 0))
        bars.append(Bar(month, earned, round(share * 100 / top, 2), round((paid - share) * 100 / top, 2)))
    return bars, top


def _round_up(amount: int, unit: int) -> int:
    """The next 1, 2, 4, 6, 8 or 10 times a power of ten of whole units that is not smaller, so that half is round."""
    step = 10 * unit
    while step * 10 < amount:
        step *= 10
    return next(step * factor for factor in (1, 2, 4, 6, 8, 10) if step * factor >= amount)


def _milestones(user: User) -> list[tuple[str, EarningsMilestone | None]]:
    """Each milestone in words, with its row if the user reached it."""
    reached = {row.name: row for row in EarningsMilestone.objects.filter(user=user)}
    return [(services.milestone_label(name), reached.get(name)) for name in EarningsMilestone.Name.values]


def _csv(name: str, lines: Iterator[str]) -> StreamingHttpResponse:
    answer = StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer
