"""What sends payouts to connected accounts: the payment provider's gateway registers itself here."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from apps.billing.models import Payout


@dataclass(frozen=True)
class TransferReversal:
    """What the provider took back of a transfer, in minor units."""

    gateway_id: str
    amount: int
    created: datetime


@dataclass(frozen=True)
class Transfer:
    """A transfer that the provider made, in minor units, with what it took back of it since."""

    gateway_id: str
    amount: int
    created: datetime
    reversals: tuple[TransferReversal, ...] = ()

    @property
    def left(self) -> int:
        """What the connected account still has of it."""
        return self.amount - sum(each.amount for each in self.reversals)


class TransferFailed(Exception):
    """The provider refused the transfer and sent nothing; the amount returns to the balance."""

    def __init__(self, failure: Payout.Failure, detail: str = "") -> None:
        super().__init__(failure, detail)
        self.failure, self.detail = failure, detail


class TransferDelayed(Exception):
    """The provider refused the transfer and sent nothing, for a reason that passes: it is tried again."""

    def __init__(self, detail: str = "") -> None:
        super().__init__(detail)
        self.detail = detail


class ReversalFailed(Exception):
    """The provider refused to take a transfer back, and took nothing."""

    def __init__(self, detail: str = "") -> None:
        super().__init__(detail)
        self.detail = detail


class Transfers(Protocol):
    """Sends amounts to connected accounts, and takes them back.

    Any other exception than those above means that nobody knows what the provider did: the payout stays as it is, and
    the next attempt asks first.
    """

    def find(self, key: str) -> list[Transfer]:
        """The transfers that were made with this key, at any time."""

    def send(self, key: str, *, attempt: int, amount: int, currency: str, destination: str) -> Transfer:
        """Transfer an amount in minor units to a connected account. An attempt at a key is carried out once.

        ``attempt``: how often the provider has refused this key before. It answers a repeated attempt as it did the
        first time, also with a refusal whose reason has passed. A closed attempt is refused too.

        :raises TransferFailed: the provider refuses it.
        :raises TransferDelayed: the provider refuses it at the moment.
        """

    def close_attempt(self, key: str, *, attempt: int, destination: str) -> None:
        """Make the provider refuse an attempt from now on, should its request still come. Idempotent.

        After it, `find` knows for certain whether the attempt has sent anything.
        """

    def reverse(self, transfer: Transfer, *, attempt: int, currency: str) -> None:
        """Take back what is left of a transfer. An attempt is carried out once.

        :raises ReversalFailed: the provider refuses, for example because the connected account has no money.
        """


_registered: list[Transfers] = []


def register(transfers: Transfers) -> None:
    """Send payouts to connected accounts through this."""
    _registered[:] = [transfers]


def current() -> Transfers | None:
    """What sends payouts, or None: then there are payouts to bank accounts only."""
    return _registered[0] if _registered else None
