"""What a user wants on their invoices: saved by them, copied by each order and subscription."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.utils.translation import get_language

from apps.accounts.models import User
from apps.billing.models import BuyerDetails, Subscription
from apps.billing.models.buyers import SNAPSHOT_FIELDS
from apps.billing.tax import postal_code_in


def save_buyer_details(*, user: User, details: Mapping[str, Any], now: datetime) -> BuyerDetails:
    """Save what the user wants on their invoices. What was issued doesn't change.

    :param details: the cleaned data of a valid `BuyerForm`.
    """
    values = {name: details[name] for name in SNAPSHOT_FIELDS}
    values["vat_id_checked_at"] = now if values["vat_id"] else None
    return BuyerDetails.objects.update_or_create(user=user, defaults={**values, "updated_at": now})[0]


def use_for_subscription(row: BuyerDetails) -> None:
    """Use the details for the next payments of their user's subscription, and their country for its tax."""
    live = Subscription.objects.of(row.user_id).live()
    live.update(buyer=snapshot_of(row), **({"country": row.country} if row.country else {}))


def send_receipts_to(*, user: User, email: str) -> None:
    """Send the receipts, invoices and credit notes of the user's subscription to an address, from its next payment on.

    The user's own address isn't stored, so that receipts follow it when it changes.
    """
    stored = "" if email.casefold() == user.email.casefold() else email
    Subscription.objects.of(user.pk).live().exclude(email=stored).update(email=stored)


def receipt_email_of(user: User) -> str:
    """Return where the receipts of the user's last subscription went; the user's own address without one. One query."""
    last = Subscription.objects.of(user.pk).order_by("-pk").values_list("email", flat=True).first()
    return last or user.email


def snapshot_of(row: BuyerDetails | None) -> dict[str, Any]:
    """Return the copy of a user's details for an order or subscription, with the language of the page."""
    language = {"language": get_language() or ""}
    return {**row.as_snapshot(), **language} if row is not None else language


def buyer_for(*, user: User, details: Mapping[str, Any] | None, now: datetime) -> dict[str, Any]:
    """Return the buyer of a checkout, and save what was entered there for the next one.

    :param details: the cleaned data of a valid `BuyerForm`; None to buy as a person.
    """
    if details is not None:
        return snapshot_of(save_buyer_details(user=user, details=details, now=now))
    saved = BuyerDetails.objects.filter(user=user, is_company=False).first()
    return snapshot_of(saved)


def postal_code_of_person(user: User, country: str) -> str:
    """Return the postal code with which a user buys as a person, if their saved address is in that country. One query.

    It decides about the tax as it does at the sale (`buyer_for`).
    """
    saved = BuyerDetails.objects.filter(user=user, is_company=False).first()
    return postal_code_in(saved.as_snapshot(), country) if saved is not None else ""


def is_same_buyer(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Return whether two snapshots name the same buyer, whenever and in which language they were made."""
    return _compared(one) == _compared(other)


def _compared(buyer: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in buyer.items() if name in SNAPSHOT_FIELDS and value}
