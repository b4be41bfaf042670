"""Refusals about money."""

from apps.billing.errors.bundles import BundleNotForSale, BundleNotFound, BundleOwned, BundleRefused
from apps.billing.errors.cards import CardExpired, CardInUse, TooManyCards
from apps.billing.errors.gifts import GiftCodeUnknown, GiftOnHold, GiftOwned, GiftRedeemed, GiftRefused
from apps.billing.errors.payments import (
    AlreadyOwned,
    CardDeclined,
    CountryMissing,
    NotForSale,
    PaymentProcessingError,
    PaymentRefused,
    PriceChanged,
    TermsNotAccepted,
)
from apps.billing.errors.payouts import (
    EntryPosted,
    NothingToReverse,
    PayoutInProgress,
    PayoutTransferred,
    ReversalRefused,
)
from apps.billing.errors.premium import (
    AlreadySubscribed,
    NothingDue,
    NotSubscribed,
    PlanChangeInProgress,
    PlanNotOffered,
    StillSubscribed,
    SubscriptionExpired,
)
from apps.billing.errors.promo import PromoCodeInUse, PromoCodeRefused, PromoCodeTaken, PromoLimitTooLow
from apps.billing.errors.refunds import (
    EarningsUnpaid,
    NothingToRefund,
    RefundDecided,
    RefundPending,
    RefundTermsChanged,
)
from apps.billing.errors.seats import SeatChangesUsed, SeatHeldAlready, SeatNotFree
from apps.billing.errors.transfers import OrderSettled, TransferRefused

__all__ = [
    "AlreadyOwned",
    "AlreadySubscribed",
    "BundleNotForSale",
    "BundleNotFound",
    "BundleOwned",
    "BundleRefused",
    "CardDeclined",
    "CardExpired",
    "CardInUse",
    "CountryMissing",
    "EarningsUnpaid",
    "EntryPosted",
    "GiftCodeUnknown",
    "GiftOnHold",
    "GiftOwned",
    "GiftRedeemed",
    "GiftRefused",
    "NotForSale",
    "NotSubscribed",
    "NothingDue",
    "NothingToRefund",
    "NothingToReverse",
    "OrderSettled",
    "PaymentProcessingError",
    "PaymentRefused",
    "PayoutInProgress",
    "PayoutTransferred",
    "PlanChangeInProgress",
    "PlanNotOffered",
    "PriceChanged",
    "PromoCodeInUse",
    "PromoCodeRefused",
    "PromoCodeTaken",
    "PromoLimitTooLow",
    "RefundDecided",
    "RefundPending",
    "RefundTermsChanged",
    "ReversalRefused",
    "SeatChangesUsed",
    "SeatHeldAlready",
    "SeatNotFree",
    "StillSubscribed",
    "SubscriptionExpired",
    "TermsNotAccepted",
    "TooManyCards",
    "TransferRefused",
]
