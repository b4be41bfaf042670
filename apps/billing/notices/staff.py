"""The notification kinds of billing for instructors and admins."""

from django.utils.translation import gettext_lazy as _

from apps.accounts import services
from apps.accounts.models import Role, User


def _administers(user: User) -> bool:
    return user.role == Role.ADMIN


def _teaches(user: User) -> bool:
    return user.can_teach


REFUND_TO_RETURN = services.register_kind(
    services.Kind(
        name="billing.refund_to_return",
        group="billing",
        title=_("Refunds that failed"),
        headline=_("The refund of %(amount)s to %(name)s failed"),
        text=_("It didn't arrive: %(reason)s. Refund it again, or return it in another way."),
        action=_("See the payment"),
        icon="circle-alert",
        is_for=_administers,
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
TAX_DETAILS_MISSING = services.register_kind(
    services.Kind(
        name="billing.tax_details_missing",
        group="teaching",
        title=_("Missing tax details"),
        headline=_("Add your tax details"),
        text=_("We must report what you earned in %(year)s to the tax office, with your address and tax number."),
        action=_("Add your tax details"),
        icon="landmark",
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
RETURN_DUE = services.register_kind(
    services.Kind(
        name="billing.return_due",
        group="administration",
        title=_("Refunds to transfer"),
        headline=_("Transfer %(amount)s back to %(name)s"),
        text=_("For %(title)s. Confirm it here once you have made the transfer at your bank."),
        action=_("See the account"),
        icon="landmark",
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
PAYOUT_FOUND = services.register_kind(
    services.Kind(
        name="billing.payout_found",
        group="administration",
        title=_("Transfers to instructors that were not expected"),
        headline=_("%(name)s was sent %(amount)s that the books didn't expect"),
        text=_(
            "A payout had failed, or was sent already, and the payment provider has made another transfer of it."
            " Their next payouts are less by this amount, unless you take the transfer back."
        ),
        action=_("See the payouts"),
        icon="circle-alert",
        is_for=lambda user: user.is_admin,
    )
)
TAX_RATE_MISSING = services.register_kind(
    services.Kind(
        name="billing.tax_rate_missing",
        group="administration",
        title=_("Sales without a tax rate"),
        headline=_("A sale to %(country)s contained no tax"),
        text=_("No tax rate is set for this country, so nothing of %(amount)s was kept for its tax office."),
        action=_("See the tax rates"),
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
