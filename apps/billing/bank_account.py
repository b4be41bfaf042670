"""The school's own bank account, to which orders are transferred: from the settings, checked when the site starts."""

import re
from dataclasses import dataclass

from django.conf import settings
from stdnum import bic, iban
from stdnum.exceptions import ValidationError as InvalidNumber

MAX_HOLDER_LENGTH = 70  # of SEPA (EPC069-12)


@dataclass(frozen=True)
class BankAccount:
    """``iban``: without spaces. ``bic`` and ``bank`` can be empty."""

    holder: str
    iban: str
    bic: str
    bank: str

    @property
    def shown_iban(self) -> str:
        """In groups of four, as it is printed (ISO 13616)."""
        return " ".join(re.findall(".{1,4}", self.iban))


def bank_account() -> BankAccount | None:
    """Return the school's account; None if none is set, or one that doesn't exist (`manage.py check` says so)."""
    number = re.sub(r"[\s-]", "", settings.BANK_IBAN).upper()
    if not number or not iban.is_valid(number):
        return None
    code = re.sub(r"\s", "", settings.BANK_BIC).upper()
    holder = settings.BANK_HOLDER or settings.SELLER_NAME or settings.SITE_NAME
    return BankAccount(
        holder=str(holder)[:MAX_HOLDER_LENGTH],
        iban=number,
        bic=code if code and bic.is_valid(code) else "",
        bank=settings.BANK_NAME,
    )


def offers_transfer() -> bool:
    """Return whether orders can be paid by bank transfer."""
    return bank_account() is not None


def account_problems() -> list[str]:
    """Return what is wrong with the settings of the account."""
    found = []
    for name, value, check in (("BANK_IBAN", settings.BANK_IBAN, iban), ("BANK_BIC", settings.BANK_BIC, bic)):
        try:
            if value:
                check.validate(re.sub(r"[\s-]", "", value))
        except InvalidNumber:
            found.append(f"{name}: {value} is not valid.")
    if settings.BANK_BIC and not settings.BANK_IBAN:
        found.append("BANK_BIC is set without BANK_IBAN.")
    return found
