"""A page of texts, written from the top down: what receipts, invoices and credit notes have in common."""

from datetime import datetime
from typing import Any

from django.conf import settings
from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from studyplatform.kit.text.money import money


def day(moment: datetime) -> str:
    """Return a day as it is written out: "5 June 2026"."""
    return date_format(localtime(moment), "j F Y")


def seller_name() -> str:
    """Return the name of who sells here."""
    return str(settings.SELLER_NAME or settings.SITE_NAME)


def seller_lines() -> list[str]:
    """Return the seller's address and numbers, as documents show them."""
    lines = list(settings.SELLER_ADDRESS)
    if settings.SELLER_VAT_ID:
        lines.append(_("VAT number %(number)s") % {"number": settings.SELLER_VAT_ID})
    if settings.SELLER_TAX_NUMBER:
        lines.append(_("Tax number %(number)s") % {"number": settings.SELLER_TAX_NUMBER})
    return lines


def percent(rate: int) -> str:
    """Return a rate in hundredths of a percent as it is written: 2550 -> "25.5"."""
    return f"{rate / 100:g}"


class Page:
    """The texts of one page."""

    def __init__(self, *, name: str, number: str, currency: str, facts: list[str], address: str) -> None:
        self._currency = currency
        self._items: list[dict[str, Any]] = []
        self._contents: dict[str, Any] = {
            "title": f"{name} {number}",
            "author": seller_name(),
            "lang": (get_language() or "en").partition("-")[0],
            "name": name,
            "seller": seller_name(),
            "seller-lines": seller_lines(),
            "facts": facts,
            "address": address,
            "shown-address": address,
        }

    def address_to(self, lines: list[str]) -> None:
        """The buyer."""
        self._contents["billed-to"] = _("Billed to")
        self._contents["buyer"] = [line for line in lines if line]

    def head(self) -> None:
        """The head of the lines."""
        self.text(_("Description"), _("Amount"), size=9.5, is_faint=True, after=4)
        self.rule()

    def gap(self, points: int) -> None:
        """An empty space."""
        self._items.append({"kind": "gap", "points": points})

    def rule(self) -> None:
        """A line across the page."""
        self._items.append({"kind": "rule"})

    def row(self, label: str, amount: int, *, size: float = 11, is_faint: bool = False) -> None:
        """A label and an amount in minor units."""
        self.text(label, money(amount, self._currency, cents=True), size=size, is_faint=is_faint)

    def text(
        self, label: str, amount: str | None = None, *, size: float, is_faint: bool = False, after: float = 11
    ) -> None:
        """A text, perhaps with another at the right side."""
        item = {"kind": "text", "label": label, "amount": amount, "size": size, "faint": is_faint, "after": after}
        self._items.append(item)

    def finish(self) -> dict[str, Any]:
        """The texts of the page, for `printing.print_page`."""
        return {**self._contents, "items": self._items}
