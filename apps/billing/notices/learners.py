"""The notification kinds of billing for learners."""

from django.utils.translation import gettext_lazy as _

from apps.accounts import services

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
        text=_("The money didn't arrive at your bank. We'll contact you about another way to return it."),
        action=_("See the payment"),
        icon="circle-alert",
        is_transactional=True,
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
REFUND_TO_TRANSFER = services.register_kind(
    services.Kind(
        name="billing.refund_to_transfer",
        group="billing",
        title=_("Granted refunds by bank transfer"),
        headline=_("Your refund for %(title)s was approved"),
        text=_("We'll transfer %(amount)s to your bank account. We'll notify you when it's done."),
        action=_("See the payment"),
        icon="undo-2",
    )
)
RETURN_ACCOUNT = services.register_kind(
    services.Kind(
        name="billing.return_account",
        group="billing",
        title=_("Refunds that need your bank account"),
        headline=_("Where should we transfer %(amount)s?"),
        text=_("You get this amount back for %(title)s. Enter your bank account so that we can transfer it."),
        action=_("Enter the account"),
        icon="landmark",
        is_transactional=True,
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
        is_transactional=True,
    )
)
DISPUTE_REVERSED = services.register_kind(
    services.Kind(
        name="billing.dispute_reversed",
        group="billing",
        title=_("Disputes decided against you"),
        headline=_("Your bank sent us %(amount)s for %(title)s after all"),
        text=_("It had returned this payment to you and has reversed its decision. The invoice for it is attached."),
        action=_("See the payment"),
        icon="circle-alert",
        is_transactional=True,
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
