"""What is held of bank transfers goes back: an admin transfers it at the bank, which may send it back again."""

from datetime import date, datetime

from django.db import transaction
from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.billing import transfer_policies
from apps.billing.errors import TransferRefused
from apps.billing.models import Deposit
from apps.billing.services import ledger
from apps.billing.services.order_states import locked_order
from apps.billing.services.transfer_orders import moment_of_return, noon_of
from studyplatform.kit import jobs
from studyplatform.kit.policies import enforce


@transaction.atomic
def return_deposit(*, deposit: Deposit, returned_on: date, actor: User, now: datetime) -> Deposit:
    """Write down that what is held of a transfer was transferred back on a day. Idempotent.

    :raises TransferRefused: nothing is held, or the day is before it arrived or in the future.
    """
    enforce(transfer_policies.confirm_transfers(actor))
    order = locked_order(deposit.order)
    deposit = Deposit.objects.get(pk=deposit.pk)
    if deposit.returned_on is not None:
        return deposit
    if not deposit.rest:
        raise TransferRefused(reason=_("Nothing of it is left to return."))
    amount, moment = deposit.rest, moment_of_return(noon_of(deposit.received_on), returned_on, now=now)
    deposit.returned_on, deposit.returned_by, deposit.returned_at = returned_on, actor, now
    deposit.save(update_fields=["returned_on", "returned_by", "returned_at"])
    key, text = deposit.uid.hex, order.number
    number = ledger.count_rejected_deposits(key)
    ledger.post_deposit_returned(key, amount, order.currency, occurred_at=moment, description=text, number=number)
    job_key = f"{deposit.pk} returned{f' {number}' if number else ''}"
    jobs.enqueue("billing.tell_of_deposit", key=job_key, deposit_id=deposit.pk)
    return deposit


@transaction.atomic
def reject_deposit(*, deposit: Deposit, rejected_on: date, actor: User, now: datetime) -> Deposit:
    """Write down that the bank sent back what was transferred back: it is held again. Idempotent.

    :raises TransferRefused: the day is before it was transferred back or in the future.
    """
    enforce(transfer_policies.confirm_transfers(actor))
    order = locked_order(deposit.order)
    deposit = Deposit.objects.get(pk=deposit.pk)
    if deposit.returned_on is None:
        return deposit
    moment = moment_of_return(noon_of(deposit.returned_on), rejected_on, now=now)
    key, amount = deposit.uid.hex, deposit.amount - deposit.applied
    number = ledger.count_rejected_deposits(key)
    ledger.post_deposit_rejected(
        key, amount, order.currency, occurred_at=moment, description=order.number, number=number
    )
    deposit.returned_on = deposit.returned_by = deposit.returned_at = None
    deposit.save(update_fields=["returned_on", "returned_by", "returned_at"])
    return deposit
