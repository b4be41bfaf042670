"""Where an instructor's payouts go."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from django.db import transaction

from apps.accounts import services as people
from apps.accounts.models import User
from apps.billing.models import ConnectedAccount, EarningsMilestone, Payout, PayoutAccount
from apps.billing.queries.payouts import PURPOSE
from apps.billing.services.tax_details import forget_tax_details
from studyplatform.kit import encryption


@transaction.atomic
def save_bank_account(*, user: User, holder: str, number: str, bank_code: str, now: datetime) -> PayoutAccount:
    """Pay the user's earnings to this bank account from now on. The number is stored encrypted; tell the user."""
    from_form = {
        "method": PayoutAccount.Method.BANK,
        "gateway_id": "",
        "holder": holder,
        "encrypted_number": encryption.encrypt(number, purpose=PURPOSE),
        "bank_code": bank_code,
        "last4": number[-4:],
    }
    ConnectedAccount.objects.filter(user=user).update(is_wanted=False)  # the newer choice counts
    return _save_account(user, from_form, now=now)


@transaction.atomic
def save_connected_account(*, user: User, gateway_id: str, last4: str, now: datetime) -> PayoutAccount:
    """Pay the user's earnings to their account at the payment provider, which has checked it."""
    values = {
        "method": PayoutAccount.Method.CONNECTED,
        "gateway_id": gateway_id,
        "holder": "",
        "encrypted_number": "",
        "bank_code": "",
        "last4": last4,
    }
    return _save_account(user, values, now=now, verified_at=now)


def _save_account(
    user: User, values: Mapping[str, str], *, now: datetime, verified_at: datetime | None = None
) -> PayoutAccount:
    account, _ = PayoutAccount.objects.update_or_create(
        user=user, defaults={**values, "changed_at": now, "verified_at": verified_at}
    )
    people.notify(
        "billing.payout_account",
        user,
        "/dashboard/instructor/earnings/details",
        f"{account.pk} {now.isoformat()}",
        now=now,
        account=account.last4,
    )
    return account


def forget_payout_data(*, user_id: int, now: datetime) -> None:
    """Delete a deleted user's payout details and milestones. Payouts that were made belong to the books.

    Tax details are kept as long as the law asks for them.
    """
    forget_tax_details(user_id=user_id, now=now)
    Payout.objects.filter(instructor=user_id).update(holder="", encrypted_number="", bank_code="")
    PayoutAccount.objects.filter(user=user_id).delete()
    ConnectedAccount.objects.filter(user=user_id).delete()
    EarningsMilestone.objects.filter(user=user_id).delete()
