"""What an invoice or credit note says, fixed when it is issued: facts for programs, and every text on its page."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.utils.timezone import localtime
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from apps.billing.bank_account import BankAccount
from apps.billing.countries import country_name
from apps.billing.documents.pages import Page, day, percent, seller_lines, seller_name
from apps.billing.models.documents import DocumentKind
from apps.billing.tax import TaxTreatment, wording_of
from apps.billing.vat_ids import is_checked

TEMPLATE = 1
"""The version of the page that new documents get."""

FORMAT = 1  # of the facts; a change that breaks readers counts it up

_ADDRESS_FIELDS = frozenset({"street", "extra", "postal_code", "city", "region"})


@dataclass(frozen=True)
class Item:
    """One thing that was sold, or its part that is given back. Minor units; ``total`` includes ``tax``.

    ``list_price`` less ``discount`` and ``credit`` is the total.
    """

    title: str
    list_price: int
    total: int
    tax: int
    discount: int = 0
    promo_code: str = ""
    credit: int = 0
    period: tuple[datetime, datetime] | None = None


@dataclass(frozen=True)
class PaymentTerms:
    """How an invoice is to be paid: until when, with which reference, to which account (None if none is set)."""

    due_at: datetime
    reference: str
    account: BankAccount | None


@dataclass(frozen=True)
class Content:
    """What a document is made of. ``corrects``: number and date of the document that it corrects or cancels.

    ``corrected_seller``: who issued that document, as it says; None if it corrects none.
    ``wording``: what it says about the tax; None for what the settings say today.
    ``reason``: why, for a credit note. ``paid``: when, and the card; None before payment. ``receipt``: its number.
    ``terms``: how it is to be paid, if that comes later.
    """

    kind: DocumentKind
    number: str
    issued_at: datetime
    currency: str
    items: Sequence[Item]
    buyer: Mapping[str, Any]
    buyer_name: str
    email: str
    tax_rate: int
    treatment: str
    page: str
    paid: tuple[datetime, str] | None = None
    terms: PaymentTerms | None = None
    receipt: str = ""
    corrects: tuple[str, datetime] | None = None
    corrected_seller: Mapping[str, Any] | None = None
    reason: str = ""
    wording: str | None = None

    @property
    def tax_wording(self) -> str:
        return wording_of(self.treatment) if self.wording is None else self.wording

    @property
    def total(self) -> int:
        return sum(item.total for item in self.items)

    @property
    def tax(self) -> int:
        return sum(item.tax for item in self.items)


def make_snapshot(content: Content) -> dict[str, Any]:
    """Return the snapshot of a document, in the language of the page."""
    return {"facts": _facts(content), "print": _texts(content)}


def buyer_in(buyer: Mapping[str, Any], country: str) -> dict[str, Any]:
    """Return a buyer as documents of a sale name them: in the country of the sale, which decided about its tax.

    A saved address in another country is left out: the document would contradict its tax. It stays in the evidence.
    """
    if not country:
        return dict(buyer)
    is_elsewhere = buyer.get("country", "") not in {"", country}
    left_out = _ADDRESS_FIELDS if is_elsewhere else frozenset()
    return {**{name: value for name, value in buyer.items() if name not in left_out}, "country": country}


def buyer_lines(buyer: Mapping[str, Any], name: str) -> list[str]:
    """Return the buyer's address as documents show it. ``name``: if the buyer gave none."""
    town = " ".join(part for part in (buyer.get("postal_code", ""), buyer.get("city", "")) if part)
    lines = [buyer.get("name") or name, buyer.get("street"), buyer.get("extra"), town, buyer.get("region")]
    lines.append(country_name(buyer.get("country", "")))
    if buyer.get("vat_id"):
        label = _("VAT number %(number)s") if is_checked(buyer.get("country", "")) else _("Tax number %(number)s")
        lines.append(label % {"number": buyer["vat_id"]})
    if buyer.get("reference"):
        lines.append(_("Your reference: %(text)s") % {"text": buyer["reference"]})
    return [str(line) for line in lines if line]


def _facts(content: Content) -> dict[str, Any]:
    corrects = content.corrects
    return {
        "format": FORMAT,
        "kind": str(content.kind),
        "number": content.number,
        "issued_on": localtime(content.issued_at).date().isoformat(),
        "language": get_language() or "en",
        "currency": content.currency,
        "total": content.total,
        "tax": content.tax,
        "tax_rate": content.tax_rate,
        "treatment": str(content.treatment),
        "wording": content.tax_wording,
        "seller": _seller(),
        "buyer": {**content.buyer, "name": content.buyer.get("name") or content.buyer_name, "email": content.email},
        "items": [_item_facts(item) for item in content.items],
        "paid_on": localtime(content.paid[0]).date().isoformat() if content.paid else "",
        "terms": _terms_facts(content.terms),
        "receipt": content.receipt,
        "corrects": corrects[0] if corrects else "",
        "corrected_seller": dict(content.corrected_seller) if content.corrected_seller else {},
        "reason": content.reason,
    }


def _seller() -> dict[str, Any]:
    """Who issues documents today."""
    return {
        "name": seller_name(),
        "lines": seller_lines(),
        "country": settings.SELLER_COUNTRY,
        "vat_id": settings.SELLER_VAT_ID,
        "tax_number": settings.SELLER_TAX_NUMBER,
    }


def _names_former_seller(content: Content) -> bool:
    """Whether a document corrects one with another seller, address or tax number than it has itself.

    Languages don't count: both documents have that of the sale.
    """
    former, present = content.corrected_seller, _seller()
    return former is not None and any(former.get(name) != present[name] for name in ("name", "lines"))


def _item_facts(item: Item) -> dict[str, Any]:
    period = [localtime(moment).date().isoformat() for moment in item.period] if item.period else []
    return {**asdict(item), "period": period}


def _terms_facts(terms: PaymentTerms | None) -> dict[str, str]:
    if terms is None:
        return {}
    account = asdict(terms.account) if terms.account else {}
    return {"due_on": localtime(terms.due_at).date().isoformat(), "reference": terms.reference, **account}


def _texts(content: Content) -> dict[str, Any]:
    is_invoice = content.kind == DocumentKind.INVOICE
    name = _("Invoice") if is_invoice else _("Credit note")
    facts = [_("Number %(number)s") % {"number": content.number}, day(content.issued_at)]
    if content.corrects:
        label = _("Cancels %(number)s of %(date)s") if is_invoice else _("For invoice %(number)s of %(date)s")
        facts.append(label % {"number": content.corrects[0], "date": day(content.corrects[1])})
    if content.receipt:
        facts.append(_("Receipt %(number)s") % {"number": content.receipt})
    page = Page(
        name=name,
        number=content.number,
        currency=content.currency,
        facts=facts,
        address=settings.SITE_URL + content.page,
    )
    page.address_to([*buyer_lines(content.buyer, content.buyer_name), content.email])
    page.head()
    for item in content.items:
        _write_item(page, item)
    page.rule()
    page.row(_("Without tax"), content.total - content.tax)
    page.row(_tax_label(content), content.tax)
    page.rule()
    page.row(_("Total") if is_invoice else _("Total credited"), content.total, size=13)
    page.gap(14)
    for line in _closing(content):
        page.text(line, size=9.5)
    return page.finish()


def _write_item(page: Page, item: Item) -> None:
    page.row(item.title, item.list_price)
    if item.period:
        start, end = (day(moment) for moment in item.period)
        page.text(_("%(start)s to %(end)s") % {"start": start, "end": end}, size=9.5, is_faint=True)
    if item.discount:
        label = _("Discount, code %(code)s") % {"code": item.promo_code} if item.promo_code else _("Discount")
        page.row(label, -item.discount)
    if item.credit:
        page.row(_("Credit for unused time or from earlier payments"), -item.credit)


def _tax_label(content: Content) -> str:
    if content.treatment == TaxTreatment.REVERSE_CHARGE:
        return _("Tax, reverse charge")
    if content.treatment == TaxTreatment.EXEMPT:
        return _("Tax, exempt")
    return _("Tax, %(rate)s%%") % {"rate": percent(content.tax_rate)}


def _closing(content: Content) -> list[str]:
    lines = [content.tax_wording]
    if content.corrects and content.corrected_seller and _names_former_seller(content):
        former = [content.corrected_seller["name"], *content.corrected_seller["lines"]]
        said = {"number": content.corrects[0], "seller": ", ".join(former)}
        lines.append(_("%(number)s was issued by %(seller)s.") % said)
    if content.reason:
        lines.append(_("Reason: %(reason)s") % {"reason": content.reason})
    if content.paid:
        facts = {"date": day(content.paid[0]), "card": content.paid[1]}
        lines.append(_("Paid on %(date)s with %(card)s") % facts if facts["card"] else _("Paid on %(date)s") % facts)
    if content.terms:
        lines += _terms_lines(content.terms)
    return [line for line in lines if line]


def _terms_lines(terms: PaymentTerms) -> list[str]:
    """What the buyer reads about the bank transfer."""
    said = {"date": day(terms.due_at), "number": terms.reference}
    lines = [_("Transfer the total by %(date)s, with the reference %(number)s.") % said]
    if account := terms.account:
        lines.append(_("Account holder: %(name)s") % {"name": account.holder})
        lines.append(_("IBAN: %(number)s") % {"number": account.shown_iban})
        if account.bic:
            lines.append(_("BIC: %(code)s") % {"code": account.bic})
        if account.bank:
            lines.append(_("Bank: %(name)s") % {"name": account.bank})
    return lines
