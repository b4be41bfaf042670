"""What changes the state of billing."""

from apps.billing.services.ledger import (
    Line,
    post,
    post_dispute_lost,
    post_dispute_opened,
    post_dispute_won,
    post_fee,
    post_payout_failed,
    post_payout_sent,
    post_payout_started,
    post_premium_share,
    post_refund,
    post_refund_failed,
    post_sale,
    post_subscription_payment,
)

__all__ = [
    "Line",
    "post",
    "post_dispute_lost",
    "post_dispute_opened",
    "post_dispute_won",
    "post_fee",
    "post_payout_failed",
    "post_payout_sent",
    "post_payout_started",
    "post_premium_share",
    "post_refund",
    "post_refund_failed",
    "post_sale",
    "post_subscription_payment",
]
