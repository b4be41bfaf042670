"""Who may cancel, confirm and return what is paid by bank transfer."""

from apps.accounts.models import User
from apps.accounts.policies import AnyUser, administer
from apps.billing import queries
from apps.billing.errors import SeatsUsed
from apps.billing.models import Order, Refund
from studyplatform.kit.errors import NotFound
from studyplatform.kit.policies import Verdict


def cancel_order(user: AnyUser, order: Order) -> Verdict:
    """The buyer gives an order up, or an admin does; the buyer of seats only while nobody has used them."""
    if not isinstance(user, User) or not (order.user_id == user.pk or user.is_admin):
        return NotFound()
    is_used = order.is_for_team and not user.is_admin and not queries.can_cancel_seats(order)
    return SeatsUsed() if is_used else None


def confirm_transfers(user: AnyUser) -> Verdict:
    """Admins see the bank account, so they say what has arrived."""
    return administer(user)


def name_return_account(user: AnyUser, refund: Refund) -> Verdict:
    """The learner says to which account their money goes, or an admin does for them."""
    allowed = isinstance(user, User) and (refund.payment.user_id == user.pk or user.is_admin)
    return None if allowed else NotFound()
