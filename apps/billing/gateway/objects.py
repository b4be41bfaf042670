"""What the gateway returns: only the fields that the product uses."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Listed(Generic[T]):
    """A row of one of the provider's lists. ``read`` translates it: what breaks there breaks this row alone."""

    id: str
    read: Callable[[], T]


@dataclass(frozen=True)
class Failure:
    """Why an attempt to pay failed. ``kind`` is a kind of ``gateway.errors``."""

    kind: str
    message: str


@dataclass(frozen=True)
class CardState:
    """A saved card."""

    id: str
    customer: str | None
    brand: str
    last4: str
    exp_month: int
    exp_year: int


@dataclass(frozen=True)
class ChargeState:
    """A successful charge. ``fee``: minor units; None until the provider knows it. ``card_country``: of the bank that
    issued the card, or ""."""

    id: str
    amount: int
    amount_refunded: int
    currency: str
    fee: int | None
    created: datetime
    card_brand: str
    card_last4: str
    card_country: str = ""


@dataclass(frozen=True)
class IntentState:
    """A payment or setup intent. ``status`` as the provider names it
    (https://docs.stripe.com/payments/paymentintents/lifecycle). ``saves_card``: for later payments."""

    id: str
    status: str
    client_secret: str
    customer: str | None
    payment_method: str | None
    amount: int = 0
    currency: str = ""
    charge: ChargeState | None = None
    failure: Failure | None = None
    saves_card: bool = False


@dataclass(frozen=True)
class RefundState:
    """A refund. ``is_taken``: its amount has left the balance. ``fee``: what the provider charges for it."""

    id: str
    intent: str
    amount: int
    currency: str
    status: str
    failure: str
    created: datetime
    metadata: dict[str, str]
    is_taken: bool = True
    fee: int = 0


@dataclass(frozen=True)
class DisputeState:
    """A dispute. ``withdrawn`` and ``reinstated``: what the provider took from the balance, and what it gave back;
    ``fee`` and ``fee_returned`` likewise. ``answer_by``: until when evidence can be submitted; None if it can't be."""

    id: str
    intent: str
    amount: int
    currency: str
    withdrawn: int
    reinstated: int
    fee: int
    fee_returned: int
    reason: str
    status: str
    created: datetime
    answer_by: datetime | None


@dataclass(frozen=True)
class InvoiceAmounts:
    """What an invoice comes to: subtotal - discount + balance_before - balance_after = amount_due.

    The balances are the customer's: negative is credit, positive is what was too little to be charged before
    (https://docs.stripe.com/billing/customer/balance).
    """

    subtotal: int
    discount: int
    balance_before: int
    balance_after: int
    amount_due: int
    currency: str


@dataclass(frozen=True)
class DiscountState:
    """A discount of a subscription. ``percent`` or ``amount``; ``once``: only the next invoice; ``ends_at``: None for
    one that never ends. ``coupon``: its id."""

    id: str
    coupon: str
    percent: Decimal | None
    amount: int
    once: bool
    ends_at: datetime | None


@dataclass(frozen=True)
class SubscriptionState:
    """A subscription. ``status`` as the provider names it
    (https://docs.stripe.com/billing/subscriptions/overview#subscription-statuses).

    ``client_secret`` confirms the payment of its open invoice ``due``, ``due_since`` is when that invoice was made.
    ``interval``: "month" or "year". ``anchor``: the moment whose day each period begins on. ``reference``: our own id.
    ``discounts`` are known only from :func:`get_subscription`.
    """

    id: str
    status: str
    customer: str
    reference: str
    item: str
    price: str
    interval: str
    amount: int
    currency: str
    period_start: datetime
    period_end: datetime
    trial_end: datetime | None
    cancels_at_period_end: bool
    started_at: datetime
    ended_at: datetime | None
    client_secret: str
    due: InvoiceAmounts | None
    due_since: datetime | None
    anchor: datetime
    discounts: tuple[DiscountState, ...] = ()


@dataclass(frozen=True)
class InvoiceState:
    """An invoice. ``intent``: the payment that paid it; None if nothing was charged. ``credit``: for the unused time of
    a former plan, positive; it is deducted in the subtotal. ``price``: what it charges; "" if that is no price of the
    provider's."""

    id: str
    status: str
    subscription: str
    customer: str
    currency: str
    subtotal: int
    total: int
    amount_due: int
    amount_paid: int
    reason: str
    created: datetime
    period_start: datetime
    period_end: datetime
    intent: str | None
    price: str = ""
    credit: int = 0


@dataclass(frozen=True)
class AccountState:
    """A connected account. ``payouts_enabled``: it can receive transfers and pay them out. ``due``: what the provider
    still needs, by its names (https://docs.stripe.com/api/accounts/object#account_object-requirements).
    ``checking``: the provider checks what was given. ``last4``: of the bank account that payouts go to.
    """

    id: str
    details_submitted: bool
    payouts_enabled: bool
    due: tuple[str, ...]
    checking: bool
    last4: str


@dataclass(frozen=True)
class ChangePreview:
    """What a change of plan costs today. ``credit``: for the unused part of the former plan; positive.

    ``invoice``: all amounts, of the first payment after the trial if nothing is charged today. ``count`` payments in a
    row are that amount (0: all); ``later``: what follows, each amount with its first day and its count.
    """

    amount_due: int
    credit: int
    currency: str
    moment: datetime
    period_end: datetime
    invoice: InvoiceAmounts | None = None
    count: int = 0
    later: tuple[tuple[int, datetime, int], ...] = ()
