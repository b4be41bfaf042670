"""Tax details of instructors: read what is encrypted, and who has none."""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import date, datetime

from cryptography.fernet import InvalidToken

from apps.billing.models import TaxDetails, TaxDetailsReminder
from studyplatform.kit import encryption

_PURPOSE = "billing.tax_details"
NUMBER_END_LENGTH = 3


@dataclass(frozen=True)
class TaxIdentity:
    """What of the tax details is encrypted; the dates and places are those of persons. "" where there is none."""

    tax_number: str = ""
    birth_date: str = ""
    birth_place: str = ""

    @property
    def born_on(self) -> date | None:
        """The birth date."""
        return date.fromisoformat(self.birth_date) if self.birth_date else None


def encrypt_identity(identity: TaxIdentity) -> str:
    """Return the identity as it is stored."""
    return encryption.encrypt(json.dumps(asdict(identity)), purpose=_PURPOSE)


def identity_of(details: TaxDetails) -> TaxIdentity | None:
    """Return what is encrypted in tax details; None if the key of the encryption is lost."""
    with suppress(InvalidToken):
        return TaxIdentity(**json.loads(encryption.decrypt(details.encrypted_identity, purpose=_PURPOSE)))
    return None


def tax_details_of(users: Iterable[int]) -> dict[int, TaxDetails]:
    """Return the tax details of users, by the user's number. One query."""
    return {each.user_id: each for each in TaxDetails.objects.filter(user__in=list(users))}


def reminded_at(users: Iterable[int]) -> dict[int, datetime]:
    """Return when users were last asked for their tax details, by the user's number. One query."""
    return dict(TaxDetailsReminder.objects.filter(user__in=list(users)).values_list("user", "sent_at"))
