"""Onboarding of instructors at the payment provider: the connected accounts to which payouts go.

The instructor gives all details to the provider, and is sent back. What became of them is read from the provider:
when the instructor returns, and whenever an event says that the account has changed. So a browser that never returns
changes nothing.
"""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.db.models import F

from apps.accounts.models import User
from apps.billing import gateway
from apps.billing.models import ConnectedAccount, PayoutAccount
from apps.billing.services.payout_accounts import save_connected_account
from studyplatform.kit.web.rate_limits import consume

ATTEMPTS = 3  # at reading an account that others change at the same moment


def begin_onboarding(*, user: User, return_url: str, refresh_url: str, now: datetime) -> str:
    """Let the user's payouts go to their account at the provider, which is created the first time.

    Returns the address of the provider's page that asks for what is missing; "" if nothing is: then payouts go there
    from now on.

    :raises PaymentProcessingError: the provider can't be reached.
    """
    consume("onboarding", str(user.pk), now=now)
    row = _account_of(user, now=now)
    ConnectedAccount.objects.filter(pk=row.pk).update(is_wanted=True)
    synced = sync_connected_account(gateway_id=row.gateway_id, now=now)
    if synced is not None and synced.is_ready:
        return ""
    if synced is None:  # it was closed at the provider
        row = _account_of(user, now=now, after=row.gateway_id)
        ConnectedAccount.objects.filter(pk=row.pk).update(is_wanted=True)
    return gateway.onboarding_url(account=row.gateway_id, return_url=return_url, refresh_url=refresh_url)


def _account_of(user: User, *, now: datetime, after: str = "") -> ConnectedAccount:
    """The user's account, which is created if there is none. ``after``: the id of one that is gone."""
    found = ConnectedAccount.objects.filter(user=user).first()
    if found is not None:
        return found
    # The provider makes one account per key, so two requests at once store the same id. The day is part of the key
    # because an account that was closed at the provider is forgotten here: the next one is a new one.
    key = f"account {user.uid} {now:%Y-%m-%d} {after}".rstrip()
    made = gateway.create_account(email=user.email, user=str(user.uid), key=key)
    defaults = {"gateway_id": made, "created_at": now}
    return ConnectedAccount.objects.get_or_create(user=user, defaults=defaults)[0]


def sync_connected_account(*, gateway_id: str, now: datetime) -> ConnectedAccount | None:
    """Store the present state of a connected account. Idempotent; None if it is nobody's here, or is gone there.

    Once nothing is missing, payouts go to it if its owner asked for that and has not chosen a bank account since.
    """
    for _ in range(ATTEMPTS):
        row = ConnectedAccount.objects.select_related("user").filter(gateway_id=gateway_id).first()
        if row is None:
            return None
        state = gateway.get_account(gateway_id)
        if state is None:
            row.delete()
            return None
        if _store(row, state, now=now):
            break
    return ConnectedAccount.objects.filter(gateway_id=gateway_id).first()


@transaction.atomic
def _store(row: ConnectedAccount, state: gateway.AccountState, *, now: datetime) -> bool:
    """Write what the provider answered; False if someone else has written a newer answer since it was asked."""
    written = ConnectedAccount.objects.filter(pk=row.pk, version=row.version).update(
        details_submitted=state.details_submitted,
        payouts_enabled=state.payouts_enabled,
        is_checking=state.checking,
        due=list(state.due),
        last4=state.last4,
        synced_at=now,
        version=F("version") + 1,
    )
    if not written:
        return False
    row = ConnectedAccount.objects.select_for_update().select_related("user").get(pk=row.pk)
    if row.is_ready:
        used = PayoutAccount.objects.filter(user=row.user_id, gateway_id=row.gateway_id).first()
        if row.is_wanted or (used is not None and used.last4 != row.last4):
            if used is None or used.last4 != row.last4:
                save_connected_account(user=row.user, gateway_id=row.gateway_id, last4=row.last4, now=now)
            ConnectedAccount.objects.filter(pk=row.pk).update(is_wanted=False)
    return True
