"""Transfers to connected accounts (https://docs.stripe.com/api/transfers)."""

from __future__ import annotations

import stripe

from apps.billing import transfers
from apps.billing.gateway.client import client
from apps.billing.models import Payout
from apps.billing.provider_amounts import to_provider
from apps.billing.transfers import Sent, TransferFailed

# What the provider says when it refuses a transfer because of the receiving account. Anything else, such as too little
# money of our own, is no fault of the instructor: the payout stays in processing and is tried again.
_FAILURES = {
    "insufficient_capabilities_for_transfer": Payout.Failure.NOT_READY,
    "account_invalid": Payout.Failure.ACCOUNT_CLOSED,
    "resource_missing": Payout.Failure.ACCOUNT_CLOSED,
}


class ProviderTransfers:
    """Sends payouts through the provider. The key is the transfer's group, so that it is found at any time."""

    def find(self, key: str) -> Sent | None:
        """The transfer with this key, or None."""
        found = client().v1.transfers.list({"transfer_group": key, "limit": 1}).data
        return Sent(found[0].id) if found else None

    def send(self, key: str, *, amount: int, currency: str, destination: str) -> Sent:
        """Make the transfer.

        :raises TransferFailed: the account cannot receive it.
        :raises stripe.StripeError: nobody knows, or it can be tried again.
        """
        try:
            transfer = client().v1.transfers.create(
                {
                    "amount": to_provider(amount, currency),
                    "currency": currency,
                    "destination": destination,
                    "transfer_group": key,
                },
                {"idempotency_key": f"payout {key}"},
            )
        except stripe.InvalidRequestError as error:
            if error.code not in _FAILURES:
                raise
            raise TransferFailed(_FAILURES[error.code], str(error.user_message or error)) from error
        return Sent(transfer.id)


transfers.register(ProviderTransfers())
