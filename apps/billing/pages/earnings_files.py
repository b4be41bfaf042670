"""CSV files of what an instructor earned."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.http import HttpRequest, StreamingHttpResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from apps.accounts.guards import signed_in_user, teaches
from apps.billing.pages.earnings_choices import course_of, currency_of, period_of
from apps.billing.queries import earnings as queries
from studyplatform.kit.text.csv_lines import csv_line
from studyplatform.kit.text.money import plain_amount


@teaches
@require_safe
@never_cache
def transactions_csv(request: HttpRequest) -> StreamingHttpResponse:
    """The transactions of the user in one currency and period as CSV."""
    user = signed_in_user(request)
    parts = queries.earned_parts(user.pk)
    period, _choices = period_of(request, parts, timezone.now().date())
    rows = queries.transactions(user.pk, currency_of(request, parts), course_of(request, parts), period)

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
    """What the user earned in each month of a period, by currency, as CSV."""
    parts = queries.earned_parts(signed_in_user(request).pk)
    period, _choices = period_of(request, parts, timezone.now().date())
    parts = queries.within(parts, period)

    def lines() -> Iterator[str]:
        yield csv_line(["month", "currency", "paid", "yours", "platform", "transactions"])
        for currency in sorted({part.currency for part in parts}):
            for month, earned in queries.by_month(parts, currency).items():
                amounts = (earned.paid, earned.share, earned.paid - earned.share)
                plain = [plain_amount(amount, currency) for amount in amounts]
                yield csv_line([f"{month:%Y-%m}", currency.upper(), *plain, earned.count])

    return _csv("statement.csv", lines())


def _csv(name: str, lines: Iterator[str]) -> StreamingHttpResponse:
    answer = StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer
