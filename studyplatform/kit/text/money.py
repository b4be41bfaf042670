"""Amounts of money as text. Internally, money is an integer in minor units and a currency."""

_SIGNS = {"usd": "$", "eur": "€", "gbp": "£", "inr": "₹", "jpy": "¥"}
_WITHOUT_CENTS = {"jpy", "krw", "vnd", "clp", "isk"}


def money(amount: int, currency: str, *, cents: bool = False) -> str:
    """4900, "usd" -> "$49"; 1250, "eur" -> "€12.50"; 900, "chf" -> "CHF 9"; -1250, "usd" -> "−$12.50".

    With ``cents``, for what is paid (checkout, receipts, columns of amounts), 4900, "usd" -> "$49.00".
    """
    if amount < 0:
        return f"−{money(-amount, currency, cents=cents)}"
    code = currency.lower()
    sign = _SIGNS.get(code, f"{code.upper()} ")
    if code in _WITHOUT_CENTS:
        return f"{sign}{amount:,}"
    whole, rest = divmod(amount, 100)
    return f"{sign}{whole:,}.{rest:02}" if rest or cents else f"{sign}{whole:,}"


def minor_units(currency: str) -> int:
    """How many minor units one unit of the currency has: 100 cents, or 1 where there are none."""
    return 1 if currency.lower() in _WITHOUT_CENTS else 100


def plain_amount(amount: int, currency: str) -> str:
    """An amount without its currency, for files: -1250, "usd" -> "-12.50"; 900, "jpy" -> "900"."""
    if minor_units(currency) == 1:
        return str(amount)
    whole, cents = divmod(abs(amount), 100)
    return f"{'-' if amount < 0 else ''}{whole}.{cents:02}"
