"""Billing's part of a user's data archive."""

from collections.abc import Iterator

from apps.accounts.models import User
from apps.accounts.services import Part, register_export
from apps.billing.models import (
    Bundle,
    BuyerDetails,
    Card,
    ConnectedAccount,
    Deposit,
    Document,
    EarningsMilestone,
    Gift,
    Grant,
    LedgerLine,
    Order,
    OrderLine,
    Payment,
    Payout,
    PayoutAccount,
    PremiumEarning,
    PromoCode,
    Redemption,
    Refund,
    Seat,
    SeatPack,
    SeatUse,
    Subscription,
    TaxDetails,
    Team,
)
from apps.billing.models.buyers import SNAPSHOT_FIELDS


@register_export("billing")
def of_billing(user: User) -> Iterator[Part]:
    earnings = LedgerLine.objects.filter(account__instructor_id=user.pk).order_by("entry__occurred_at", "pk")
    yield Part(
        "billing/earnings.json",
        earnings.values(
            "entry__occurred_at", "entry__kind", "entry__description", "entry__total", "amount", "currency"
        ).iterator(),
    )
    sold = OrderLine.objects.filter(instructor=user, order__status=Order.Status.PAID).order_by("pk")
    yield Part(
        "billing/sales.json",
        sold.values(
            "title", "list_price", "discount", "total", "tax", "share", "order__currency", "order__settled_at"
        ).iterator(),
    )
    mine = {"user": user}
    orders = Order.objects.filter(**mine).order_by("pk")
    yield Part(
        "billing/orders.json",
        orders.values(
            "number", "title", "list_price", "discount", "total", "tax", "currency", "country", "email",
            "promo_code__code", "status", "method", "due_at", "cancel_reason", "buyer", "evidence", "created_at",
            "settled_at",
        ).iterator(),
    )  # fmt: skip
    deposits = Deposit.objects.filter(order__user=user).order_by("pk")
    yield Part(
        "billing/deposits.json",
        deposits.values("order__number", "amount", "applied", "charges", "received_on", "returned_on").iterator(),
    )
    payments = Payment.objects.filter(**mine).order_by("pk")
    yield Part(
        "billing/payments.json",
        payments.values(
            "receipt_number", "method", "title", "list_price", "discount", "promo_code", "amount", "tax", "currency",
            "country", "email", "card_brand", "card_last4", "tax_treatment", "tax_evidence", "refunded", "paid_at",
        ).iterator(),
    )  # fmt: skip
    issued = Document.objects.filter(**mine).order_by("pk")
    yield Part(
        "billing/documents.json",
        issued.values(
            "kind", "number", "issued_at", "total", "tax", "currency", "snapshot__facts", "sha256"
        ).iterator(),
    )
    details = BuyerDetails.objects.filter(**mine)
    yield Part("billing/buyer_details.json", details.values(*SNAPSHOT_FIELDS, "vat_id_checked_at", "updated_at"))
    refunds = Refund.objects.filter(payment__user=user).order_by("pk")
    yield Part(
        "billing/refunds.json",
        refunds.values(
            "payment__receipt_number", "amount", "status", "method", "reason", "decision", "requested_at", "done_at",
            "holder", "bank_code", "last4", "returned_on",
        ).iterator(),
    )  # fmt: skip
    subscriptions = Subscription.objects.filter(**mine).order_by("pk")
    yield Part(
        "billing/subscriptions.json",
        subscriptions.values(
            "plan",
            "status",
            "price",
            "currency",
            "country",
            "email",
            "started_at",
            "period_end",
            "next_at",
            "next_amount",
            "later_charges",
            "ended_at",
        ).iterator(),
    )
    cards = Card.objects.filter(**mine).order_by("pk")
    yield Part("billing/cards.json", cards.values("brand", "last4", "exp_month", "exp_year", "created_at").iterator())
    access = Grant.objects.filter(**mine).order_by("pk")
    yield Part("billing/access.json", access.values("course__title", "source", "created_at", "ended_at").iterator())
    gifts = Gift.objects.filter(order__user=user).order_by("pk")
    yield Part(
        "billing/gifts.json",
        gifts.values(
            "order__number", "order__title", "sender_name", "recipient_name", "recipient_email", "message", "send_at",
            "sent_at", "redeemed_at",
        ).iterator(),
    )  # fmt: skip
    received = Gift.objects.filter(redeemed_by=user).order_by("pk")
    yield Part(
        "billing/gifts_received.json",
        received.values("order__title", "sender_name", "recipient_name", "message", "redeemed_at").iterator(),
    )
    yield from _seats_of(user)
    bundles = Bundle.objects.filter(instructor=user).order_by("pk")
    yield Part("billing/bundles.json", bundles.values("title", "summary", "price", "currency", "created_at").iterator())
    codes = PromoCode.objects.filter(created_by=user).order_by("pk")
    yield Part("billing/promo_codes.json", codes.values("code", "percent", "amount", "used", "created_at").iterator())
    used = Redemption.objects.filter(**mine).order_by("pk")
    yield Part("billing/promo_codes_used.json", used.values("code__code", "state", "created_at").iterator())
    payouts = Payout.objects.filter(instructor=user).order_by("created_at")
    yield Part(
        "billing/payouts.json",
        payouts.values(
            "created_at", "amount", "amount_reversed", "currency", "state", "holder", "bank_code", "last4", "failure",
            "settled_at",
        ).iterator(),
    )  # fmt: skip
    # The account number is left out, so that an archive that falls into wrong hands does not contain it.
    account = PayoutAccount.objects.filter(user=user)
    yield Part("billing/payout_account.json", account.values("method", "holder", "bank_code", "last4", "changed_at"))
    # So are the tax number, and the date and place of birth.
    tax = TaxDetails.objects.filter(user=user)
    yield Part(
        "billing/tax_details.json",
        tax.values(
            "is_company", "name", "street", "extra", "postal_code", "city", "region", "country", "residence", "vat_id",
            "registration_number", "number_end", "confirmed_at",
        ),
    )  # fmt: skip
    premium = PremiumEarning.objects.filter(instructor=user).order_by("shared__month", "pk")
    yield Part(
        "billing/premium_earnings.json",
        premium.values("shared__month", "shared__currency", "course__title", "seconds", "part", "earned").iterator(),
    )
    connected = ConnectedAccount.objects.filter(user=user)
    yield Part(
        "billing/connected_account.json",
        connected.values("gateway_id", "details_submitted", "payouts_enabled", "last4", "created_at"),
    )
    milestones = EarningsMilestone.objects.filter(user=user).order_by("reached_at")
    yield Part("billing/milestones.json", milestones.values("name", "reached_at").iterator())


def _seats_of(user: User) -> Iterator[Part]:
    """The teams of a user with what was bought for them and whom they invited, and the seats that the user held."""
    teams = Team.objects.of(user.pk).order_by("pk")
    yield Part("billing/teams.json", teams.values("name", "domain", "is_domain_open", "created_at").iterator())
    packs = SeatPack.objects.filter(team__owner=user).order_by("pk")
    yield Part(
        "billing/team_seats.json",
        packs.values(
            "team__name", "order__number", "kind", "course__title", "seats", "state", "starts_at", "ends_at", "ended_at"
        ).iterator(),
    )
    invited = Seat.objects.filter(pack__team__owner=user).exclude(email="").order_by("pk")
    yield Part("billing/seat_invitations.json", invited.values("pack__team__name", "email", "invited_at").iterator())
    held = SeatUse.objects.filter(user=user).order_by("pk")
    yield Part(
        "billing/seats_held.json",
        held.values(
            "seat__pack__team__name", "seat__pack__course__title", "email", "started_at", "ended_at"
        ).iterator(),
    )
