"""Background jobs about orders and refunds by bank transfer."""

from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from apps.billing.models import Deposit, Order, Refund
from apps.billing.services import transfer_notices, transfer_reminders
from studyplatform.kit import jobs


@jobs.job("billing.tell_of_transfer_order", label=_("Send what to transfer"))
def tell_of_transfer_order(running: jobs.Running, *, order_id: int) -> None:
    """Tell a buyer what to transfer, with the invoice."""
    transfer_notices.tell_of_order(Order.objects.select_related("user").get(pk=order_id))


@jobs.job("billing.tell_of_canceled_transfer", label=_("Notify a buyer of a canceled order"))
def tell_of_canceled_transfer(running: jobs.Running, *, order_id: int) -> None:
    """Tell a buyer that their order was canceled, with the credit note."""
    transfer_notices.tell_of_cancellation(Order.objects.select_related("user").get(pk=order_id))


@jobs.job("billing.tell_of_deposit", label=_("Notify a buyer of a transfer that doesn't fit"))
def tell_of_deposit(running: jobs.Running, *, deposit_id: int) -> None:
    """Tell a buyer that they transferred too little or too much, or that it went back."""
    deposit = Deposit.objects.select_related("order__user").get(pk=deposit_id)
    if deposit.returned_on is not None:
        transfer_notices.tell_of_returned_deposit(deposit)
    else:
        transfer_notices.tell_of_arrival(deposit)


@jobs.job("billing.tell_of_return", label=_("Notify admins of a refund to transfer"))
def tell_of_return(running: jobs.Running, *, refund_id: int) -> None:
    """Tell the admins of a refund by bank transfer, and ask its learner for the account if it is missing."""
    transfer_notices.tell_of_return(Refund.objects.select_related("payment__user").get(pk=refund_id))


@jobs.job("billing.follow_transfers", label=_("Remind of bank transfers"))
def follow_transfers(running: jobs.Running) -> None:
    """The next morning is planned first, so that one that fails does not end the chain."""
    now = timezone.now()
    transfer_reminders.plan_next_reminders(now=now)
    transfer_reminders.follow_overdue(now=now)


jobs.PLANS.register("billing.follow_transfers", lambda now: transfer_reminders.plan_next_reminders(now=now))
