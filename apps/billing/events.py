"""Facts about money."""

from dataclasses import dataclass

from studyplatform.kit.events import Event


@dataclass(frozen=True, kw_only=True)
class OrderPaid(Event):
    order_id: int
    payment_id: int
    user_id: int


@dataclass(frozen=True, kw_only=True)
class PaymentRefunded(Event):
    refund_id: int
    payment_id: int
    user_id: int


@dataclass(frozen=True, kw_only=True)
class PremiumStarted(Event):
    subscription_id: int
    user_id: int


@dataclass(frozen=True, kw_only=True)
class PremiumEnded(Event):
    subscription_id: int
    user_id: int
