"""What the gateway returns: only the fields that the product uses."""

from dataclasses import dataclass
from datetime import datetime


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
    """A successful charge. ``fee``: minor units; None until the provider knows it."""

    id: str
    amount: int
    amount_refunded: int
    currency: str
    fee: int | None
    created: datetime
    card_brand: str
    card_last4: str


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
    """A refund."""

    id: str
    intent: str
    amount: int
    currency: str
    status: str
    failure: str
    created: datetime
    metadata: dict[str, str]


@dataclass(frozen=True)
class DisputeState:
    """A dispute."""

    id: str
    intent: str
    amount: int
    currency: str
    fee: int
    reason: str
    status: str
    created: datetime
