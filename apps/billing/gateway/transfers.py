"""Transfers to connected accounts (https://docs.stripe.com/api/transfers)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

import stripe

from apps.billing import transfers
from apps.billing.gateway.client import client, iterate_translated, moment, translates_errors
from apps.billing.gateway.errors import code_of
from apps.billing.gateway.objects import Listed
from apps.billing.models import Payout
from apps.billing.provider_amounts import from_provider, to_provider
from apps.billing.transfers import ReversalFailed, Transfer, TransferDelayed, TransferFailed, TransferReversal

if TYPE_CHECKING:
    from stripe.params import TransferListParams

# What the provider says when it refuses a transfer because of the receiving account. Anything else, such as too little
# money of our own, is no fault of the instructor: the payout stays in processing and is tried again.
_FAILURES = {
    "insufficient_capabilities_for_transfer": Payout.Failure.NOT_READY,
    "account_invalid": Payout.Failure.ACCOUNT_CLOSED,
    "resource_missing": Payout.Failure.ACCOUNT_CLOSED,
}
_GONE = {"resource_missing", "account_invalid"}  # of the receiving account: nothing can be sent to it
# These refusals say nothing about what an earlier request with the same key did.
_UNDECIDED = (stripe.RateLimitError, stripe.IdempotencyError)


class ProviderTransfers:
    """Sends payouts through the provider. The key is the transfer's group, so that it is found at any time."""

    @translates_errors
    def find(self, key: str) -> list[Transfer]:
        """The transfers with this key, the oldest first."""
        found = client().v1.transfers.list({"transfer_group": key, "limit": 100}).auto_paging_iter()
        return [transfer_state(each) for each in found][::-1]

    def send(self, key: str, *, attempt: int, amount: int, currency: str, destination: str) -> Transfer:
        """Make the transfer.

        :raises TransferFailed: the account cannot receive it.
        :raises TransferDelayed: the provider refuses it at the moment, or the attempt is closed.
        :raises stripe.StripeError: nobody knows, or it can be tried again.
        """
        try:
            made = client().v1.transfers.create(
                {
                    "amount": to_provider(amount, currency),
                    "currency": currency,
                    "destination": destination,
                    "transfer_group": key,
                },
                {"idempotency_key": _attempt_key(key, attempt)},
            )
        except stripe.RateLimitError:
            raise
        except stripe.IdempotencyError as error:
            raise TransferDelayed("The attempt was closed before") from error
        except stripe.InvalidRequestError as error:
            said = str(error.user_message or error)
            if error.code in _FAILURES and error.param in (None, "destination"):
                raise TransferFailed(_FAILURES[error.code], said) from error
            raise TransferDelayed(said) from error
        return transfer_state(made)

    @translates_errors
    def close_attempt(self, key: str, *, attempt: int, destination: str) -> None:
        """Use up the idempotency key of an attempt to send, so that its request is refused if it comes later.

        The provider takes a key for one endpoint only, and remembers it for a day at least. So the key is spent on
        a note in the metadata of the receiving account, which moves no money. If a transfer was faster, the provider
        refuses the note instead, and `find` has the transfer (https://docs.stripe.com/api/idempotent_requests).

        :raises AppError: nobody knows; a transfer may just be made.
        """
        spent = _attempt_key(key, attempt)
        try:
            client().v1.accounts.update(
                destination, {"metadata": {"closed_attempt": spent}}, {"idempotency_key": spent}
            )
        except stripe.IdempotencyError:
            return  # a transfer, or its refusal, has used it up
        except (stripe.PermissionError, stripe.InvalidRequestError) as error:
            if code_of(error) not in _GONE:
                raise

    @translates_errors
    def reverse(self, transfer: Transfer, *, attempt: int, currency: str) -> None:
        """Take back what is left of a transfer (https://docs.stripe.com/api/transfer_reversals).

        :raises ReversalFailed: the provider refuses; nothing was taken back.
        :raises PaymentProcessingError: nobody knows.
        """
        key = f"reversal {transfer.gateway_id} {transfer.left} {attempt}"
        try:
            client().v1.transfers.reversals.create(
                transfer.gateway_id, {"amount": to_provider(transfer.left, currency)}, {"idempotency_key": key}
            )
        except _UNDECIDED:
            raise
        except stripe.InvalidRequestError as error:
            raise ReversalFailed(str(error.user_message or error)) from error


def _attempt_key(key: str, attempt: int) -> str:
    return f"payout {key} {attempt}" if attempt else f"payout {key}"


def transfer_state(found: stripe.Transfer) -> Transfer:
    """Translate the provider's object, with all its reversals."""
    rows: list[stripe.Reversal] = []
    if found.amount_reversed:
        rows = list(client().v1.transfers.reversals.list(found.id, {"limit": 100}).auto_paging_iter())
    return Transfer(
        gateway_id=found.id,
        amount=from_provider(found.amount, found.currency),
        created=moment(found.created),
        reversals=tuple(
            TransferReversal(each.id, from_provider(each.amount, each.currency), moment(each.created)) for each in rows
        ),
    )


@dataclass(frozen=True)
class TransferSummary:
    """A transfer in the provider's list, in minor units. ``key``: that of its payout; "" if it has none."""

    gateway_id: str
    key: str
    amount: int
    amount_reversed: int


def transfers_since(since: datetime) -> Iterator[Listed[TransferSummary]]:
    """Yield the transfers that were made since then.

    :raises PaymentProcessingError: the provider can't be reached.
    """
    params: TransferListParams = {"created": {"gte": int(since.timestamp())}, "limit": 100}
    found = translates_errors(client().v1.transfers.list)(params)
    for each in iterate_translated(found.auto_paging_iter()):
        yield Listed(each.id, partial(_summary, each))


def _summary(found: stripe.Transfer) -> TransferSummary:
    return TransferSummary(
        gateway_id=found.id,
        key=found.transfer_group or "",
        amount=from_provider(found.amount, found.currency),
        amount_reversed=from_provider(found.amount_reversed, found.currency),
    )


transfers.register(ProviderTransfers())
