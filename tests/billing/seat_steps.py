"""What sequences do with seats of teams, and what must hold of them, see `test_sequences`."""

from contextlib import suppress
from datetime import timedelta
from uuid import uuid4

from apps.billing.access import access_to
from apps.billing.models import Order, Payment, SeatPack
from apps.billing.services import checkout, seat_orders, seat_returns, seats, transfer_cards
from apps.billing.services.seat_orders import WantedSeats
from studyplatform.kit.errors import AppError


class SeatSteps:
    """The part of a sequence's run that concerns seats. Another learner of the party holds the first free seat."""

    def buy_seats(self, who, what, count, number, tells):
        """Seats of a course by card; number 2 stands for Premium."""
        self._order(who, WantedSeats(count=count, course=self._course(what)), number, tells)

    def invoice_seats(self, who, what, count):
        self._order(who, WantedSeats(count=count, course=self._course(what)), "", tells=False)

    def add_seats(self, who, count, number, tells):
        if pack := self._packs(who).filter(state="open").last():
            of_course = {"course": pack.course, "more_of": pack.team} if pack.course else {}
            wanted = WantedSeats(count=count, **(of_course or {"extends": pack.extends or pack}))
            self._order(who, wanted, number, tells)

    def pay_seat_invoice(self, who, number, tells):
        """The buyer pays the oldest invoice by card after all."""
        unpaid = Order.objects.filter(user=self.learners[who], is_for_team=True, method="transfer", status="open")
        if order := unpaid.order_by("pk").first():
            self._pay(order, number, tells)

    def hold_seat(self, who):
        """The other learner gets a free seat."""
        if seat := self._packs(who).filter(state="open").last():
            with suppress(AppError):
                free = seat.rows.free().first()
                if free is not None:
                    user = self.learners[1 - who]
                    seats.give_seat(seat=free, user=user, by=self.learners[who], now=self.moment())

    def give_back_seats(self, who, count):
        """Free seats of the newest pack that is paid."""
        for pack in self._packs(who).filter(order__status="paid", state="open").order_by("-pk")[:1]:
            payment = Payment.objects.get(order=pack.order_id)
            amount = seat_returns.worth_of(payment, pack, count)
            with suppress(AppError):
                seat_returns.give_back_seats(
                    user=self.learners[who], pack=pack, count=count, expected_amount=amount, now=self.moment()
                )

    def _course(self, what):
        return self.courses[what] if what < len(self.courses) else None

    def _packs(self, who):
        packs = SeatPack.objects.filter(team__owner=self.learners[who]).order_by("pk")
        return packs.select_related("team__owner", "course", "order", "extends")

    def _order(self, who, wanted, number, tells):
        with suppress(AppError):
            now = self.moment()
            price = seat_orders.quote_seats(wanted=wanted, country="", vat_id="", now=now).price
            order = seat_orders.order_seats(
                user=self.learners[who], wanted=wanted, buyer={}, country="", email="", agrees=True,
                method=Order.Method.CARD if number else Order.Method.TRANSFER, request_key=uuid4(),
                expected_total=price.total, expected_currency=price.currency, now=now,
            )  # fmt: skip
            if number:
                self._pay(order, number, tells)

    def _pay(self, order, number, tells):
        with suppress(AppError):
            pay = transfer_cards.pay_by_card if order.method == "transfer" else checkout.pay_seats
            begun = pay(user=order.user, order=order, card="", now=self.moment())
            if begun.client_secret:
                self.browser.confirm(begun.client_secret, number)
            if tells:
                checkout.sync_order(order=order, now=self.moment())


def seat_differences(run, left_of):
    """Yield what differs between what was paid for seats, which of them exist, and what they open."""
    for pack in SeatPack.objects.select_related("order", "course").order_by("pk"):
        order, rows = pack.order, list(pack.rows.select_related("holder", "refund"))
        payment = Payment.objects.filter(order=order).first()
        is_live = pack.state in {"open", "paused"}
        if payment is not None and is_live != (left_of(run, payment) > 0):
            yield "seats", f"{pack}: {left_of(run, payment)} of {payment.amount} are left"
        if payment is None and is_live != (order.status == "open" and order.method == "transfer"):
            yield "seats", f"{pack}: its order is {order.status}, and nothing was paid"
        if rows and len(rows) != pack.seats:
            yield "seats", f"{pack} has {len(rows)} rows"
        for seat in rows:
            if seat.closed_at is not None and seat.refund.status not in {"processing", "done"}:
                yield "seats", f"a seat of {pack} is closed, and its refund is {seat.refund.status}"
            if (
                seat.holder is not None
                and pack.course is not None
                and is_live
                and not access_to(seat.holder, pack.course)
            ):
                yield "seats", f"a seat of {pack} opens nothing to its holder"


def holds_seat(user, course, at):
    """Whether an open seat opens a course to a user."""
    packs = SeatPack.objects.opening(at + timedelta(seconds=1)).filter(course=course)
    return packs.filter(rows__holder=user, rows__closed_at=None).exists()
