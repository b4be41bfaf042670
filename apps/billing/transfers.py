"""What sends payouts to connected accounts: the payment provider's gateway registers itself here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from apps.billing.models import Payout


@dataclass(frozen=True)
class Sent:
    """A transfer that the provider accepted, with its id."""

    gateway_id: str


class TransferFailed(Exception):
    """The provider refused the transfer and sent nothing; the amount returns to the balance."""

    def __init__(self, failure: Payout.Failure, detail: str = "") -> None:
        super().__init__(failure, detail)
        self.failure, self.detail = failure, detail


class Transfers(Protocol):
    """Sends amounts to connected accounts.

    Any other exception than `TransferFailed` means that nobody knows whether the amount was sent: the payout stays in
    processing, and the next attempt asks with the same key.
    """

    def find(self, key: str) -> Sent | None:
        """The transfer that was made with this key, at any time, or None."""

    def send(self, key: str, *, amount: int, currency: str, destination: str) -> Sent:
        """Transfer an amount in minor units to a connected account. The same key is transferred once.

        :raises TransferFailed: the provider refuses it.
        """


_registered: list[Transfers] = []


def register(transfers: Transfers) -> None:
    """Send payouts to connected accounts through this."""
    _registered[:] = [transfers]


def current() -> Transfers | None:
    """What sends payouts, or None: then there are payouts to bank accounts only."""
    return _registered[0] if _registered else None
