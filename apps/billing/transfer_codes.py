"""The QR code of a bank transfer, which banking apps read: EPC069-12 of the European Payments Council."""

from decimal import Decimal

from segno.helpers import make_epc_qr

from apps.billing.bank_account import BankAccount

MAX_EPC_AMOUNT = 99_999_999_999  # cents
SIDE_SCALE = 4  # pixels of a module


def epc_code(account: BankAccount, *, amount: int, currency: str, reference: str) -> str:
    """Return the code as an inline SVG; "" where the standard has none: for other currencies than the euro, and for
    account holders whose name is too long for it (331 bytes in all).

    :param amount: what is to be transferred, in cents.
    """
    if currency != "eur" or not 0 < amount <= MAX_EPC_AMOUNT:
        return ""
    try:
        code = make_epc_qr(
            name=account.holder,
            iban=account.iban,
            amount=Decimal(amount) / 100,
            text=reference,
            bic=account.bic or None,
            encoding="utf-8",
        )
    except ValueError:
        return ""
    return str(code.svg_inline(scale=SIDE_SCALE, border=4, dark="#000", light="#fff", omitsize=True))
