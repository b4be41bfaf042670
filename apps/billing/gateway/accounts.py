"""Connected accounts, to which payouts go (https://docs.stripe.com/connect/express-accounts)."""

import stripe

from apps.billing.gateway.client import client, translates_errors
from apps.billing.gateway.errors import code_of
from apps.billing.gateway.objects import AccountState


@translates_errors
def create_account(*, email: str, user: str, key: str) -> str:
    """Create an account whose owner gives all details to the provider, and return its id. ``user``: our own id."""
    made = client().v1.accounts.create(
        {
            "type": "express",
            "email": email,
            "capabilities": {"transfers": {"requested": True}},
            "metadata": {"user": user},
        },
        {"idempotency_key": key},
    )
    return made.id


@translates_errors
def onboarding_url(*, account: str, return_url: str, refresh_url: str) -> str:
    """Return the address of the provider's page that asks for the details. It works once and for a few minutes.

    The page leads to ``return_url``, whether or not everything was given; to ``refresh_url`` if it has expired.
    """
    link = client().v1.account_links.create(
        {"account": account, "type": "account_onboarding", "return_url": return_url, "refresh_url": refresh_url}
    )
    return link.url


@translates_errors
def get_account(account: str) -> AccountState | None:
    """Return the present state of a connected account; None if it is gone, or was never one of ours."""
    try:
        found = client().v1.accounts.retrieve(account)
    except (stripe.PermissionError, stripe.InvalidRequestError) as error:
        if code_of(error) in {"resource_missing", "account_invalid"}:
            return None
        raise
    needs = found.requirements
    banks = found.external_accounts.data if found.external_accounts else []
    return AccountState(
        id=found.id,
        details_submitted=bool(found.details_submitted),
        payouts_enabled=bool(found.payouts_enabled) and _transfers(found) == "active",
        due=tuple(
            sorted({*((needs.currently_due or []) if needs else []), *((needs.past_due or []) if needs else [])})
        ),
        checking=bool(needs and needs.pending_verification),
        last4=next((bank.last4 or "" for bank in banks), ""),
    )


def _transfers(account: stripe.Account) -> str:
    return (account.capabilities.transfers if account.capabilities else None) or "inactive"
