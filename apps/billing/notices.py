"""The notification kinds of billing."""

from django.utils.translation import gettext_lazy as _

from apps.accounts import services

PAID = services.register_kind(
    services.Kind(
        name="billing.paid",
        group="billing",
        title=_("You paid for something"),
        headline=_("You paid %(amount)s for %(title)s"),
        text=_("Receipt %(number)s is among your transactions."),
        action=_("See the receipt"),
        icon="receipt",
    )
)
REFUNDED = services.register_kind(
    services.Kind(
        name="billing.refunded",
        group="billing",
        title=_("A payment was refunded"),
        headline=_("You got %(amount)s back for %(title)s"),
        text=_("Your bank shows it within 5 to 10 days."),
        action=_("See the payment"),
        icon="undo-2",
    )
)
REFUND_DECLINED = services.register_kind(
    services.Kind(
        name="billing.refund_declined",
        group="billing",
        title=_("A refund was declined"),
        headline=_("Your refund for %(title)s was declined"),
        text=_("The reason: %(reason)s"),
        action=_("See the payment"),
        icon="circle-alert",
    )
)
