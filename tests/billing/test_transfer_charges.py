"""Transfers that banks have shortened, and what banks send back: each movement is booked with its day and amount."""

from datetime import date, timedelta
from uuid import uuid4

import pytest

from apps.accounts.errors import RoleRequired
from apps.billing import access
from apps.billing.errors import OrderSettled, TransferDiffers, TransferRefused
from apps.billing.models import Deposit, Document, LedgerLine
from apps.billing.queries.journal import lines
from apps.billing.queries.ledger import balances
from apps.billing.queries.ledger_check import problems
from apps.billing.queries.report_selection import Selection
from apps.billing.services.bank_returns import confirm_return, reject_return
from apps.billing.services.deposit_returns import reject_deposit, return_deposit
from apps.billing.services.refunds import refund_by_admin
from apps.billing.services.transfer_orders import (
    bear_charges,
    place_transfer_order,
    record_transfer,
)
from tests.factories.selling import NOW, OrderFactory

pytestmark = pytest.mark.django_db
LATER = NOW + timedelta(days=9)
ARRIVED_ON = date(2026, 6, 3)
REST_ON = date(2026, 6, 5)


@pytest.fixture
def placed(mia, paid):
    return place_transfer_order(order=OrderFactory(user=mia, course=paid), due_at=NOW + timedelta(days=14), now=NOW)


def record(order, amount, *, actor, day=ARRIVED_ON, **terms):
    return record_transfer(
        order=order, amount=amount, received_on=day, actor=actor, uid=uuid4(), now=LATER,
        **{"keeps_difference": True, **terms},
    )  # fmt: skip


def held() -> dict[str, int]:
    found = balances(["bank", "deposits", "fees"])
    return {account: sums["usd"] for account, sums in found.items() if sums.get("usd")}


def days_of(account: str) -> list[tuple[str, int]]:
    lines = LedgerLine.objects.filter(account__code=account).order_by("entry__occurred_at", "pk")
    return [(line.entry.occurred_at.date().isoformat(), line.amount) for line in lines.select_related("entry")]


def test_what_banks_kept_is_a_fee_of_the_platform_and_the_buyer_has_paid(placed, sam, mia, paid):
    for amount, why in ((6350, {"keeps_difference": False, "bears_charges": True}), (3100, {"bears_charges": True})):
        with pytest.raises((TransferDiffers, TransferRefused)):
            record(placed, amount, actor=sam, **why)
    assert not Deposit.objects.exists()

    payment = record(placed, 6350, actor=sam, bears_charges=True)

    assert (payment.amount, payment.paid_at.date(), access.access_to(mia, paid).source) == (
        6400, ARRIVED_ON, "purchase",
    )  # fmt: skip
    assert held() == {"bank": 6350, "fees": 50}
    assert balances(["platform"]) == {"platform": {"usd": -1920}}  # the instructor earns from the whole price
    assert [(each.amount, each.applied, each.charges, each.rest) for each in Deposit.objects.all()] == [
        (6350, 6350, 50, 0),
    ]  # fmt: skip
    assert [each.total for each in Document.objects.all()] == [6400]
    assert list(problems()) == []
    rows = [row for row in lines(Selection(currency="usd")) if "transfer_charge" in row]
    assert len(rows) == 2
    assert all("0.50" in row for row in rows)

    refund = refund_by_admin(admin=sam, payment=payment, amount=6400, reason="-", now=LATER)
    confirm_return(refund=refund, returned_on=LATER.date(), actor=sam, now=LATER)
    assert held() == {"bank": -50, "fees": 50}
    assert list(problems()) == []


def test_a_part_that_waits_can_be_accepted_later(placed, sam, mia):
    record(placed, 3000, actor=sam)
    record(placed, 3350, actor=sam, day=REST_ON)
    with pytest.raises(RoleRequired):
        bear_charges(order=placed, expected=50, actor=mia, now=LATER)
    with pytest.raises(TransferDiffers):
        bear_charges(order=placed, expected=3400, actor=sam, now=LATER)  # a tab from before the second part

    payment = bear_charges(order=placed, expected=50, actor=sam, now=LATER)

    assert payment.paid_at.date() == REST_ON
    assert days_of("bank") == [("2026-06-03", 3000), ("2026-06-05", 3350)]
    assert held() == {"bank": 6350, "fees": 50}
    assert list(problems()) == []
    with pytest.raises(OrderSettled):
        bear_charges(order=placed, expected=50, actor=sam, now=LATER)


def test_more_than_has_arrived_is_no_bank_charge(placed, sam):
    with pytest.raises(TransferRefused):
        bear_charges(order=placed, expected=6400, actor=sam, now=LATER)
    record(placed, 1, actor=sam)
    with pytest.raises(TransferRefused):
        bear_charges(order=placed, expected=6399, actor=sam, now=LATER)
    assert held() == {"bank": 1, "deposits": -1}


def test_what_the_bank_sends_back_is_booked_on_its_day(placed, sam):
    payment = record(placed, 6400, actor=sam)
    record(placed, 500, actor=sam)
    deposit = Deposit.objects.get()
    for day in (4, 6):
        return_deposit(deposit=deposit, returned_on=date(2026, 6, day), actor=sam, now=LATER)
        with pytest.raises(TransferRefused):
            reject_deposit(deposit=deposit, rejected_on=date(2026, 6, day - 1), actor=sam, now=LATER)
        for _twice in range(2):
            reject_deposit(deposit=deposit, rejected_on=date(2026, 6, day + 1), actor=sam, now=LATER)
        deposit.refresh_from_db()
        assert (deposit.rest, held()["deposits"]) == (500, -500)
    refund = refund_by_admin(admin=sam, payment=payment, amount=100, reason="-", now=NOW + timedelta(days=2))
    confirm_return(refund=refund, returned_on=date(2026, 6, 5), actor=sam, now=LATER)
    with pytest.raises(TransferRefused):
        reject_return(refund=refund, rejected_on=date(2026, 6, 4), reason="-", actor=sam, now=LATER)
    reject_return(refund=refund, rejected_on=date(2026, 6, 8), reason="-", actor=sam, now=LATER)

    assert days_of("bank") == [
        ("2026-06-03", 6400), ("2026-06-03", 500), ("2026-06-04", -500), ("2026-06-05", 500), ("2026-06-05", -100),
        ("2026-06-06", -500), ("2026-06-07", 500), ("2026-06-08", 100),
    ]  # fmt: skip
    assert list(problems()) == []


def test_the_ledger_and_what_is_held_are_compared(placed, sam):
    record(placed, 500, actor=sam)
    assert list(problems()) == []
    Deposit.objects.update(amount=600)

    assert [(each.kind, each.name, each.text) for each in problems()] == [
        ("deposits", "usd", "600 are held for buyers, and the ledger says 500"),
    ]  # fmt: skip
