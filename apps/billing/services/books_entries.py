"""What admins post by hand: explanations of what the provider moved, and what moved at the platform's own bank."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from uuid import UUID

from django.db import transaction
from django.db.models import Sum

from apps.accounts.models import User
from apps.billing import policies
from apps.billing.errors import EntryPosted
from apps.billing.models import BalanceTransaction, EntryKind, LedgerEntry, LedgerLine, ManualEntry
from apps.billing.services.ledger import post_by_hand, post_explained, post_undone
from apps.billing.services.ledger.posting import BANK, FEES, OWNER, PLATFORM, REFUNDS, TAX, UNEXPLAINED
from studyplatform.kit.errors import NotFound
from studyplatform.kit.policies import enforce

# What an unexplained amount can turn out to be.
EXPLANATIONS = (PLATFORM, FEES, REFUNDS, TAX, BANK, OWNER)


@transaction.atomic
def explain_balance(*, admin: User, fact: str, account: str, now: datetime) -> None:
    """Move what is unexplained of a fact to the account that an admin names. Idempotent.

    :raises NotFound: nothing of it was ever unexplained, or an unexplained amount can't belong to this account.
    """
    enforce(policies.oversee_payments(admin))
    if account not in EXPLANATIONS:
        raise NotFound
    if not list(BalanceTransaction.objects.select_for_update().filter(fact=fact)):
        raise NotFound
    lines = LedgerLine.objects.filter(entry__gateway_id=fact, account__code=UNEXPLAINED).order_by()
    number = LedgerEntry.objects.filter(gateway_id=fact, kind=EntryKind.EXPLAINED).count()
    for currency, amount in lines.values_list("currency").annotate(Sum("amount")):
        if amount:
            post_explained(fact, account, amount=amount, currency=currency, number=number, occurred_at=now)
            number += 1


@transaction.atomic
def post_entry(
    *,
    uid: UUID,
    kind: ManualEntry.Kind,
    amount: int,
    currency: str,
    day: date,
    period: str,
    reference: str,
    admin: User | None,
    now: datetime,
) -> ManualEntry:
    """Post what moved at the platform's bank, such as tax paid to the authorities. Once per ``uid``.

    ``admin``: None if it is posted by a command.

    :raises EntryPosted: something else was posted under this ``uid``.
    """
    if admin is not None:
        enforce(policies.oversee_payments(admin))
    values = {
        "kind": kind,
        "amount": amount,
        "currency": currency,
        "day": day,
        "period": period,
        "reference": reference,
    }
    row, _ = ManualEntry.objects.get_or_create(uid=uid, defaults={**values, "made_by": admin, "made_at": now})
    if any(getattr(row, name) != value for name, value in values.items()):
        raise EntryPosted
    text = " ".join(part for part in (row.period, row.reference) if part)
    at = datetime.combine(row.day, time(12, tzinfo=UTC))
    post_by_hand(row.uid.hex, EntryKind(row.kind), row.amount, row.currency, occurred_at=at, description=text)
    return row


@transaction.atomic
def undo_entry(*, uid: UUID, admin: User | None, now: datetime) -> ManualEntry:
    """Undo it by a counter entry. Idempotent.

    :raises NotFound: there is no such entry.
    """
    if admin is not None:
        enforce(policies.oversee_payments(admin))
    row = ManualEntry.objects.select_for_update(of=("self",)).filter(uid=uid).first()
    if row is None:
        raise NotFound
    if row.undone_at is None:
        row.undone_by, row.undone_at = admin, now
        row.save(update_fields=["undone_by", "undone_at"])
        post_undone(row.uid.hex, occurred_at=now)
    return row
