"""How billing reacts to events of other apps."""

from django.utils import timezone

from apps.accounts import services as accounts
from apps.accounts.events import AccountDeleted
from apps.billing import policies, services
from apps.billing.services import subscriptions
from studyplatform.kit.events import subscribe

accounts.register_hindrance(policies.leave)


@subscribe(AccountDeleted)
def forget_deleted_user(event: AccountDeleted) -> None:
    """End a deleted account's subscription, and remove its cards, here and at the provider.

    The books keep its payments, without the email.
    """
    subscriptions.end_for_deleted_user(user_id=event.user_id, now=timezone.now())
    services.forget_user(user_id=event.user_id)


@subscribe(AccountDeleted)
def forget_payout_data(event: AccountDeleted) -> None:
    services.forget_payout_data(user_id=event.user_id)
