"""Tell admins what waits for them: refund requests, disputes, payouts that did not arrive, missing tax rates."""

from datetime import datetime

from django.db.models import QuerySet
from django.utils.timezone import get_default_timezone, localdate
from django.utils.translation import gettext

from apps.accounts import services as people
from apps.accounts.models import Role, User
from apps.billing.countries import country_name
from apps.billing.models import Dispute, Payment, Payout, Refund
from apps.billing.queries.tax_rates import lacks_rate
from studyplatform.kit.text.money import money
from studyplatform.kit.web.dates import show_site_date

REFUNDS_PAGE = "/dashboard/admin/refunds"
DISPUTES_PAGE = "/dashboard/admin/disputes"
BANK_PAGE = "/dashboard/admin/bank"
PAYOUTS_PAGE = "/dashboard/admin/payouts"


def tell_admins_of_request(refund: Refund, *, now: datetime) -> None:
    """Notify the admins of a refund that waits for a decision. One notification per request."""
    payment = refund.payment
    people.notify_all(
        "billing.refund_requested",
        _admins(),
        REFUNDS_PAGE,
        refund.uid.hex,
        now=now,
        name=payment.user.display_name,
        amount=money(refund.amount, payment.currency, cents=True),
        title=payment.title,
        reason=refund.reason or "–",
    )


def tell_admins_of_dispute(dispute: Dispute, *, now: datetime) -> None:
    """Notify the admins of a dispute and of its deadline. One notification per dispute."""
    payment = dispute.payment
    deadline = gettext("It can't be answered.")
    if dispute.answer_by is not None:
        day = show_site_date(dispute.answer_by.astimezone(get_default_timezone()))
        deadline = gettext("Answer at the payment provider by %(date)s, or the money is lost.") % {"date": day}
    people.notify_all(
        "billing.dispute_opened",
        _admins(),
        DISPUTES_PAGE,
        dispute.gateway_id,
        now=now,
        name=payment.user.display_name,
        amount=money(dispute.amount, payment.currency, cents=True),
        title=payment.title,
        deadline=deadline,
    )


def tell_admins_of_failed_payout(payout: Payout, *, now: datetime) -> None:
    """Notify the admins of a payout that did not arrive or was taken back. One notification for each time."""
    key = f"{payout.key} {payout.amount_reversed}" if payout.amount_reversed else payout.key
    people.notify_all(
        "billing.payout_not_sent",
        _admins(),
        f"{PAYOUTS_PAGE}?state=failed",
        key,
        now=now,
        name=payout.instructor.display_name,
        amount=money(payout.amount, payout.currency, cents=True),
        reason=str(Payout.Failure(payout.failure).label),
    )


def tell_admins_of_found_transfer(payout: Payout, transfer: str, amount: int, *, now: datetime) -> None:
    """Notify the admins of a transfer that left although its payout had failed, or was sent. One per transfer."""
    people.notify_all(
        "billing.payout_found",
        _admins(),
        PAYOUTS_PAGE,
        transfer,
        now=now,
        name=payout.instructor.display_name,
        amount=money(amount, payout.currency, cents=True),
    )


def tell_admins_of_missing_rate(payment: Payment, *, now: datetime) -> None:
    """Notify the admins of a sale without tax to a country of the EU that has no rate. Once a year per country."""
    if lacks_rate(payment, localdate(now)):
        people.notify_all(
            "billing.tax_rate_missing",
            _admins(),
            BANK_PAGE,
            f"{payment.country} {localdate(now).year}",
            now=now,
            country=country_name(payment.country),
            amount=money(payment.amount, payment.currency, cents=True),
        )


def _admins() -> QuerySet[User]:
    return User.objects.filter(role=Role.ADMIN, is_active=True)
