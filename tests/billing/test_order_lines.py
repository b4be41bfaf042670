"""Payments of several courses: an entry of the ledger per line, and what is given back is split over them."""

from itertools import pairwise

import pytest
from django.db import IntegrityError, connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from apps.billing import services
from apps.billing.models import LedgerEntry
from apps.billing.queries.ledger import balances
from apps.billing.queries.ledger_check import problems
from apps.billing.services.ledger import KeyTaken, LedgerError
from apps.billing.splits import split_returned_by_line
from studyplatform.kit.db.triggers import drop_triggers, install_triggers
from tests.factories.billing import sale

NOW = timezone.now()


@pytest.mark.parametrize("totals", [[1], [6400, 3200], [1, 1, 1], [7, 0, 3, 90], [97, 89, 83, 2, 1], [0, 0], [5, 5, 5]])
def test_no_line_gives_back_less_when_more_is_given_back(totals):
    whole = sum(totals)
    steps = [split_returned_by_line(returned, totals) for returned in range(whole + 3)]

    assert [sum(step) for step in steps] == list(range(whole + 3))
    assert steps[whole] == totals
    assert steps[whole + 2] == [totals[0] + 2, *totals[1:]]
    for before, after in pairwise(steps):
        assert all(small <= large for small, large in zip(before, after, strict=True))


def test_each_line_stays_near_its_proportion():
    parts = split_returned_by_line(5000, [6400, 3200, 400])
    assert parts == [3200, 1600, 200]


def bundle() -> None:
    """A payment of 100.00 for three courses: two of instructor 7, and one that costs nothing in it."""
    sale(7, 6000, tax=600, payment_key="pi_1", course_id=1)
    assert services.post_sale("pi_1", 9, 0, 0, 7000, "usd", occurred_at=NOW, item=1, course_id=2) is None
    sale(8, 3000, tax=300, payment_key="pi_1", item=2, course_id=3, share_bps=5000)
    sale(7, 1000, tax=100, payment_key="pi_1", item=3, course_id=4)


def usd(*codes: str) -> list[int]:
    found = balances(codes)
    return [found.get(code, {}).get("usd", 0) for code in codes]


PARTIES = ("provider", "tax", "instructor:7", "instructor:8", "platform", "refunds")


@pytest.mark.database
@pytest.mark.django_db
def test_each_line_is_an_entry_and_gives_back_its_part():
    bundle()
    keys = list(LedgerEntry.objects.order_by("item").values_list("key", "payment_key", "item"))
    assert keys == [("sale pi_1", "pi_1", 0), ("sale pi_1 2", "pi_1", 2), ("sale pi_1 3", "pi_1", 3)]
    sold = usd(*PARTIES)
    assert sold == [10_000, -1000, -4410, -1350, -3240, 0]

    first = services.post_refund("re_1", "pi_1", 5001, occurred_at=NOW)
    assert services.post_refund("re_1", "pi_1", 5001, occurred_at=NOW) == first
    given_back = LedgerEntry.objects.filter(kind="refund").order_by("item")
    assert [(one.key, one.total, one.course_id) for one in given_back] == [
        ("refund re_1", -3001, 1), ("refund re_1 2", -1500, 3), ("refund re_1 3", -500, 4),
    ]  # fmt: skip
    with pytest.raises(KeyTaken):
        services.post_refund("re_1", "pi_1", 5000, occurred_at=NOW)
    with pytest.raises(LedgerError):
        services.post_refund("re_2", "pi_1", 5000, occurred_at=NOW)

    services.post_refund_failed("re_1", occurred_at=NOW)
    services.post_refund_failed("re_1", occurred_at=NOW)
    assert usd(*PARTIES) == sold
    services.post_refund("re_3", "pi_1", 10_000, occurred_at=NOW)
    assert usd(*PARTIES) == [0, 0, 0, 0, -3240, 3240]
    assert list(problems()) == []


@pytest.mark.database
@pytest.mark.django_db
def test_a_refund_of_a_cent_belongs_to_one_line_and_can_fail():
    bundle()
    sold = usd(*PARTIES)
    services.post_refund("re_1", "pi_1", 1, occurred_at=NOW)
    assert LedgerEntry.objects.filter(kind="refund").count() == 1
    services.post_refund("re_2", "pi_1", 1, occurred_at=NOW)
    services.post_refund_failed("re_1", occurred_at=NOW)
    services.post_refund_failed("re_2", occurred_at=NOW)
    assert usd(*PARTIES) == sold


@pytest.mark.database
@pytest.mark.django_db
def test_a_dispute_is_opened_once_and_lost_by_line():
    bundle()
    services.post_refund("re_1", "pi_1", 2000, occurred_at=NOW)
    dispute = {"opened_at": NOW, "occurred_at": NOW}
    services.post_dispute("dp_1", "pi_1", services.DisputeMoves(10_000, 0, 1500), is_closed=False, **dispute)
    opened = LedgerEntry.objects.get(kind="dispute_opened")
    assert (opened.instructor_id, opened.course_id, opened.item) == (None, None, 0)

    for _ in range(2):
        services.post_dispute("dp_1", "pi_1", services.DisputeMoves(10_000, 0, 1500), is_closed=True, **dispute)

    # What the bank took beyond the payment is the platform's loss.
    assert usd("instructor:7", "instructor:8", "tax", "disputes", "refunds", "losses") == [0, 0, 0, 0, 3240, 2000]
    assert usd("provider") == [-3500]


@pytest.mark.database
@pytest.mark.django_db
def test_a_line_is_posted_once():
    bundle()
    with pytest.raises(KeyTaken):
        sale(8, 2999, payment_key="pi_1", item=2)
    with pytest.raises(IntegrityError, match=r"append-only|one_entry_per_payment_and_item"):
        services.post(
            "another key",
            "sale",
            NOW,
            [services.Line("provider", 5, "usd"), services.Line("platform", -5, "usd")],
            services.ledger.Facts(currency="usd", payment_key="pi_1", item=2),
        )


@pytest.mark.long
@pytest.mark.database
@pytest.mark.django_db(transaction=True)
def test_earlier_orders_get_their_line_and_can_go_back():
    executor = MigrationExecutor(connection)
    newest = executor.loader.graph.leaf_nodes()
    drop_triggers(plan=newest)  # as `manage.py migrate` does
    others = [leaf for leaf in newest if leaf[0] != "billing"]
    before = [("billing", "0009_payout_destinations"), *others]
    try:
        executor.migrate(before)
        old = executor.loader.project_state(before).apps
        user = old.get_model("accounts", "User").objects.create(email="leo@example.com", username="leo")
        subject = old.get_model("courses", "Subject").objects.create(slug="maps", name="Maps")
        course = old.get_model("courses", "Course").objects.create(
            title="Rivers", slug="rivers", instructor=user, subject=subject, created_at=NOW, updated_at=NOW
        )
        amounts = {"list_price": 6400, "discount": 400, "total": 6000, "tax": 600}
        for number in ("A", "B"):
            old.get_model("billing", "Order").objects.create(
                number=number, user=user, course=course, instructor=user, share=7000, currency="usd",
                email="leo@example.com", status="paid", created_at=NOW, **amounts,
            )  # fmt: skip
        paid = old.get_model("billing", "Order").objects.get(number="B")
        old.get_model("billing", "Payment").objects.create(
            gateway_id="pi_1", kind="course", user=user, order=paid, title="Rivers, as it was", receipt_number="1",
            list_price=6400, discount=400, amount=6000, currency="usd", paid_at=NOW,
        )  # fmt: skip

        executor = MigrationExecutor(connection)
        executor.migrate(newest)
        lines = executor.loader.project_state(newest).apps.get_model("billing", "OrderLine").objects.order_by("order")
        names = ("title", "order__title", "course", "instructor", "share", "position", *amounts)
        rest = (course.pk, user.pk, 7000, 0, *amounts.values())
        assert list(lines.values_list(*names)) == [
            ("Rivers", "Rivers", *rest),
            ("Rivers, as it was", "Rivers, as it was", *rest),
        ]

        executor = MigrationExecutor(connection)
        executor.migrate(before)
        back = executor.loader.project_state(before).apps.get_model("billing", "Order").objects
        assert set(back.values_list("course", "instructor", "share")) == {(course.pk, user.pk, 7000)}
    finally:
        MigrationExecutor(connection).migrate(newest)
        install_triggers()
