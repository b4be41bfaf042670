"""What became of a payout: it was sent, it failed, or the provider took it back.

About a payout to a connected account the provider is asked before anything changes: a transfer that exists and was not
taken back has left, whatever an admin says. About a bank transfer, which is made outside, the admin's word counts.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from apps.accounts import services as people
from apps.accounts.models import User
from apps.billing import policies, transfers
from apps.billing.errors import (
    NothingToReverse,
    PaymentProcessingError,
    PayoutInProgress,
    PayoutTransferred,
    ReversalRefused,
)
from apps.billing.models import LedgerEntry, Payout, PayoutAccount
from apps.billing.queries import payouts as queries
from apps.billing.services.admin_notices import tell_admins_of_failed_payout, tell_admins_of_found_transfer
from apps.billing.services.ledger import (
    post_payout_failed,
    post_payout_reversed,
    post_payout_sent,
    post_payout_transfer,
)
from apps.billing.services.ledger.posting import BANK, PROVIDER
from studyplatform.kit.policies import enforce
from studyplatform.kit.text.money import money

ATTEMPT_TIMEOUT = timedelta(minutes=10)  # after which an attempt that did not report counts as lost
DETAIL_LENGTH = 300
PAYOUT_STATEMENT = "billing.payout_statement"  # the attachment of the email
EARNINGS_PAGE = "/dashboard/instructor/earnings/"
State = Payout.State


def mark_sent(payout_id: int, *, now: datetime) -> Payout:
    """An admin says that the bank has sent the payout. About a connected account the provider is asked instead.

    :raises PaymentProcessingError: the provider can't be reached.
    """
    payout = Payout.objects.get(pk=payout_id)
    if payout.method == PayoutAccount.Method.CONNECTED:
        return sync(payout_id, now=now)
    with transaction.atomic():
        payout = _locked(payout_id)
        if payout.state == State.PROCESSING:
            _note_sent(payout, now=now)
            post_payout_sent(payout.key, source=BANK, occurred_at=now)
    return payout


def fail(payout_id: int, failure: Payout.Failure, *, now: datetime, seen: str = "") -> Payout:
    """An admin says that a payout did not arrive, perhaps after it was sent: the amount is in the balance again.

    ``seen``: the state that the admin saw. If it is another one now, nothing changes: of two who report a bank
    transfer at once, one as sent, the other one must not have it paid again unawares. "" if they saw none.

    :raises PayoutTransferred: the provider has transferred it, and has not taken it back.
    :raises PayoutInProgress: it is being sent at the moment, or an attempt began while the provider was asked.
    :raises PaymentProcessingError: the provider can't be reached.
    """
    payout = Payout.objects.get(pk=payout_id)
    if payout.method == PayoutAccount.Method.BANK or payout.state not in (State.PROCESSING, State.SENT):
        return return_amount(payout_id, failure, seen=seen, now=now)
    payout = _keep_from_runs(payout_id, now=now)
    if payout.state not in (State.PROCESSING, State.SENT):
        return payout
    before, attempted_at = payout.state, payout.attempted_at
    found = close_attempt(payout)
    payout = write_transfers(payout_id, found, now=now)
    if not found and payout.state == before:
        payout = return_amount(payout_id, failure, attempted_at=attempted_at, now=now)
        if payout.state == before:
            raise PayoutInProgress
    if payout.state == State.SENT:
        raise PayoutTransferred(amount=money(payout.amount - payout.amount_reversed, payout.currency))
    return payout


def reverse(payout_id: int, *, admin: User, now: datetime) -> Payout:
    """Let the provider take back what is left of a payout, and write down what it really took.

    :raises ReversalRefused: the provider refuses; the connected account may have no money.
    :raises NothingToReverse: there is no transfer, or it was taken back before.
    :raises PaymentProcessingError: the provider can't be reached.
    """
    enforce(policies.oversee_payments(admin))
    payout = Payout.objects.get(pk=payout_id)
    sender = _sender()
    left = [each for each in sender.find(payout.key) if each.left > 0] if payout.destination else []
    if not left:
        if payout.destination:
            sync(payout_id, now=now)
        raise NothingToReverse
    try:
        for transfer in left:
            sender.reverse(transfer, attempt=payout.refusals, currency=payout.currency)
    except transfers.ReversalFailed as error:
        refused = Payout.objects.filter(pk=payout_id, refusals=payout.refusals)
        refused.update(refusals=payout.refusals + 1, failure_detail=error.detail[:DETAIL_LENGTH])
        sync(payout_id, now=now)  # another one of several may have been taken back
        raise ReversalRefused(reason=error.detail.rstrip(".")) from error
    return sync(payout_id, now=now)


def sync(payout_id: int, *, now: datetime) -> Payout:
    """Write down what the provider knows of a payout to a connected account. Idempotent.

    :raises PaymentProcessingError: the provider can't be reached.
    """
    payout = Payout.objects.get(pk=payout_id)
    if payout.method == PayoutAccount.Method.BANK or payout.state == State.SCHEDULED:
        return payout
    return write_transfers(payout_id, _sender().find(payout.key), now=now)


@transaction.atomic
def write_transfers(payout_id: int, found: Iterable[transfers.Transfer], *, now: datetime) -> Payout:
    """Post the transfers of a payout, and what was taken back of them; its state follows. Idempotent.

    A transfer of a payout that had failed, or a second one, is posted too: the money has left.
    """
    payout, found = _locked(payout_id), list(found)
    before = payout.state
    if payout.state == State.SCHEDULED or not found:
        return payout
    steps = ["sent", "failed", *(f"transfer {each.gateway_id}" for each in found)]
    entries = LedgerEntry.objects.filter(key__in=[f"payout {payout.key} {step}" for step in steps])
    posted = dict(entries.values_list("key", "gateway_id"))
    has_failed = f"payout {payout.key} failed" in posted
    sent = posted.get(f"payout {payout.key} sent")
    taken_back = 0
    for transfer in found:
        if not has_failed and sent in (None, transfer.gateway_id):
            sent = transfer.gateway_id
            post_payout_sent(payout.key, source=PROVIDER, gateway_id=sent, occurred_at=transfer.created)
        else:
            post_payout_transfer(payout.key, transfer.gateway_id, transfer.amount, occurred_at=transfer.created)
            if transfer.left and transfer.gateway_id not in posted.values():
                tell_admins_of_found_transfer(payout, transfer.gateway_id, transfer.left, now=now)
        for reversal in transfer.reversals:
            post_payout_reversed(payout.key, reversal.gateway_id, reversal.amount, occurred_at=reversal.created)
            taken_back += reversal.amount
    newly_taken, payout.amount_reversed = taken_back - payout.amount_reversed, taken_back
    if any(each.left for each in found):
        if before != State.SENT:
            _note_sent(payout, now=now, gateway_id=found[0].gateway_id, is_found=before == State.FAILED)
    elif before != State.FAILED:
        payout.state, payout.settled_at = State.FAILED, now
        payout.failure, payout.gateway_id = Payout.Failure.REVERSED, found[0].gateway_id
    payout.save()
    if newly_taken > 0:
        amounts: dict[str, Any] = {"amount": money(newly_taken, payout.currency)}
        key = f"{payout.key} {taken_back}"
        people.notify("billing.payout_reversed", payout.instructor, EARNINGS_PAGE, key, now=now, **amounts)
    if payout.state == State.FAILED and before != State.FAILED:
        tell_admins_of_failed_payout(payout, now=now)
    return payout


def close_attempt(payout: Payout) -> list[transfers.Transfer]:
    """End the latest attempt to send a payout, should its process only be held up, and ask what was sent.

    :raises AppError: the provider can't be reached, or is making the transfer at this moment.
    """
    sender = _sender()
    sender.close_attempt(payout.key, attempt=payout.refusals, destination=payout.destination)
    return sender.find(payout.key)


@transaction.atomic
def return_amount(
    payout_id: int,
    failure: Payout.Failure,
    *,
    now: datetime,
    detail: str = "",
    attempted_at: datetime | None = None,
    seen: str = "",
) -> Payout:
    """Nothing was sent, or it came back: the amount is in the balance again. The caller knows that it has not left.

    ``attempted_at``: the attempt about which the caller knows it. If another one has begun since, nothing changes; nor
    if the payout is not in the state ``seen`` any longer.
    """
    payout = _locked(payout_id)
    if seen and payout.state != seen:
        return payout
    if payout.state not in (State.PROCESSING, State.SENT) or attempted_at not in (None, payout.attempted_at):
        return payout
    payout.state, payout.settled_at = State.FAILED, now
    payout.failure, payout.failure_detail = failure, detail[:DETAIL_LENGTH]
    payout.save(update_fields=["state", "settled_at", "failure", "failure_detail"])
    post_payout_failed(payout.key, occurred_at=now)
    params: dict[str, Any] = {
        "amount": money(payout.amount, payout.currency),
        "reason": str(Payout.Failure(failure).label),
        "what_to_do": str(queries.WHAT_TO_DO[failure]),
    }
    people.notify("billing.payout_failed", payout.instructor, EARNINGS_PAGE, payout.key, now=now, **params)
    tell_admins_of_failed_payout(payout, now=now)
    return payout


@transaction.atomic
def _keep_from_runs(payout_id: int, *, now: datetime) -> Payout:
    """Claim a payout in processing as an attempt to send it does, so that no run sends it while it is decided.

    :raises PayoutInProgress: such an attempt began within ten minutes.
    """
    payout = _locked(payout_id)
    if payout.state != State.PROCESSING:
        return payout
    if payout.attempted_at and payout.attempted_at > now - ATTEMPT_TIMEOUT:
        raise PayoutInProgress
    payout.attempted_at = now
    payout.save(update_fields=["attempted_at"])
    return payout


def _note_sent(payout: Payout, *, now: datetime, gateway_id: str = "", is_found: bool = False) -> None:
    """It was sent; ``is_found``: after it had counted as failed."""
    payout.state, payout.settled_at, payout.gateway_id = State.SENT, now, gateway_id
    payout.failure, payout.failure_detail = "", ""
    payout.save()
    account = {"method": payout.method, "gateway_id": payout.destination, "last4": payout.last4}
    PayoutAccount.objects.filter(user=payout.instructor, verified_at=None, **account).update(verified_at=now)
    params: dict[str, Any] = {"amount": money(payout.amount, payout.currency), "account": payout.last4}
    key = f"{payout.key} found" if is_found else payout.key
    statement = [(PAYOUT_STATEMENT, str(payout.uid))]
    people.notify(
        "billing.payout_sent", payout.instructor, EARNINGS_PAGE, key, attachments=statement, now=now, **params
    )


def _locked(payout_id: int) -> Payout:
    return Payout.objects.select_for_update(of=("self",)).select_related("instructor").get(pk=payout_id)


def _sender() -> transfers.Transfers:
    sender = transfers.current()
    if sender is None:
        raise PaymentProcessingError(reason="nothing sends to connected accounts")
    return sender
