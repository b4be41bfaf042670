"""Money: who pays, what was sold, what it opens, and the books."""

from apps.billing.models.access import Grant
from apps.billing.models.books import BalanceHistory, BalanceTransaction, BooksDifference, ManualEntry
from apps.billing.models.bundles import MAX_COURSES_IN_BUNDLE, MIN_COURSES_IN_BUNDLE, Bundle, BundleCourse
from apps.billing.models.buyers import BuyerDetails
from apps.billing.models.checks import BooksCheck
from apps.billing.models.customers import Card, Customer
from apps.billing.models.deposits import Deposit
from apps.billing.models.documents import DOCUMENT_TRIGGERS, Document, DocumentIsFinal, DocumentSeries
from apps.billing.models.gifts import MAX_GIFT_MESSAGE_LENGTH, Gift
from apps.billing.models.ledger import (
    DESCRIPTION_LENGTH,
    ITEMS_PER_PART,
    LEDGER_TRIGGERS,
    AccountType,
    EntryKind,
    LedgerAccount,
    LedgerEntry,
    LedgerLine,
)
from apps.billing.models.orders import Order, OrderLine
from apps.billing.models.payments import Dispute, Payment, ReceiptSeries, Refund
from apps.billing.models.payouts import (
    OPEN_STATES,
    ConnectedAccount,
    EarningsMilestone,
    Payout,
    PayoutAccount,
    PayoutRun,
)
from apps.billing.models.premium_shares import PremiumContribution, PremiumEarning, PremiumMonth
from apps.billing.models.promo import PromoCode, Redemption
from apps.billing.models.subscriptions import Subscription
from apps.billing.models.tax_details import TaxDetails, TaxDetailsReminder
from apps.billing.models.teams import MAX_TEAM_NAME_LENGTH, Seat, SeatPack, SeatUse, Team

__all__ = [
    "DESCRIPTION_LENGTH",
    "DOCUMENT_TRIGGERS",
    "ITEMS_PER_PART",
    "LEDGER_TRIGGERS",
    "MAX_COURSES_IN_BUNDLE",
    "MAX_GIFT_MESSAGE_LENGTH",
    "MAX_TEAM_NAME_LENGTH",
    "MIN_COURSES_IN_BUNDLE",
    "OPEN_STATES",
    "AccountType",
    "BalanceHistory",
    "BalanceTransaction",
    "BooksCheck",
    "BooksDifference",
    "Bundle",
    "BundleCourse",
    "BuyerDetails",
    "Card",
    "ConnectedAccount",
    "Customer",
    "Deposit",
    "Dispute",
    "Document",
    "DocumentIsFinal",
    "DocumentSeries",
    "EarningsMilestone",
    "EntryKind",
    "Gift",
    "Grant",
    "LedgerAccount",
    "LedgerEntry",
    "LedgerLine",
    "ManualEntry",
    "Order",
    "OrderLine",
    "Payment",
    "Payout",
    "PayoutAccount",
    "PayoutRun",
    "PremiumContribution",
    "PremiumEarning",
    "PremiumMonth",
    "PromoCode",
    "ReceiptSeries",
    "Redemption",
    "Refund",
    "Seat",
    "SeatPack",
    "SeatUse",
    "Subscription",
    "TaxDetails",
    "TaxDetailsReminder",
    "Team",
]
