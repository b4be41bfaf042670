"""What sequences do with orders and refunds by bank transfer, see `test_sequences`."""

from contextlib import suppress
from uuid import uuid4

from django.utils.timezone import localdate

from apps.billing.models import Deposit, Order, Refund
from apps.billing.purchases import purchase_of_course
from apps.billing.services import bank_returns, checkout, deposit_returns, refunds, transfer_cards, transfer_orders
from studyplatform.kit.errors import AppError


class TransferSteps:
    """The part of a sequence's run that concerns bank transfers: of buyers, and back to them."""

    def order_by_transfer(self, who, what):
        course = self.courses[what]
        with suppress(AppError):
            checkout.begin_order(
                user=self.learners[who], purchase=purchase_of_course(course), code="", country="", email="",
                expected_total=course.price, expected_currency="usd", card="", saves_card=False, agrees=True,
                method=Order.Method.TRANSFER, now=self.moment(),
            )  # fmt: skip

    def transferred(self, who, what):
        found = Order.objects.filter(user=self.learners[who], course=self.courses[what], method="transfer")
        return found.order_by("-pk").first()

    def confirm_transfer(self, who, what, percent, keeps_difference):
        """An admin sees an amount for the latest order on the bank statement: all of it, a part, or too much."""
        if order := self.transferred(who, what):
            now = self.moment()
            with suppress(AppError):
                transfer_orders.record_transfer(
                    order=order, amount=max(1, order.total * percent // 100), received_on=localdate(now),
                    actor=self.sam, uid=uuid4(), keeps_difference=keeps_difference, now=now,
                )  # fmt: skip

    def cancel_transfer(self, who, what):
        if order := self.transferred(who, what):
            with suppress(AppError):
                transfer_orders.cancel_transfer_order(order=order, reason="-", actor=self.sam, now=self.moment())

    def pay_transfer_by_card(self, who, what, number, tells):
        if order := self.transferred(who, what):
            with suppress(AppError):
                begun = transfer_cards.pay_by_card(user=order.user, order=order, card="", now=self.moment())
                if begun.client_secret:
                    self.secrets[who, what] = begun.client_secret
                    self.browser.confirm(begun.client_secret, number)
                if tells:
                    checkout.sync_order(order=begun.order, now=self.moment())

    def return_by_bank(self, is_rejected):
        """An admin makes the oldest transfer back; perhaps the bank sends it back again."""
        now, waiting = self.moment(), self.returns()
        if refund := waiting.first():
            with suppress(AppError):
                bank_returns.confirm_return(refund=refund, returned_on=localdate(now), actor=self.sam, now=now)
                if is_rejected:
                    bank_returns.reject_return(
                        refund=refund, rejected_on=localdate(now), reason="account closed", actor=self.sam, now=now
                    )

    def returns(self):
        """The refunds of this party that are to be transferred, the oldest first."""
        mine = Refund.objects.filter(payment__user__in=self.learners, method="transfer", status="processing")
        return mine.order_by("pk")

    def return_instead(self, who, what, percent):
        """A card takes nothing back, so an admin returns the payment by bank transfer."""
        if payment := self.payment(who, what):
            with suppress(AppError):
                refunds.refund_by_admin(
                    admin=self.sam, payment=payment, amount=payment.amount * percent // 100, reason="",
                    by_transfer=True, now=self.moment(),
                )  # fmt: skip

    def return_deposit(self):
        now = self.moment()
        mine = Deposit.objects.filter(order__user__in=self.learners, returned_on=None)
        for deposit in mine.order_by("pk")[:1]:
            with suppress(AppError):
                deposit_returns.return_deposit(deposit=deposit, returned_on=localdate(now), actor=self.sam, now=now)
