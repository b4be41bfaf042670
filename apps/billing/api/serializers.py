"""Shapes of quotes, orders, cards and refunds. Amounts are integers in minor units."""

from typing import Any

from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from apps.accounts.models import User
from apps.billing.buyer_form import BuyerForm
from apps.billing.countries import country_codes, iso_country
from apps.billing.models import MAX_GIFT_MESSAGE_LENGTH, BuyerDetails, Card, Order
from apps.billing.prices import Quote
from apps.billing.provider_amounts import to_provider
from apps.billing.queries import SavedCard
from apps.billing.services.buyers import postal_code_of_person
from apps.billing.services.checkout import Begun
from apps.billing.tax import wording_of
from studyplatform.kit.text.money import money

COMPANY_FIELDS = ("name", "street", "extra", "postal_code", "city", "region", "vat_id", "reference")


class CountryField(serializers.RegexField):
    """A country by its ISO 3166-1 code; "" for none. Codes that name no country, such as "ZZ", are refused."""

    default_error_messages = {"unknown": _("Choose a country from the list.")}

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(r"^[A-Z]{2}\Z", max_length=2, allow_blank=True, default="", **kwargs)

    def run_validation(self, data: Any = serializers.empty) -> str:
        code = iso_country(super().run_validation(data))
        if code and code not in country_codes():
            self.fail("unknown")
        return code


class BuyerIn(serializers.Serializer[object]):
    """A company that buys. Its country is that of the order."""

    name = serializers.CharField(max_length=200, allow_blank=True, default="")
    street = serializers.CharField(max_length=200, allow_blank=True, default="")
    extra = serializers.CharField(max_length=200, allow_blank=True, default="")
    postal_code = serializers.CharField(max_length=20, allow_blank=True, default="")
    city = serializers.CharField(max_length=100, allow_blank=True, default="")
    region = serializers.CharField(max_length=100, allow_blank=True, default="")
    vat_id = serializers.CharField(max_length=30, allow_blank=True, default="")
    reference = serializers.CharField(max_length=60, allow_blank=True, default="")


def buyer_details(sent: dict[str, Any]) -> dict[str, Any] | None:
    """Return the details of the company that a request names, checked; None for a person.

    :raises ValidationError: fields are missing or wrong; each is named as ``buyer.<field>``.
    """
    if sent["buyer"] is None:
        return None
    form = BuyerForm({**sent["buyer"], "is_company": True, "country": sent["country"]})
    if not form.is_valid():
        raise serializers.ValidationError(
            {"buyer": {name: [str(fault) for fault in faults] for name, faults in form.errors.items()}}
        )
    return form.cleaned_data


def quoted_buyer(user: User, sent: dict[str, Any]) -> dict[str, str]:
    """Return what decides about the tax in a quote: country, VAT number and postal code. One query for a person."""
    postal_code = sent["postal_code"]
    if postal_code is None:
        postal_code = postal_code_of_person(user, sent["country"])
    return {"country": sent["country"], "vat_id": sent["vat_id"], "postal_code": postal_code}


def buyer_props(saved: BuyerDetails | None) -> dict[str, str] | None:
    """The company that a user bought as before, as islands receive it; None if there is none."""
    return {name: getattr(saved, name) for name in COMPANY_FIELDS} if saved is not None else None


class VatIdIn(serializers.Serializer[object]):
    """A company's VAT number while it is typed."""

    country = CountryField()
    vat_id = serializers.CharField(max_length=60, allow_blank=True)


class VatIdOut(serializers.Serializer[object]):
    passes = serializers.BooleanField(allow_null=True, help_text="None if it can't be decided.")
    message = serializers.CharField(allow_blank=True, help_text="What the form shows below the field.")


class PurchaseIn(serializers.Serializer[object]):
    """What the user wants to buy: a course or a bundle, by its slug."""

    course = serializers.SlugField(max_length=80, allow_blank=True, default="")
    bundle = serializers.SlugField(max_length=80, allow_blank=True, default="")
    is_gift = serializers.BooleanField(default=False, help_text="For someone else: what the user owns doesn't matter.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if bool(attrs["course"]) is bool(attrs["bundle"]):
            raise serializers.ValidationError(_("Name a course or a bundle."))
        return attrs


class QuoteIn(PurchaseIn):
    code = serializers.CharField(max_length=40, allow_blank=True, default="")
    country = CountryField()
    vat_id = serializers.CharField(max_length=60, allow_blank=True, default="", help_text="Of a company.")
    postal_code = serializers.CharField(
        max_length=20, allow_blank=True, allow_null=True, default=None, help_text="Of a company; null for a person."
    )


class QuoteOut(serializers.Serializer[object]):
    list_price = serializers.IntegerField()
    discount = serializers.IntegerField()
    total = serializers.IntegerField()
    tax = serializers.IntegerField(help_text="The tax included in the total.")
    tax_note = serializers.CharField(help_text="Why there is none, such as reverse charge.", allow_blank=True)
    provider_total = serializers.IntegerField(help_text="The total as the payment provider counts it.")
    currency = serializers.CharField()
    code = serializers.CharField(help_text="The code that was applied.", allow_blank=True)
    code_label = serializers.CharField(help_text='For example "10% off, until 31 March".', allow_blank=True)
    texts = serializers.DictField(child=serializers.CharField(), help_text="The amounts as they are shown.")


class GiftIn(serializers.Serializer[object]):
    """To whom a gift goes."""

    sender_name = serializers.CharField(max_length=120)
    recipient_name = serializers.CharField(max_length=120)
    recipient_email = serializers.EmailField(max_length=254)
    message = serializers.CharField(max_length=MAX_GIFT_MESSAGE_LENGTH, allow_blank=True, default="")
    send_on = serializers.DateField(help_text="A day in the user's time zone, from today to a year ahead.")


class OrderIn(PurchaseIn):
    code = serializers.CharField(max_length=40, allow_blank=True, default="")
    country = CountryField()
    buyer = BuyerIn(allow_null=True, default=None, help_text="The company that buys; none for a person.")
    email = serializers.EmailField(max_length=254, allow_blank=True, default="")
    total = serializers.IntegerField(min_value=0, max_value=2**31 - 1, help_text="The total that the user was shown.")
    currency = serializers.CharField(max_length=3)
    card = serializers.UUIDField(allow_null=True, default=None, help_text="A saved card; none for another one.")
    saves_card = serializers.BooleanField(default=False)
    agrees = serializers.BooleanField(default=False, help_text="To the terms of sale.")
    method = serializers.ChoiceField(
        choices=Order.Method.choices, default=Order.Method.CARD, help_text="A bank transfer needs no card."
    )
    gift = GiftIn(allow_null=True, default=None, help_text="To whom it goes, if it is a gift.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        found = super().validate(attrs)
        if found["is_gift"] is (found["gift"] is None):
            raise serializers.ValidationError(_("Say to whom the gift goes."))
        return found


class OrderPaymentIn(serializers.Serializer[object]):
    card = serializers.UUIDField(allow_null=True, default=None, help_text="A saved card; none for another one.")


class OrderOut(serializers.Serializer[object]):
    uid = serializers.UUIDField()
    number = serializers.CharField()
    status = serializers.ChoiceField(choices=Order.Status.choices)
    total = serializers.IntegerField()
    currency = serializers.CharField()
    client_secret = serializers.CharField(allow_blank=True, help_text="Confirms the payment in the browser.")
    payment_method = serializers.CharField(allow_blank=True, help_text="The saved card's id at the provider.")
    failure = serializers.CharField(allow_blank=True, help_text="Why the last attempt to pay failed.")
    next_url = serializers.CharField(help_text="Where to go once it is settled.")


class CardIn(serializers.Serializer[object]):
    key = serializers.UUIDField(help_text="The same key begins the same card.")


class CardBegun(serializers.Serializer[object]):
    intent = serializers.CharField()
    client_secret = serializers.CharField()


class CardDone(serializers.Serializer[object]):
    intent = serializers.RegexField(r"^seti_\w{1,60}\Z", max_length=65)


class CardOut(serializers.Serializer[object]):
    uid = serializers.UUIDField()
    brand = serializers.CharField()
    last4 = serializers.CharField()
    exp_month = serializers.IntegerField()
    exp_year = serializers.IntegerField()
    is_default = serializers.BooleanField()
    is_declined = serializers.BooleanField()


def order_out(begun: Begun) -> dict[str, Any]:
    """An order as the API returns it."""
    order = begun.order
    return {
        "uid": order.uid,
        "number": order.number,
        "status": order.status,
        "total": order.total,
        "currency": order.currency,
        "client_secret": begun.client_secret,
        "payment_method": begun.card.gateway_id if begun.card else "",
        "failure": order.failure_message,
        "next_url": next_url(order),
    }


def next_url(order: Order) -> str:
    """The page that shows what became of an order, or what is to be transferred for it."""
    if order.method == Order.Method.TRANSFER and order.status in {Order.Status.OPEN, Order.Status.CANCELED}:
        return f"/billing/orders/{order.uid}"
    return f"/payment-{'error' if order.status == Order.Status.CANCELED else 'success'}?order={order.uid}"


def card_out(card: Card) -> dict[str, Any]:
    """A saved card as the API returns it."""
    names = ("uid", "brand", "last4", "exp_month", "exp_year", "is_default")
    return {**{name: getattr(card, name) for name in names}, "is_declined": card.declined_at is not None}


def card_props(saved: SavedCard) -> dict[str, Any]:
    """A saved card as islands receive it. ``declined_on``: the date on which a bank declined it, or ""."""
    card = saved.card
    return {
        "uid": str(card.uid),
        "brand": saved.brand,
        "last4": card.last4,
        "expiry": saved.expiry,
        "is_default": card.is_default,
        "is_expired": saved.is_expired,
        "declined_on": date_format(localtime(card.declined_at), "j F Y") if card.declined_at else "",
    }


def quote_out(price: Quote, *, code: str, label: str) -> dict[str, Any]:
    """A price as the API returns it."""
    names = ("list_price", "discount", "total", "tax")
    values = {name: getattr(price, name) for name in names}
    return {
        **values,
        "tax_note": wording_of(price.treatment),
        "provider_total": to_provider(price.total, price.currency),
        "currency": price.currency,
        "code": code,
        "code_label": label,
        "texts": amounts(price.currency, **values),
    }


def amounts(currency: str, **values: int) -> dict[str, str]:
    """Amounts as they are shown."""
    return {name: money(value, currency, cents=True) for name, value in values.items()}
