"""Posting to the ledger: one function per business fact (docs/adr/0022).

Each takes the key of its fact, such as the gateway's id of a payment, and posts it once: posted again it returns the
first entry. All amounts are positive integers in minor units; the functions know which account gets which sign. They
run in the caller's transaction, so that the books and the row they belong to commit together.

A payment of several courses (a bundle) has one entry per line of its order, which ``item`` numbers from 0. What is
given back of it is split over them in proportion to their totals. Its fee and an open dispute have one entry.

==================  =============================================================================================
``provider``        money that the payment provider holds for us (asset)
``bank``            the platform's own bank account: transfers of buyers arrive, payouts by transfer leave (asset)
``payouts``         payouts on their way: started, neither sent nor failed (liability)
``disputes``        amounts that the provider took back and that may still be won (asset)
``pending_refunds`` refunds that have left the provider's balance and may still fail (asset)
``instructor:7``    what we owe the instructor with the id 7 (liability)
``premium``         what subscribers paid and no instructor got yet (liability)
``tax``             tax to be paid to the authorities (liability)
``platform``        the platform's part of sales (revenue)
``refunds``         what the platform gave back of its part (reduces revenue)
``fees``            what the provider and the bank charge (expense)
``reserves``        money that the provider holds back for a while (asset)
``exchange``        money that the provider changed from one currency into another (asset)
``owner``           what was put into the platform, less what was taken out (equity)
``unexplained``     what the provider moved and nobody could explain yet: an admin must look (liability)
``deposits``        transfers that are held for buyers: too little, too much, late or twice (liability)
``losses``          what disputes took beyond the payment, because the bank knew nothing of a refund (expense)
==================  =============================================================================================
"""

from apps.billing.services.ledger.deposits import (
    count_rejected_deposits,
    post_deposit,
    post_deposit_rejected,
    post_deposit_returned,
    post_transfer_charge,
)
from apps.billing.services.ledger.payments import post_fee, post_sale, post_subscription_payment
from apps.billing.services.ledger.payouts import (
    PremiumPart,
    post_payout_failed,
    post_payout_reversed,
    post_payout_sent,
    post_payout_started,
    post_payout_transfer,
    post_premium_share,
)
from apps.billing.services.ledger.posting import (
    Facts,
    KeyTaken,
    LedgerError,
    Line,
    NotPosted,
    Unbalanced,
    account_of,
    checksum,
    lock_accounts,
    post,
)
from apps.billing.services.ledger.provider import (
    post_balance_transaction,
    post_by_hand,
    post_difference,
    post_explained,
    post_undone,
)
from apps.billing.services.ledger.returns import (
    DisputeMoves,
    post_dispute,
    post_refund,
    post_refund_failed,
    post_refund_fee,
    post_refund_pending,
)

__all__ = [
    "DisputeMoves",
    "Facts",
    "KeyTaken",
    "LedgerError",
    "Line",
    "NotPosted",
    "PremiumPart",
    "Unbalanced",
    "account_of",
    "checksum",
    "count_rejected_deposits",
    "lock_accounts",
    "post",
    "post_balance_transaction",
    "post_by_hand",
    "post_deposit",
    "post_deposit_rejected",
    "post_deposit_returned",
    "post_difference",
    "post_dispute",
    "post_explained",
    "post_fee",
    "post_payout_failed",
    "post_payout_reversed",
    "post_payout_sent",
    "post_payout_started",
    "post_payout_transfer",
    "post_premium_share",
    "post_refund",
    "post_refund_failed",
    "post_refund_fee",
    "post_refund_pending",
    "post_sale",
    "post_subscription_payment",
    "post_transfer_charge",
    "post_undone",
]
