"""What buyers are told of their orders by bank transfer."""

from django.utils.translation import gettext_lazy as _

from apps.accounts import services

TRANSFER_ORDERED = services.register_kind(
    services.Kind(
        name="billing.transfer_ordered",
        group="billing",
        title=_("Orders by bank transfer"),
        headline=_("Transfer %(amount)s for %(title)s"),
        text=_(
            "Transfer it to %(holder)s, IBAN %(iban)s, by %(date)s, with the reference %(number)s. "
            "We'll let you know when it arrives."
        ),
        action=_("See what to transfer"),
        icon="landmark",
        is_transactional=True,
    )
)
TRANSFER_OVERDUE = services.register_kind(
    services.Kind(
        name="billing.transfer_overdue",
        group="billing",
        title=_("Overdue bank transfers"),
        headline=_("Your transfer of %(amount)s for %(title)s hasn't arrived"),
        text=_(
            "It was due on %(date)s. Transfer it to %(holder)s, IBAN %(iban)s, with the reference %(number)s, pay by "
            "card, or cancel the order. If you have just transferred it, ignore this message."
        ),
        action=_("See your order"),
        icon="clock",
        is_transactional=True,
    )
)
TRANSFER_CANCELED = services.register_kind(
    services.Kind(
        name="billing.transfer_canceled",
        group="billing",
        title=_("Canceled orders by bank transfer"),
        headline=_("Your order of %(title)s was canceled"),
        text=_("Don't transfer anything for order %(number)s anymore. Reason: %(reason)s"),
        action=_("See your order"),
        icon="circle-x",
        is_transactional=True,
    )
)
TRANSFER_PARTIAL = services.register_kind(
    services.Kind(
        name="billing.transfer_partial",
        group="billing",
        title=_("Bank transfers with too little"),
        headline=_("%(received)s of your transfer for %(title)s arrived"),
        text=_("%(missing)s is missing. Transfer the rest with the same reference, %(number)s."),
        action=_("See your order"),
        icon="landmark",
        is_transactional=True,
    )
)
TRANSFER_HELD = services.register_kind(
    services.Kind(
        name="billing.transfer_held",
        group="billing",
        title=_("Bank transfers that go back"),
        headline=_("We'll transfer %(amount)s back to you"),
        text=_("It arrived for %(title)s (order %(number)s), which doesn't need it. It goes back to the same account."),
        action=_("See your order"),
        icon="undo-2",
        is_transactional=True,
    )
)
DEPOSIT_RETURNED = services.register_kind(
    services.Kind(
        name="billing.deposit_returned",
        group="billing",
        title=_("Returned bank transfers"),
        headline=_("We transferred %(amount)s back to you"),
        text=_("It was more than you had to pay for %(title)s (order %(number)s)."),
        action=_("See your order"),
        icon="undo-2",
        is_transactional=True,
    )
)
