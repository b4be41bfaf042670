"""How billing reacts to events of other apps."""

from apps.accounts.events import AccountDeleted
from apps.billing import services
from studyplatform.kit.events import subscribe


@subscribe(AccountDeleted)
def forget_deleted_user(event: AccountDeleted) -> None:
    """Remove a deleted account's cards, here and at the provider, and its email from what the books keep."""
    services.forget_user(user_id=event.user_id)


@subscribe(AccountDeleted)
def forget_payout_data(event: AccountDeleted) -> None:
    services.forget_payout_data(user_id=event.user_id)
