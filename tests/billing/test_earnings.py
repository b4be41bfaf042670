"""The earnings page: what an instructor earned, what is paid out next, and CSV files."""

import csv
import io
import re
from datetime import UTC, date, datetime, timedelta

import pytest
import time_machine
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from apps.billing import services
from apps.billing.models import (
    EntryKind,
    LedgerAccount,
    LedgerEntry,
    LedgerLine,
    Payout,
    PayoutAccount,
    PremiumEarning,
    PremiumMonth,
)
from apps.billing.queries.earnings import Earned, OfCourse, by_course, by_month, earned_parts, transactions
from apps.billing.queries.payouts import next_payout_day, payable, sales_until
from apps.billing.queries.pending_payouts import pending_payout
from apps.billing.queries.periods import Period
from apps.billing.queries.yearly_earnings import of_year
from apps.billing.services import ledger
from tests.accounts.test_reauthentication import recently_authenticated
from tests.factories.billing import sale
from tests.factories.courses import CourseFactory

pytestmark = pytest.mark.django_db
URL = "/dashboard/instructor/earnings/"
NOW = datetime(2026, 11, 23, 9, tzinfo=UTC)
IBAN = "DE89370400440532013000"


@pytest.fixture(autouse=True)
def _now():
    with time_machine.travel(NOW, tick=False):
        yield


@pytest.fixture
def bank(ada):
    services.save_bank_account(user=ada, holder="Ada Byron", number=IBAN, bank_code="", now=NOW)


def at(month, day):
    return datetime(2026, month, day, 12, tzinfo=UTC)


def text_of(browser, query=""):
    answer = browser.get(f"{URL}{query}")
    assert answer.status_code == 200
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.content.decode()))


# --- The numbers ----------------------------------------------------------------------------------


@pytest.mark.database
@pytest.mark.parametrize("zone", ["Asia/Tokyo", "America/New_York", "Asia/Kathmandu", "UTC"])
def test_months_and_years_are_those_of_the_site_everywhere(browser_of, ada, settings, zone):
    """The chart, the lists, the files, the dashboard and the yearly statement agree on the edges of months."""
    settings.TIME_ZONE = zone
    edges = [(2024, 12, 31, 15), (2024, 12, 31, 18), (2025, 1, 1, 2), (2025, 6, 15, 12), (2025, 12, 31, 20)]
    moments = [datetime(*edge, 15, tzinfo=UTC) for edge in edges]
    for number, at in enumerate(moments):
        ledger.post_sale(f"pi_{number}", ada.pk, 10 ** (number + 1), 0, 10_000, "usd", occurred_at=at)
    local = [timezone.localtime(at) for at in moments]
    expected = {
        year: sum(10 ** (n + 1) for n, at in enumerate(local) if at.year == year) for year in (2024, 2025, 2026)
    }

    months = by_month(earned_parts(ada.pk), "usd")
    assert months.keys() == {at.date().replace(day=1) for at in local}
    for year, amount in expected.items():
        assert sum(each.share for month, each in months.items() if month.year == year) == amount
        period = Period(str(year), "", date(year, 1, 1), date(year + 1, 1, 1))
        assert sum(row.share for row in transactions(ada.pk, "usd", period=period)) == amount
        assert sum(row.year.earned for row in of_year(year, "usd")) == amount
    lines = browser_of(ada).get("/dashboard/instructor/earnings/transactions.csv?period=all")
    rows = csv.DictReader(io.StringIO(b"".join(lines.streaming_content).decode("utf-8-sig")))
    assert [row["date"] for row in rows] == [at.date().isoformat() for at in reversed(local)]


def test_earnings_per_month_and_course_are_net_of_refunds_and_without_tax(ada):
    sale(ada.pk, 11_900, tax=1900, at=at(9, 30), course_id=1, description="Rivers", payment_key="pi_1")
    sale(ada.pk, 5000, at=at(10, 1), course_id=2, description="Maps")
    sale(ada.pk, 9000, at=at(10, 2), course_id=2, description="Maps", currency="eur")
    sale(99, 5000, at=at(10, 2), course_id=3)
    services.post_refund("re_1", "pi_1", 5950, occurred_at=at(10, 5))
    shared = [services.PremiumPart(ada.pk, 2, "Maps", 2000), services.PremiumPart(99, 3, "Bees", 1000)]
    services.post_premium_share("2026-10", 3000, shared, 7000, "usd", occurred_at=at(10, 31))
    services.post_fee("pi_1", 300, "usd", occurred_at=at(10, 1))
    parts = earned_parts(ada.pk)

    assert by_month(parts, "usd") == {
        date(2026, 9, 1): Earned(10_000, 7000, 1),
        date(2026, 10, 1): Earned(5000 - 5000 + 2000, 3500 - 3500 + 1400, 3),
    }
    assert by_course(parts, "usd") == [
        OfCourse(2, "Maps", Earned(7000, 4900, 2), premium=Earned(2000, 1400, 1)),
        OfCourse(1, "Rivers", Earned(5000, 3500, 2)),
    ]


@pytest.mark.database
def test_the_pending_payout_adds_up_to_what_is_payable(ada, bank):
    """Before and after a payout, with refunds of both old and new sales, failures and premium."""
    until = sales_until(date(2026, 12, 1))
    sale(ada.pk, 10_000, at=at(9, 1), payment_key="pi_old")
    sale(ada.pk, 8000, at=at(9, 20), payment_key="pi_young_then")
    compare(ada, until, None)

    services.run_payouts(date(2026, 10, 1), now=at(10, 1))
    last = Payout.objects.get()
    assert last.amount == 7000
    compare(ada, until, last)
    services.mark_payout_sent(last.pk, now=at(10, 3))

    services.post_refund("re_old", "pi_old", 1000, occurred_at=at(10, 9))
    services.post_refund("re_new", "pi_young_then", 800, occurred_at=at(9, 25))
    shared = [services.PremiumPart(ada.pk, 2, "Maps", 1000)]
    services.post_premium_share("2026-10", 1000, shared, 7000, "usd", occurred_at=at(10, 31))
    sale(ada.pk, 5000, at=at(11, 20))
    pending = compare(ada, until, last)
    assert (pending.sales, pending.refunds.count, pending.premium.share) == (Earned(8000, 5600, 1), 2, 700)
    assert (pending.waiting.share, pending.carried) == (3500, 0)
    assert pending.platform == pending.paid - pending.amount

    services.fail_payout(last.pk, Payout.Failure.OTHER, now=at(10, 9))
    assert compare(ada, until, None).amount == 7000 - 700 + 5600 - 560 + 700


def compare(user, until, last):
    pending = pending_payout(user.pk, "usd", until=until, last=last)
    assert pending.amount == payable(until, instructor_id=user.pk).get((user.pk, "usd"), 0)
    return pending


# --- The page -------------------------------------------------------------------------------------


def test_without_sales_the_page_says_so(browser_of, ada):
    text = text_of(browser_of(ada))

    assert "No sales yet" in text
    assert "Add payout details" in text


def test_the_page_shows_what_was_earned(browser_of, ada, bank):
    sale(ada.pk, 10_000, at=at(9, 1), course_id=1, description="Rivers", payment_key="pi_1")
    sale(ada.pk, 20_000, at=at(11, 20), course_id=2, description="Maps")
    services.post_refund("re_1", "pi_1", 1000, occurred_at=at(9, 3))
    services.run_payouts(date(2026, 10, 1), now=at(10, 1))
    services.mark_payout_sent(Payout.objects.get().pk, now=at(10, 3))
    sale(ada.pk, 30_000, at=at(10, 20), course_id=2, description="Maps")

    text = text_of(browser_of(ada))

    assert "Total revenue $590 $413 of it is yours, since September 2026" in text
    assert "Monthly earnings $140" in text
    assert "Pending payout $210 Scheduled" in text
    assert "Next payout date 1 December" in text
    assert "How $210 adds up" in text
    assert "Later: newer sales $140.00" in text
    assert "Rivers Refund 3 Sep 2026 −$10.00 −$7.00" in text
    assert "$63.00 1 October 2026, to the account ending in 3000. Sent on 3 October. Statement" in text
    assert "October 2026 $300.00 $210.00" in text
    assert "Account ending in 3000 Verified on 3 October 2026" in text


def test_a_failed_payout_says_why_and_what_to_do(browser_of, ada, bank):
    sale(ada.pk, 10_000, at=at(9, 1))
    services.run_payouts(date(2026, 11, 1), now=at(11, 1))
    services.fail_payout(Payout.objects.get().pk, Payout.Failure.ACCOUNT_NUMBER, now=at(11, 4))

    text = text_of(browser_of(ada))

    assert "The bank doesn&#39;t recognize the account number" in text
    assert "Check the account number in your payout details. Nothing is lost" in text
    assert "Pending payout $70 Scheduled" in text


def test_a_balance_below_the_minimum_or_without_details_waits(browser_of, ada):
    sale(ada.pk, 1000, at=at(9, 1))
    assert "Add your payout details" in text_of(browser_of(ada))

    services.save_bank_account(user=ada, holder="Ada", number=IBAN, bank_code="", now=NOW)
    text = text_of(browser_of(ada))
    assert "Pending payout $7 Waits until it reaches $50" in text
    assert "Scheduled" not in text


def test_transactions_are_paginated_and_filtered_by_course(browser_of, ada):
    for number in range(21):
        sale(ada.pk, 1000 + number, at=at(9, 1) + timedelta(hours=number), course_id=1, description="Rivers")
    sale(ada.pk, 50_000, at=at(9, 9), course_id=2, description="Maps")
    browser = browser_of(ada)

    assert "$10.01" in text_of(browser, "?page=2")
    assert "$10.01" not in text_of(browser)
    assert "$500" in text_of(browser)
    filtered = text_of(browser, "?course=2")
    assert "Maps Sale 9 Sep 2026 $500.00" in filtered
    assert "Rivers Sale" not in filtered
    assert text_of(browser, "?course=999&page=abc&currency=xxx")


def shared_month(course, month, seconds, part):
    """A month of Premium that one course was watched in."""
    first = date(2026, month, 1)
    row = PremiumMonth.objects.create(
        month=first, currency="usd", pool=part, seconds=seconds, share=7000, shared_at=NOW
    )
    shares = [services.PremiumPart(course.instructor_id, course.pk, course.title, part)]
    earned = services.post_premium_share(f"2026-{month}", part, shares, 7000, "usd", occurred_at=at(month, 28))
    PremiumEarning.objects.create(
        shared=row, course=course, instructor=course.instructor, seconds=seconds, part=part, earned=earned[course.pk]
    )


@pytest.fixture
def maps(ada):
    return CourseFactory(instructor=ada, title="Maps", status="published", pricing="premium")


def test_premium_has_its_minutes_and_amounts_per_month_and_course(browser_of, ada, maps):
    shared_month(maps, 9, 125 * 60, 2000)
    shared_month(maps, 10, 60, 1000)
    sale(ada.pk, 5000, at=at(10, 2), course_id=maps.pk, description="Maps")
    browser = browser_of(ada)

    text = text_of(browser)
    assert "Maps Premium in September, 125 minutes 28 Sep 2026 $20.00 $14.00" in text
    assert "Maps Premium in October, 1 minute 28 Oct 2026 $10.00 $7.00" in text
    assert "Maps $21.00 of it for 126 minutes in Premium $80.00 $56.00" in text
    assert "Maps $7.00 of it for 1 minute in Premium $60.00 $42.00" in text_of(browser, "?period=last-month")


def test_the_rule_of_premium_is_explained_with_the_months(browser_of, ada, eve, leo, maps):
    shared_month(maps, 9, 125 * 60, 2000)
    rule = "premium"

    assert "Maps September 2026 125 $20.00 $14.00" in text_of(browser_of(ada), rule)
    assert "You keep 70% of it" in text_of(browser_of(ada), rule)
    assert "Maps" not in text_of(browser_of(eve), rule)
    assert browser_of(leo).get(f"{URL}{rule}").status_code == 302
    assert f'href="{URL}{rule}"' in browser_of(ada).get(URL).content.decode()


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("", {"Jan", "Oct", "Nov"}),
        ("?period=nonsense", {"Jan", "Oct", "Nov"}),
        ("?period=this-month", {"Nov"}),
        ("?period=last-month", {"Oct"}),
        ("?period=2025", {"Old"}),
        ("?period=2026", {"Jan", "Oct", "Nov"}),
        ("?period=all", {"Old", "Jan", "Oct", "Nov"}),
    ],
)
def test_a_period_limits_transactions_courses_and_files(browser_of, ada, query, shown):
    moments = {"Old": datetime(2025, 11, 30, 23, 59, tzinfo=UTC), "Jan": at(1, 2), "Oct": at(10, 31), "Nov": at(11, 1)}
    for number, (title, moment) in enumerate(moments.items(), start=1):
        sale(ada.pk, 1000, at=moment, course_id=number, description=f"{title} course")
    browser = browser_of(ada)

    text = text_of(browser, query)
    assert {title for title in moments if f"{title} course Sale" in text} == shown
    assert {title for title in moments if f"{title} course $10.00" in text} == shown
    count = "1 transaction" if len(shown) == 1 else f"{len(shown)} transactions"
    assert f"{count} ${len(shown) * 10}.00 ${len(shown) * 7}.00" in text
    assert "Total revenue $40" in text  # whatever the period

    assert {row[2].split()[0] for row in read(browser, "transactions.csv", query)[1:]} == shown
    assert len(read(browser, "statement.csv", query)) - 1 == len(shown)


def test_the_chart_ends_with_the_period(browser_of, ada):
    sale(ada.pk, 1000, at=datetime(2025, 3, 5, 12, tzinfo=UTC))
    browser = browser_of(ada)

    assert "Twelve months to December 2025" in text_of(browser, "?period=2025")
    assert "March 2025 $10.00 $7.00" in text_of(browser, "?period=2025")
    assert "The last twelve months" in text_of(browser)
    assert "No transactions in this period." in text_of(browser)


def test_several_currencies_have_a_page_each(browser_of, ada):
    sale(ada.pk, 1000, at=at(9, 1))
    sale(ada.pk, 2000, at=at(9, 1), currency="eur")

    assert "Total revenue $10" in text_of(browser_of(ada))
    assert "Total revenue €20" in text_of(browser_of(ada), "?currency=eur")


def test_nobody_sees_the_earnings_of_others(browser_of, ada, eve, leo):
    sale(ada.pk, 12_300, at=at(9, 1), description="Rivers")

    assert "No sales yet" in text_of(browser_of(eve))
    for page in ("", "transactions.csv", "statement.csv"):
        assert browser_of(leo).get(f"{URL}{page}").status_code == 302
    assert "123" not in b"".join(browser_of(eve).get(f"{URL}transactions.csv").streaming_content).decode()


def test_csv_files_have_every_transaction_and_month(browser_of, ada):
    sale(ada.pk, 11_900, tax=1900, at=at(9, 1), description="=Rivers", payment_key="pi_1")
    services.post_refund("re_1", "pi_1", 5950, occurred_at=at(10, 3))
    browser = browser_of(ada)

    rows = read(browser, "transactions.csv")
    assert [row[:6] for row in rows[1:]] == [
        ["2026-10-03", "refund", "'=Rivers", "USD", "-50.00", "-35.00"],
        ["2026-09-01", "sale", "'=Rivers", "USD", "100.00", "70.00"],
    ]
    assert read(browser, "statement.csv")[1:] == [
        ["2026-09", "USD", "100.00", "70.00", "30.00", "1"],
        ["2026-10", "USD", "-50.00", "-35.00", "-15.00", "1"],
    ]


def read(browser, name, query=""):
    answer = browser.get(f"{URL}{name}{query}")
    assert answer["Content-Disposition"] == f'attachment; filename="{name}"'
    return list(csv.reader(io.StringIO(b"".join(answer.streaming_content).decode())))


@pytest.mark.parametrize("rows", [10, 400])
def test_the_page_costs_few_queries(browser_of, ada, bank, rows):
    many_sales(ada.pk, rows)
    browser = browser_of(ada)
    browser.get(URL)

    with CaptureQueriesContext(
        connection,
    ) as queries:
        answer = browser.get(URL)

    assert answer.status_code == 200
    assert len(queries) <= 10


def many_sales(instructor_id, count):
    """Sales of the last days, without the service, which takes milliseconds for each."""
    accounts = [
        LedgerAccount.objects.create(code=code, type="asset", instructor_id=who)
        for code, who in (("provider", None), ("platform", None), (f"instructor:{instructor_id}", instructor_id))
    ]
    entries = LedgerEntry.objects.bulk_create(
        LedgerEntry(
            key=f"sale {number}", payment_key=f"{number}", kind=EntryKind.SALE, instructor_id=instructor_id,
            course_id=number % 9, description="Rivers", currency="usd", total=100, line_count=3,
            occurred_at=timezone.now() - timedelta(minutes=number * 40),
        )
        for number in range(count)
    )  # fmt: skip
    LedgerLine.objects.bulk_create(
        LedgerLine(entry=entry, account=account, amount=amount, currency="usd")
        for entry in entries
        for account, amount in zip(accounts, (100, -30, -70), strict=True)
    )


# --- Payout details -------------------------------------------------------------------------------


def test_payout_details_are_saved_and_only_their_end_is_shown(browser_of, ada):
    browser = recently_authenticated(browser_of(ada))

    answer = browser.post(f"{URL}details", {"holder": "Ada Byron", "number": IBAN, "bank_code": ""})

    assert (answer.status_code, answer["Location"]) == (302, URL)
    assert PayoutAccount.objects.get(user=ada).last4 == "3000"
    page = browser.get(f"{URL}details").content.decode()
    assert "ending in 3000" in page
    assert IBAN not in page


def test_mistyped_details_are_refused_and_nothing_changes(browser_of, ada):
    answer = recently_authenticated(browser_of(ada)).post(f"{URL}details", {"holder": "Ada", "number": "DE00"})

    assert answer.status_code == 422
    assert "This IBAN is not valid" in answer.content.decode()
    assert not PayoutAccount.objects.exists()


def test_details_need_a_recent_proof_of_identity_and_the_role(browser_of, ada, leo):
    values = {"holder": "Ada", "number": IBAN, "bank_code": ""}

    stale = browser_of(ada).post(f"{URL}details", values)
    assert stale["Location"].startswith("/auth/prove")
    assert recently_authenticated(browser_of(leo)).post(f"{URL}details", values).status_code == 302
    assert not PayoutAccount.objects.exists()


def test_the_account_of_a_deleted_user_is_forgotten(ada, bank):
    services.forget_payout_data(user_id=ada.pk, now=timezone.now())
    assert not PayoutAccount.objects.exists()


def test_the_next_day_of_the_page_is_that_of_the_job():
    assert next_payout_day(NOW.date()) == date(2026, 12, 1)
