"""Everything that moves money, and what it opens."""

from apps.billing.provider_amounts import to_provider
from apps.billing.purchases import purchase_of_course
from apps.billing.services.books_entries import explain_balance, post_entry, undo_entry
from apps.billing.services.checkout import begin_order, cancel_order, follow_order, sync_order
from apps.billing.services.connected_accounts import begin_onboarding, sync_connected_account
from apps.billing.services.customers import (
    begin_card,
    ensure_customer,
    finish_card,
    forget_user,
    make_default,
    remove_card,
    sync_card,
)
from apps.billing.services.disputes import sync_dispute
from apps.billing.services.grants import end_grants, grant_by_staff, grant_premium, grant_purchase, withdraw_grant
from apps.billing.services.ledger import (
    DisputeMoves,
    Line,
    PremiumPart,
    post,
    post_dispute,
    post_fee,
    post_payout_failed,
    post_payout_sent,
    post_payout_started,
    post_premium_share,
    post_refund,
    post_refund_failed,
    post_refund_fee,
    post_refund_pending,
    post_sale,
    post_subscription_payment,
)
from apps.billing.services.milestones import note_milestones, plan_students_note
from apps.billing.services.payout_accounts import forget_payout_data, save_bank_account, save_connected_account
from apps.billing.services.payout_outcomes import fail as fail_payout
from apps.billing.services.payout_outcomes import mark_sent as mark_payout_sent
from apps.billing.services.payout_outcomes import reverse as reverse_payout
from apps.billing.services.payout_outcomes import sync as sync_payout
from apps.billing.services.payouts import Planned, plan_next_run
from apps.billing.services.payouts import plan as plan_payouts
from apps.billing.services.payouts import run as run_payouts
from apps.billing.services.payouts import schedule as schedule_payouts
from apps.billing.services.payouts import send as send_payout
from apps.billing.services.premium_shares import plan_next_share, share_month, share_until
from apps.billing.services.promo_codes import (
    PromoLimits,
    PromoTerms,
    change_promo_code,
    create_promo_code,
    switch_promo_code,
)
from apps.billing.services.refund_rule import (
    ReviewReason,
    consumed_percents,
    is_immediate,
    most_consumed_percent,
    review_reason,
)
from apps.billing.services.refund_states import sync_refunds
from apps.billing.services.refunds import (
    decide_refund,
    refund_by_admin,
    refund_duplicate,
    request_refund,
)
from apps.billing.services.tax_details import remind_of_tax_details, save_tax_details
from apps.billing.services.wanted_orders import price_for
from apps.billing.tax import needs_country

__all__ = [
    "DisputeMoves",
    "Line",
    "Planned",
    "PremiumPart",
    "PromoLimits",
    "PromoTerms",
    "ReviewReason",
    "begin_card",
    "begin_onboarding",
    "begin_order",
    "cancel_order",
    "change_promo_code",
    "consumed_percents",
    "create_promo_code",
    "decide_refund",
    "end_grants",
    "ensure_customer",
    "explain_balance",
    "fail_payout",
    "finish_card",
    "follow_order",
    "forget_payout_data",
    "forget_user",
    "grant_by_staff",
    "grant_premium",
    "grant_purchase",
    "is_immediate",
    "make_default",
    "mark_payout_sent",
    "most_consumed_percent",
    "needs_country",
    "note_milestones",
    "plan_next_run",
    "plan_next_share",
    "plan_payouts",
    "plan_students_note",
    "post",
    "post_dispute",
    "post_entry",
    "post_fee",
    "post_payout_failed",
    "post_payout_sent",
    "post_payout_started",
    "post_premium_share",
    "post_refund",
    "post_refund_failed",
    "post_refund_fee",
    "post_refund_pending",
    "post_sale",
    "post_subscription_payment",
    "price_for",
    "purchase_of_course",
    "refund_by_admin",
    "refund_duplicate",
    "remind_of_tax_details",
    "remove_card",
    "request_refund",
    "reverse_payout",
    "review_reason",
    "run_payouts",
    "save_bank_account",
    "save_connected_account",
    "save_tax_details",
    "schedule_payouts",
    "send_payout",
    "share_month",
    "share_until",
    "switch_promo_code",
    "sync_card",
    "sync_connected_account",
    "sync_dispute",
    "sync_order",
    "sync_payout",
    "sync_refunds",
    "to_provider",
    "undo_entry",
    "withdraw_grant",
]
