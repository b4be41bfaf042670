"""A user's transactions as a file."""

from collections.abc import Iterator
from heapq import merge

from django.utils.timezone import localtime

from apps.accounts.models import User
from apps.billing.models import Payment
from apps.billing.queries.transactions import StatementRow, disputes_of, of_dispute, of_payment, of_refund, refunds_of
from studyplatform.kit.text.csv_lines import csv_line
from studyplatform.kit.text.money import plain_amount

HEADER = (
    "date",
    "type",
    "description",
    "receipt",
    "amount",
    "tax",
    "currency",
    "state",
    "card",
    "promo_code",
    "method",
)


def csv_lines(user: User) -> Iterator[str]:
    """Yield the lines of a CSV file of all of the user's transactions, the newest first.

    The amounts add up to what the user paid and did not get back: a refund that failed, or isn't done, counts nothing.
    Three queries, read in parts: the rows of none are in memory at once.
    """
    yield csv_line(HEADER)
    payments = Payment.objects.of(user.pk).order_by("-paid_at", "-pk").iterator(500)
    refunds = refunds_of(user).select_related("payment").order_by("-at", "-pk").iterator(500)
    paid = (of_payment(each) for each in payments)
    returned = (of_refund(each, each.at) for each in refunds)
    disputes = disputes_of(user).select_related("payment").order_by("-at", "-pk").iterator(500)
    lost = (of_dispute(each, each.at) for each in disputes)
    for one in merge(paid, returned, lost, key=lambda each: each.at, reverse=True):
        yield csv_line(_csv_row(one))


def _csv_row(one: StatementRow) -> tuple[object, ...]:
    payment = one.payment
    return (
        localtime(one.at).date().isoformat(),
        "refund" if one.refund else "dispute" if one.dispute else payment.kind,
        payment.title,
        payment.receipt_number or "",
        plain_amount(one.moved, payment.currency),
        "" if one.gives_back else plain_amount(payment.tax, payment.currency),
        payment.currency.upper(),
        one.state,
        one.card,
        payment.promo_code,
        one.refund.method if one.refund else payment.method,
    )
