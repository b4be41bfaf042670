"""The ledger: what each business fact posts, once, balanced, and never changed afterwards."""

import uuid
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.db import IntegrityError, connection, transaction
from django.db.models import Sum
from django.utils import timezone

from apps.billing import services
from apps.billing.models import EntryKind, LedgerAccount, LedgerEntry, LedgerLine
from apps.billing.queries.ledger import balances
from apps.billing.services.ledger import Facts, KeyTaken, LedgerError, Line, NotPosted, Unbalanced
from studyplatform.kit.db.triggers import drop_triggers
from studyplatform.kit.management.commands import flush
from tests.billing.books import settled
from tests.factories.billing import sale

pytestmark = [pytest.mark.database, pytest.mark.django_db]
NOW = timezone.now()


def usd(*codes: str) -> list[int]:
    """The balances of these accounts."""
    found = balances(codes)
    return [found.get(code, {}).get("usd", 0) for code in codes]


# --- What is posted -------------------------------------------------------------------------------


def test_a_sale_is_split_between_tax_instructor_and_platform():
    sale(7, 11_900, tax=1900, payment_key="pi_1", course_id=3, description="Rivers")

    assert usd("provider", "tax", "instructor:7", "platform") == [11_900, -1900, -7000, -3000]
    entry = LedgerEntry.objects.get(key="sale pi_1")
    assert (entry.total, entry.tax, entry.share_bps, entry.course_id) == (11_900, 1900, 7000, 3)


def test_the_rounding_of_a_share_goes_to_the_platform():
    sale(7, 101)

    assert usd("instructor:7", "platform") == [-70, -31]


def test_a_sale_without_an_instructor_belongs_to_the_platform():
    entry = sale(None, 5000)

    assert usd("provider", "platform") == [5000, -5000]
    assert entry.share_bps == 0


def test_a_free_sale_posts_nothing():
    assert services.post_sale("pi_1", 7, 0, 0, 7000, "usd", occurred_at=NOW) is None
    assert not LedgerEntry.objects.exists()


def test_other_currencies_are_kept_apart():
    sale(7, 1000)
    sale(7, 900, currency="EUR")

    assert balances(["instructor:7"]) == {"instructor:7": {"usd": -700, "eur": -630}}


def test_the_fee_may_become_known_later_and_is_the_platforms():
    sale(7, 5000, payment_key="pi_1")
    services.post_fee("pi_1", 175, "usd", occurred_at=NOW)
    services.post_fee("pi_1", 175, "usd", occurred_at=NOW)

    assert usd("provider", "fees", "instructor:7") == [4825, 175, -3500]
    with pytest.raises(KeyTaken):
        services.post_fee("pi_1", 180, "usd", occurred_at=NOW)


def test_partial_refunds_of_everything_give_back_what_the_sale_gave():
    sale(7, 9999, tax=777, payment_key="pi_1")
    for number, amount in enumerate((1, 3333, 2, 6663)):
        services.post_refund(f"re_{number}", "pi_1", amount, occurred_at=NOW)

    assert usd("provider", "tax", "instructor:7") == [0, 0, 0]
    assert sum(usd("platform", "refunds")) == 0
    with pytest.raises(LedgerError):
        services.post_refund("re_9", "pi_1", 1, occurred_at=NOW)


def test_a_refund_uses_the_share_of_its_sale():
    sale(7, 10_000, share_bps=6000, payment_key="pi_1")
    entry = services.post_refund("re_1", "pi_1", 5000, occurred_at=NOW)

    assert usd("instructor:7") == [-3000]
    assert (entry.total, entry.instructor_id, entry.share_bps) == (-5000, 7, 6000)


def test_a_failed_refund_is_undone():
    sale(7, 101, payment_key="pi_1")
    services.post_refund("re_1", "pi_1", 50, occurred_at=NOW)
    services.post_refund("re_2", "pi_1", 51, occurred_at=NOW)
    services.post_refund_failed("re_1", occurred_at=NOW)
    services.post_refund_failed("re_1", occurred_at=NOW)

    assert usd("provider", "instructor:7") == [50, -35]
    services.post_refund("re_3", "pi_1", 50, occurred_at=NOW)
    assert usd("provider", "instructor:7") == [0, 0]


def test_nothing_is_refunded_without_its_payment():
    with pytest.raises(NotPosted):
        services.post_refund("re_1", "pi_1", 50, occurred_at=NOW)


def dispute(name="dp_1", *, withdrawn=10_000, reinstated=0, fee=0, fee_returned=0, is_closed=False):
    moves = services.DisputeMoves(withdrawn, reinstated, fee, fee_returned)
    for _ in range(2):
        services.post_dispute(name, "pi_1", moves, is_closed=is_closed, opened_at=NOW, occurred_at=NOW)


def test_a_dispute_that_is_won_leaves_only_the_fee():
    sale(7, 10_000, payment_key="pi_1")
    dispute(fee=1500)
    assert usd("provider", "disputes", "fees", "instructor:7") == [-1500, 10_000, 1500, -7000]

    dispute(reinstated=10_000, fee=1500, is_closed=True)

    assert usd("provider", "disputes", "fees", "instructor:7") == [8500, 0, 1500, -7000]
    dispute(reinstated=10_000, fee=1500, fee_returned=1500, is_closed=True)
    assert usd("provider", "disputes", "fees", "instructor:7") == [10_000, 0, 0, -7000]


def test_a_lost_dispute_is_like_a_refund_until_the_bank_changes_its_mind():
    sale(7, 10_000, payment_key="pi_1")
    dispute(is_closed=True)
    assert usd("provider", "disputes", "instructor:7", "refunds", "platform") == [0, 0, 0, 3000, -3000]

    dispute(reinstated=10_000, is_closed=True)

    assert usd("provider", "disputes", "instructor:7", "refunds", "platform") == [10_000, 0, -7000, 0, -3000]
    dispute(is_closed=True)  # an answer of the provider that is older than the last one
    assert usd("provider", "disputes", "instructor:7") == [10_000, 0, -7000]


def test_a_dispute_won_in_part_gives_back_the_rest():
    sale(7, 10_000, payment_key="pi_1")
    dispute(withdrawn=6000)
    dispute(withdrawn=6000, reinstated=4000, is_closed=True)
    dispute("dp_2", withdrawn=1000, is_closed=True)

    assert usd("provider", "disputes", "instructor:7", "refunds") == [7000, 0, -4900, 900]
    kinds = LedgerEntry.objects.order_by("pk").values_list("kind", "total")
    assert list(kinds)[1:] == [
        ("dispute_opened", 0), ("dispute_won", 0), ("dispute_lost", -2000), ("dispute_opened", 0),
        ("dispute_lost", -1000),
    ]  # fmt: skip


@pytest.mark.parametrize("refund_is_first", [True, False])
def test_the_platform_bears_what_a_dispute_takes_beyond_the_payment(refund_is_first):
    sale(7, 10_000, payment_key="pi_1")
    if not refund_is_first:
        dispute(is_closed=True)
    services.post_refund("re_1", "pi_1", 4000, occurred_at=NOW)
    services.post_refund("re_1", "pi_1", 4000, occurred_at=NOW)
    if refund_is_first:
        dispute(is_closed=True)

    assert usd("provider", "instructor:7", "refunds", "platform", "losses") == [-4000, 0, 3000, -3000, 4000]
    services.post_refund_failed("re_1", occurred_at=NOW)
    services.post_refund_failed("re_1", occurred_at=NOW)
    assert usd("provider", "instructor:7", "refunds", "platform", "losses") == [0, 0, 3000, -3000, 0]


def test_a_pending_refund_is_given_back_when_it_has_arrived():
    sale(7, 10_000, payment_key="pi_1")
    for name in ("re_1", "re_2", "re_3"):
        services.post_refund_pending(name, "pi_1", 1000, occurred_at=NOW)
    assert usd("provider", "pending_refunds", "instructor:7") == [7000, 3000, -7000]

    services.post_refund("re_1", "pi_1", 1000, occurred_at=NOW)
    services.post_refund("re_2", "pi_1", 1000, occurred_at=NOW)
    services.post_refund_failed("re_2", occurred_at=NOW)
    services.post_refund_failed("re_3", occurred_at=NOW)
    services.post_refund_fee("re_3", "pi_1", 25, occurred_at=NOW)

    assert usd("provider", "pending_refunds", "instructor:7", "fees") == [8975, 0, -6300, 25]
    assert services.post_refund_failed("re_4", occurred_at=NOW) is None


def test_premium_is_pooled_and_divided():
    services.post_subscription_payment("pi_1", 1190, 190, "usd", occurred_at=NOW)
    assert usd("provider", "tax", "premium") == [1190, -190, -1000]

    parts = [services.PremiumPart(7, 1, "Rivers", 667), services.PremiumPart(8, 2, "Maps", 333)]
    for _ in range(2):
        earned = services.post_premium_share("2026-11", 1000, parts, 7000, "usd", occurred_at=NOW)

    assert usd("premium", "instructor:7", "instructor:8", "platform") == [0, -466, -233, -301]
    assert earned == {1: 466, 2: 233}
    shares = LedgerEntry.objects.filter(kind="premium_share").order_by("pk")
    assert [(each.course_id, each.total) for each in shares] == [(1, 667), (2, 333), (None, 0)]


def test_the_platform_pays_what_is_divided_beyond_the_pool():
    parts = [services.PremiumPart(7, 1, "Rivers", 1000)]
    services.post_premium_share("2026-11", -300, parts, 7000, "usd", occurred_at=NOW)
    assert usd("premium", "instructor:7", "platform") == [-300, -700, 1000]


def test_a_pool_that_nobody_watched_is_the_platforms():
    services.post_premium_share("2026-11", 1000, [], 7000, "usd", occurred_at=NOW)

    assert usd("premium", "platform") == [1000, -1000]


def test_a_refunded_subscription_leaves_the_pool():
    services.post_subscription_payment("pi_1", 1190, 190, "usd", occurred_at=NOW)
    services.post_refund("re_1", "pi_1", 1190, occurred_at=NOW)

    assert usd("provider", "tax", "premium") == [0, 0, 0]


def test_a_payout_leaves_the_balance_when_it_starts_and_the_provider_when_it_is_sent():
    sale(7, 10_000)
    services.post_payout_started("po_1", 7, 7000, "usd", occurred_at=NOW)
    assert usd("instructor:7", "payouts", "provider") == [0, -7000, 10_000]

    services.post_payout_sent("po_1", occurred_at=NOW)

    assert usd("instructor:7", "payouts", "provider") == [0, 0, 3000]


def test_a_failed_payout_returns_to_the_balance_also_after_it_was_sent():
    sale(7, 10_000)
    services.post_payout_started("po_1", 7, 3000, "usd", occurred_at=NOW)
    services.post_payout_failed("po_1", occurred_at=NOW)
    assert usd("instructor:7", "payouts", "provider") == [-7000, 0, 10_000]
    with pytest.raises(LedgerError):
        services.post_payout_sent("po_1", occurred_at=NOW)

    services.post_payout_started("po_2", 7, 7000, "usd", occurred_at=NOW)
    services.post_payout_sent("po_2", source="bank", occurred_at=NOW)
    services.post_payout_failed("po_2", occurred_at=NOW)
    services.post_payout_failed("po_2", occurred_at=NOW)

    assert usd("instructor:7", "payouts", "provider", "bank") == [-7000, 0, 10_000, 0]


# --- Once, and balanced ---------------------------------------------------------------------------


def test_the_same_key_is_posted_once():
    first = sale(7, 10_000, payment_key="pi_1")
    again = sale(7, 10_000, payment_key="pi_1", at=NOW + timedelta(hours=1))

    assert again == first
    assert LedgerLine.objects.count() == 3
    with pytest.raises(KeyTaken):
        sale(7, 9000, payment_key="pi_1")
    with pytest.raises(KeyTaken):
        sale(8, 10_000, payment_key="pi_1")


def test_an_unbalanced_entry_is_refused():
    lines = [Line("provider", 5, "usd"), Line("platform", -5, "eur")]
    with pytest.raises(Unbalanced):
        services.post("a", EntryKind.SALE, NOW, lines, Facts(currency="usd"))


@pytest.mark.parametrize("facts", [{"tax": 10_001}, {"tax": -1}, {"share_bps": 10_001}, {"total": -5}])
def test_impossible_sales_are_refused(facts):
    with pytest.raises(ValueError, match="of"):
        sale(7, **facts)


def test_a_balance_can_be_read_as_of_a_time():
    sale(7, 1000, at=NOW - timedelta(days=20))
    sale(7, 1000, at=NOW)

    assert balances(["instructor:7"], until=NOW - timedelta(days=14)) == {"instructor:7": {"usd": -700}}


# --- What the database refuses --------------------------------------------------------------------


@pytest.mark.parametrize("model", [LedgerAccount, LedgerEntry, LedgerLine])
def test_rows_cannot_be_changed_or_deleted(model):
    sale()
    field = "code" if model is LedgerAccount else "currency"
    rows = model.objects.filter(pk=model.objects.first().pk)
    before = list(rows.values())

    for change in (lambda: rows.update(**{field: "eur"}), lambda: rows._raw_delete(rows.db)):
        with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
            change()

    assert list(rows.values()) == before


def test_a_complete_entry_gets_no_further_line():
    entry = sale()
    other = LedgerAccount.objects.create(code="fees", type="expense")
    with pytest.raises(IntegrityError, match="other lines"), settled():
        LedgerLine.objects.create(entry=entry, account=other, amount=5, currency="usd")


def test_the_database_refuses_an_unbalanced_entry():
    accounts = [LedgerAccount.objects.create(code=code, type="asset") for code in ("provider", "bank")]
    with pytest.raises(IntegrityError, match="add up to zero"), settled():
        write_entry(accounts, [5, -4])

    with settled():
        write_entry(accounts, [5, -5])


def write_entry(accounts, amounts):
    """Write an entry without the service."""
    entry = LedgerEntry.objects.create(
        key=uuid.uuid4().hex, kind="sale", payment_key="x", occurred_at=NOW, currency="usd", total=5, line_count=2
    )
    for account, amount in zip(accounts, amounts, strict=True):
        LedgerLine.objects.create(entry=entry, account=account, amount=amount, currency="usd")


@pytest.mark.skipif(connection.vendor != "sqlite", reason="only SQLite has INSERT OR REPLACE")
@pytest.mark.parametrize("table", ["billing_ledgeraccount", "billing_ledgerentry", "billing_ledgerline"])
def test_rows_cannot_be_replaced_on_sqlite(table):
    sale()
    with connection.cursor() as cursor, pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
        cursor.execute(f"INSERT OR REPLACE INTO {table} SELECT * FROM {table}")  # noqa: S608


@pytest.mark.skipif(connection.vendor != "postgresql", reason="only PostgreSQL has TRUNCATE")
def test_tables_cannot_be_truncated_on_postgresql():
    with settled():
        sale()
    with connection.cursor() as cursor, pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
        cursor.execute("TRUNCATE billing_ledgerline")


@pytest.mark.django_db(transaction=True)
def test_a_flush_empties_the_ledger_and_a_migration_keeps_it_append_only():
    sale()
    call_command(flush.Command(), interactive=False, verbosity=0)  # not the one of the tests
    assert not LedgerEntry.objects.exists()

    drop_triggers(plan=["something"])
    call_command("migrate", "kit", verbosity=0)
    sale()
    with pytest.raises(IntegrityError, match="append-only"):
        LedgerLine.objects.update(amount=5)


def test_all_lines_add_up_to_zero():
    sale(7, 10_000, tax=500)
    assert LedgerLine.objects.aggregate(sum=Sum("amount"))["sum"] == 0
