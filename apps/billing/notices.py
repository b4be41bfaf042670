"""The notification kinds of billing."""

from django.utils.translation import gettext_lazy as _

from apps.accounts import services
from apps.accounts.models import Role, User


def _administers(user: User) -> bool:
    return user.role == Role.ADMIN


def _teaches(user: User) -> bool:
    return user.can_teach


PAID = services.register_kind(
    services.Kind(
        name="billing.paid",
        group="billing",
        title=_("Payment receipts"),
        headline=_("You paid %(amount)s for %(title)s"),
        text=_("Sold by %(seller)s. %(tax)s Invoice %(document)s and receipt %(number)s are under Transactions."),
        action=_("See the receipt"),
        icon="receipt",
        is_transactional=True,
    )
)
OPENED_FREE = services.register_kind(
    services.Kind(
        name="billing.opened_free",
        group="billing",
        title=_("Courses you got for free"),
        headline=_("You're enrolled in %(title)s"),
        text=_("Your code covered the whole price, so nothing was charged."),
        action=_("Open the course"),
        icon="book-open",
    )
)
REFUNDED = services.register_kind(
    services.Kind(
        name="billing.refunded",
        group="billing",
        title=_("Refunds"),
        headline=_("You got %(amount)s back for %(title)s"),
        text=_("It should appear on your bank statement within 5 to 10 days."),
        action=_("See the payment"),
        icon="undo-2",
        is_transactional=True,
    )
)
REFUND_CLOSED = services.register_kind(
    services.Kind(
        name="billing.refund_closed",
        group="billing",
        title=_("Closed refund requests"),
        headline=_("Your refund request for %(title)s is closed"),
        text=_("You already have the money back, so there's nothing left to refund."),
        action=_("See the payment"),
        icon="undo-2",
    )
)
REFUND_FAILED = services.register_kind(
    services.Kind(
        name="billing.refund_failed",
        group="billing",
        title=_("Failed refunds"),
        headline=_("Your refund of %(amount)s for %(title)s failed"),
        text=_("Your bank sent the money back to us. We'll contact you about another way to return it."),
        action=_("See the payment"),
        icon="circle-alert",
    )
)
REFUND_TO_RETURN = services.register_kind(
    services.Kind(
        name="billing.refund_to_return",
        group="billing",
        title=_("Refunds that failed"),
        headline=_("The refund of %(amount)s to %(name)s failed"),
        text=_("The bank sent the money back: %(reason)s. Refund it again, or return it in another way."),
        action=_("See the payment"),
        icon="circle-alert",
        is_for=_administers,
    )
)
REFUND_DECLINED = services.register_kind(
    services.Kind(
        name="billing.refund_declined",
        group="billing",
        title=_("Declined refunds"),
        headline=_("Your refund for %(title)s was declined"),
        text=_("The reason: %(reason)s"),
        action=_("See the payment"),
        icon="circle-alert",
    )
)
REFUND_GRANTED = services.register_kind(
    services.Kind(
        name="billing.refund_granted",
        group="billing",
        title=_("Granted refunds"),
        headline=_("Your refund for %(title)s was approved"),
        text=_("We're refunding %(amount)s to the card you paid with. We'll notify you when it's done."),
        action=_("See the payment"),
        icon="undo-2",
    )
)
DISPUTE_LOST = services.register_kind(
    services.Kind(
        name="billing.dispute_lost",
        group="billing",
        title=_("Disputed payments"),
        headline=_("Your bank returned %(amount)s for %(title)s"),
        text=_("You disputed this payment, and your bank decided in your favor. %(access)s We've kept your progress."),
        action=_("See the payment"),
        icon="circle-alert",
    )
)
GIFT_REDEEMED = services.register_kind(
    services.Kind(
        name="billing.gift_redeemed",
        group="billing",
        title=_("Gifts that are redeemed"),
        headline=_("Your gift “%(title)s” was redeemed"),
        text=_("%(name)s can start right away."),
        action=_("See the gift"),
        icon="gift",
    )
)
GIFT_FAILED = services.register_kind(
    services.Kind(
        name="billing.gift_failed",
        group="billing",
        title=_("Gifts that can't be delivered"),
        headline=_("Your gift “%(title)s” couldn't be delivered"),
        text=_("The email to %(email)s was refused. Correct the address, or copy the link and send it yourself."),
        action=_("See the gift"),
        icon="circle-alert",
    )
)
GIFT_ENDED = services.register_kind(
    services.Kind(
        name="billing.gift_ended",
        group="billing",
        title=_("Gifts that end"),
        headline=_("“%(title)s” is no longer open to you"),
        text=_("The payment for this gift was returned. Your notes and progress are kept."),
        action=_("See your courses"),
        icon="lock",
    )
)
GRANTED = services.register_kind(
    services.Kind(
        name="billing.granted",
        group="billing",
        title=_("Courses granted to you"),
        headline=_("You now have access to “%(course)s”"),
        text=_("You can take the course for free. Reason: %(reason)s"),
        action=_("Open the course"),
        icon="gift",
    )
)
GRANT_ENDED = services.register_kind(
    services.Kind(
        name="billing.grant_ended",
        group="billing",
        title=_("Granted access that ends"),
        headline=_("Your access to “%(course)s” has ended"),
        text=_("An admin ended your free access. Your progress is kept."),
        action=_("See the course"),
        icon="lock",
    )
)
PAYOUT_SENT = services.register_kind(
    services.Kind(
        name="billing.payout_sent",
        group="teaching",
        title=_("Payouts"),
        headline=_("%(amount)s is on its way to you"),
        text=_("We sent your payout to the account ending in %(account)s. Banks take up to three working days."),
        action=_("See your earnings"),
        icon="wallet",
        is_for=_teaches,
    )
)
PAYOUT_FAILED = services.register_kind(
    services.Kind(
        name="billing.payout_failed",
        group="teaching",
        title=_("Failed payouts"),
        headline=_("Your payout of %(amount)s failed"),
        text=_("%(reason)s. %(what_to_do)s Nothing is lost: the amount moves to your next payout."),
        action=_("See your earnings"),
        icon="circle-alert",
        is_for=_teaches,
    )
)
PAYOUT_REVERSED = services.register_kind(
    services.Kind(
        name="billing.payout_reversed",
        group="teaching",
        title=_("Payouts taken back"),
        headline=_("%(amount)s of a payout was taken back"),
        text=_("The payment provider took it from your account again. The amount moves to your next payout."),
        action=_("See your earnings"),
        icon="undo-2",
        is_for=_teaches,
    )
)
PAYOUT_ACCOUNT = services.register_kind(
    services.Kind(
        name="billing.payout_account",
        group="account",
        title=_("Changes to your payout details"),
        headline=_("Your payout details were changed"),
        text=_("Your earnings are now paid to the account ending in %(account)s."),
        action=_("See your payout details"),
        icon="landmark",
        is_security=True,
        is_for=_teaches,
    )
)
MILESTONE = services.register_kind(
    services.Kind(
        name="billing.milestone",
        group="teaching",
        title=_("Teaching milestones"),
        headline=_("A milestone: %(milestone)s"),
        text=_("Thank you for teaching here."),
        action=_("See your earnings"),
        icon="trophy",
        is_for=_teaches,
    )
)
TRIAL_ENDS = services.register_kind(
    services.Kind(
        name="billing.trial_ends",
        group="billing",
        title=_("Your Premium trial ends soon"),
        headline=_("Your Premium trial ends on %(date)s"),
        text=_("After that, Premium costs %(amount)s. Cancel before then if you don't want to pay."),
        action=_("See your subscription"),
        icon="clock",
    )
)
RENEWAL_FAILED = services.register_kind(
    services.Kind(
        name="billing.renewal_failed",
        group="billing",
        title=_("Premium couldn't be renewed"),
        headline=_("Your payment of %(amount)s for Premium failed"),
        text=_("Pay with another card by %(date)s. You keep Premium until then."),
        action=_("Update card and pay now"),
        icon="credit-card",
    )
)
CARD_EXPIRES = services.register_kind(
    services.Kind(
        name="billing.card_expires",
        group="billing",
        title=_("Your card for Premium expires"),
        headline=_("Your %(brand)s ending %(digits)s is valid until %(date)s"),
        text=_("Premium uses this card. To keep Premium, add another card and make it the default."),
        action=_("See your cards"),
        icon="credit-card",
    )
)
PREMIUM_ENDED = services.register_kind(
    services.Kind(
        name="billing.premium_ended",
        group="billing",
        title=_("Premium has ended"),
        headline=_("Your Premium subscription has ended"),
        text=_("We've kept your notes, progress and certificates. Free courses and courses you bought are still open."),
        action=_("Renew Premium"),
        icon="clock",
    )
)
BOOKS_DIFFER = services.register_kind(
    services.Kind(
        name="billing.books_differ",
        group="administration",
        title=_("Differences in the books"),
        headline=_("The books need a look"),
        text=_("Reconciliation couldn't repair everything. New differences: %(count)s. The first one: %(first)s"),
        action=_("See the reconciliation"),
        icon="circle-alert",
        is_for=lambda user: user.is_admin,
    )
)
REFUND_REQUESTED = services.register_kind(
    services.Kind(
        name="billing.refund_requested",
        group="administration",
        title=_("Refund requests"),
        headline=_("%(name)s asks for %(amount)s back"),
        text=_("For %(title)s. The reason: %(reason)s"),
        action=_("Decide"),
        icon="undo-2",
        is_for=lambda user: user.is_admin,
    )
)
DISPUTE_OPENED = services.register_kind(
    services.Kind(
        name="billing.dispute_opened",
        group="administration",
        title=_("Disputed payments"),
        headline=_("%(name)s disputes %(amount)s with their bank"),
        text=_("For %(title)s. %(deadline)s"),
        action=_("See the disputes"),
        icon="circle-alert",
        is_for=lambda user: user.is_admin,
    )
)
PAYOUT_NOT_SENT = services.register_kind(
    services.Kind(
        name="billing.payout_not_sent",
        group="administration",
        title=_("Failed payouts of instructors"),
        headline=_("The payout of %(amount)s to %(name)s failed"),
        text=_("%(reason)s. The amount is in their balance again, and moves to the next run."),
        action=_("See the payouts"),
        icon="circle-alert",
        is_for=lambda user: user.is_admin,
    )
)
