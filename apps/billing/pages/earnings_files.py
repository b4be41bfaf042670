"""Files of what an instructor earned: CSV lists, and statements of payouts and years as PDFs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from apps.accounts.guards import signed_in_user, teaches
from apps.billing import statements
from apps.billing.models import Payout
from apps.billing.pages.earnings_choices import course_of, currency_of, period_of
from apps.billing.queries import earnings as queries
from apps.billing.queries import yearly_earnings
from studyplatform.kit.errors import NotFound
from studyplatform.kit.text.csv_lines import csv_line
from studyplatform.kit.text.money import plain_amount
from studyplatform.kit.web.csv_response import csv_response


@teaches
@require_safe
@never_cache
def transactions_csv(request: HttpRequest) -> StreamingHttpResponse:
    """The transactions of the user in one currency and period as CSV."""
    user = signed_in_user(request)
    parts = queries.earned_parts(user.pk)
    period, _choices = period_of(request, parts, timezone.localdate())
    rows = queries.transactions(user.pk, currency_of(request, parts), course_of(request, parts), period)

    def lines() -> Iterator[str]:
        yield csv_line(["date", "kind", "title", "currency", "paid", "yours", "reference"])
        for row in rows.values().iterator(chunk_size=500):
            found: dict[str, Any] = dict(row)
            day, currency = timezone.localdate(row["occurred_at"]).isoformat(), row["currency"]
            amounts = [plain_amount(found[name] or 0, currency) for name in ("paid", "share")]
            yield csv_line([day, row["kind"], row["description"], currency.upper(), *amounts, row["uid"]])

    return csv_response(request, "transactions.csv", lines())


@teaches
@require_safe
@never_cache
def statement_csv(request: HttpRequest) -> StreamingHttpResponse:
    """What the user earned in each month of a period, by currency, as CSV."""
    parts = queries.earned_parts(signed_in_user(request).pk)
    period, _choices = period_of(request, parts, timezone.localdate())
    parts = queries.within(parts, period)

    def lines() -> Iterator[str]:
        yield csv_line(["month", "currency", "paid", "yours", "platform", "transactions"])
        for currency in sorted({part.currency for part in parts}):
            for month, earned in queries.by_month(parts, currency).items():
                amounts = (earned.paid, earned.share, earned.paid - earned.share)
                plain = [plain_amount(amount, currency) for amount in amounts]
                yield csv_line([f"{month:%Y-%m}", currency.upper(), *plain, earned.count])

    return csv_response(request, "statement.csv", lines())


@teaches
@require_safe
@never_cache
def payout_statement(request: HttpRequest, uid: UUID) -> HttpResponse:
    """The statement of one of the user's payouts, or of anyone's for admins, as a PDF."""
    user = signed_in_user(request)
    mine = Payout.objects.select_related("instructor")
    payout = (mine if user.is_admin else mine.filter(instructor=user)).filter(uid=uid).first()
    if payout is None:
        raise NotFound
    return _pdf(statements.payout_statement(payout), f"payout-{timezone.localdate(payout.created_at):%Y-%m-%d}.pdf")


@teaches
@require_safe
@never_cache
def year_statement(request: HttpRequest, year: int) -> HttpResponse:
    """What the user earned and was paid in a year, as a PDF."""
    user = signed_in_user(request)
    currency = currency_of(request, queries.earned_parts(user.pk))
    if not 1970 <= year <= timezone.localdate().year:
        raise NotFound
    found = yearly_earnings.of_year(year, currency, instructor_id=user.pk)
    if not found:
        raise NotFound
    return _pdf(statements.yearly_statement(user, year, currency, found[0]), f"earnings-{year}.pdf")


def _pdf(content: bytes, name: str) -> HttpResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(content, content_type="application/pdf", headers=headers)
