"""Tax details of instructors: save them, ask for them, and delete them once no law needs them any more."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, datetime, timedelta
from typing import Any

from django.db import transaction

from apps.accounts import services as people
from apps.accounts.models import User
from apps.billing.models import LedgerLine, Payout, TaxDetails, TaxDetailsReminder
from apps.billing.queries.report_selection import day_start
from apps.billing.queries.tax_details import NUMBER_END_LENGTH, TaxIdentity, encrypt_identity
from studyplatform.kit import jobs

REMINDER_INTERVAL = timedelta(days=7)
YEARS_KEPT = 10
"""After the last year in which the instructor earned something or was paid, if the account is deleted.

Annex V of Council Directive (EU) 2021/514 lets member states ask for five to ten years.
"""
TAX_DETAILS_PAGE = "/dashboard/instructor/earnings/tax-details"
_PLAIN_FIELDS = (
    "is_company", "name", "street", "extra", "postal_code", "city", "region", "country", "residence", "vat_id",
    "registration_number",
)  # fmt: skip


@transaction.atomic
def save_tax_details(*, user: User, details: Mapping[str, Any], now: datetime) -> TaxDetails:
    """Save what the user has confirmed.

    :param details: the cleaned data of a valid `TaxDetailsForm`.
    """
    identity = TaxIdentity(
        tax_number=details["tax_number"],
        birth_date=details["birth_date"].isoformat() if details["birth_date"] else "",
        birth_place=details["birth_place"],
    )
    values = {name: details[name] for name in _PLAIN_FIELDS} | {
        "encrypted_identity": encrypt_identity(identity),
        "number_end": identity.tax_number[-NUMBER_END_LENGTH:],
        "confirmed_at": now,
    }
    TaxDetailsReminder.objects.filter(user=user).delete()
    return TaxDetails.objects.update_or_create(user=user, defaults=values)[0]


def remind_of_tax_details(users: Iterable[User], *, year: int, now: datetime) -> int:
    """Ask the users who gave no tax details for them; return how many were asked.

    Each is asked once a week at most, also if two admins ask at the same moment.
    """
    wanted = {user.pk: user for user in users if user.is_active and user.deleted_at is None}
    for pk in TaxDetails.objects.filter(user__in=wanted).values_list("user", flat=True):
        del wanted[pk]
    asked = 0
    for user in wanted.values():
        with transaction.atomic():
            row, is_first = TaxDetailsReminder.objects.get_or_create(user=user, defaults={"sent_at": now})
            due = TaxDetailsReminder.objects.filter(pk=row.pk, sent_at__lte=now - REMINDER_INTERVAL)
            if is_first or due.update(sent_at=now):
                key = f"{user.pk} {now.isoformat()}"
                people.notify("billing.tax_details_missing", user, TAX_DETAILS_PAGE, key, now=now, year=year)
                asked += 1
    return asked


def forget_tax_details(*, user_id: int, now: datetime) -> None:
    """Delete a deleted user's tax details, unless they belong to earnings that are or may be reported."""
    TaxDetailsReminder.objects.filter(user=user_id).delete()
    if not _is_reportable(user_id, now=now):
        TaxDetails.objects.filter(user=user_id).delete()


def delete_expired_tax_details(*, now: datetime) -> int:
    """Delete the tax details of deleted users whose last reported year is too long ago; return how many."""
    expired = [
        row.pk
        for row in TaxDetails.objects.filter(user__deleted_at__isnull=False).only("user_id").iterator()
        if not _is_reportable(row.user_id, now=now)
    ]
    return TaxDetails.objects.filter(pk__in=expired).delete()[0]


def _is_reportable(user_id: int, *, now: datetime) -> bool:
    """Whether the user earned something or was paid in this year or one of the years before it that are kept."""
    since = day_start(date(now.year - YEARS_KEPT, 1, 1))
    earned = LedgerLine.objects.filter(account__instructor_id=user_id, entry__occurred_at__gte=since)
    paid = Payout.objects.filter(instructor=user_id, created_at__gte=since)
    return earned.exists() or paid.exists()


def plan_next_expiry(*, now: datetime) -> None:
    """Enqueue the job that deletes expired tax details in the coming year; it is enqueued once."""
    year = now.year + 1
    jobs.enqueue("billing.expire_tax_details", key=str(year), delay=day_start(date(year, 1, 2)) - now, year=year)
