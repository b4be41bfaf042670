"""Reports for admins: every figure equals the rows that it leads to, and the journal balances."""

import csv
import io
import re
from datetime import UTC, date, datetime
from html import unescape

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.billing.models import LedgerEntry, LedgerLine, Payment
from apps.billing.queries import ledger_accounts, reports, yearly_earnings
from apps.billing.queries.report_selection import Selection
from apps.billing.queries.reports import FIGURES, GROUPS
from apps.billing.services import ledger
from apps.billing.services.issuing import issue_missing_documents
from apps.billing.services.payments import book_sale
from tests.accounts.test_reauthentication import recently_authenticated
from tests.factories.accounts import UserFactory
from tests.factories.selling import PaidCourseFactory, PaymentFactory

pytestmark = pytest.mark.django_db
PAGE = "/dashboard/admin/reports"
PAGES = [
    PAGE, f"{PAGE}.csv", f"{PAGE}/entries", f"{PAGE}/entries.csv", f"{PAGE}/journal.csv", f"{PAGE}/accounts",
    f"{PAGE}/accounts/provider", f"{PAGE}/accounts/instructors", f"{PAGE}/instructors", f"{PAGE}/instructors.csv",
]  # fmt: skip


def at(day: str) -> datetime:
    return datetime.fromisoformat(f"{day}T12:00:00").replace(tzinfo=UTC)


def sell(day, amount, *, course, country="", rate=0, **facts):
    tax = (2 * amount * rate + 10_000 + rate) // (2 * (10_000 + rate))
    payment = PaymentFactory(
        course=course,
        list_price=amount,
        amount=amount,
        tax=tax,
        tax_rate=rate,
        country=country,
        paid_at=at(day),
        **facts,
    )
    book_sale(payment)
    return payment


@pytest.fixture
def year():
    """A year of sales, refunds and Premium of two instructors in three countries."""
    rivers = PaidCourseFactory(title="=Rivers", instructor=UserFactory(first_name="Ada"))
    maps = PaidCourseFactory(title="Maps")
    sell("2026-01-31", 10_000, course=rivers, country="DE", rate=1900)
    sell("2026-02-01", 10_000, course=rivers, country="FI", rate=2550)
    returned = sell("2026-02-20", 5_000, course=maps, country="DE", rate=1900)
    ledger.post_refund("re_1", returned.gateway_id, 2_500, occurred_at=at("2026-04-02"))
    sell("2026-04-30", 7_000, course=maps)
    sell("2025-12-31", 1_000, course=maps)
    ledger.post_subscription_payment("pi_premium", 1_400, 0, "usd", occurred_at=at("2026-03-05"))
    part = ledger.PremiumPart(rivers.instructor_id, rivers.pk, rivers.title, 900)
    ledger.post_premium_share("2026-03", 1_300, [part], 7000, "usd", occurred_at=at("2026-03-31"))
    return rivers, maps


def everything(currency="usd"):
    return Selection(currency, since=date(2026, 1, 1), until=date(2026, 12, 31))


def test_every_figure_equals_its_rows_in_every_group(year):
    for group, (_label, names) in GROUPS.items():
        rows = reports.report(everything(), group)
        assert rows, group
        for row in rows:
            for name in names:
                found = list(reports.rows_of(row.selection, FIGURES[name]))
                assert sum(each.part for each in found) == row.amounts[name], (group, row, name)
                assert reports.sum_of(row.selection, FIGURES[name]) == row.amounts[name]
        total = reports.total_of(rows, everything())
        for name in names:
            assert total.amounts[name] == reports.sum_of(everything(), FIGURES[name]), (group, name)


def test_revenue_is_divided_without_a_rest(year):
    total = reports.total_of(reports.report(everything(), "month"), everything()).amounts

    assert total["sold"] == 33_400
    assert total["refunded"] == -2_500
    assert total["net"] == total["sold"] + total["refunded"] - total["tax"]
    assert total["net"] == total["instructors"] + total["pool"] + total["platform"]


def test_groups_are_named_and_in_order(year):
    months = [row.selection.since for row in reports.report(everything(), "month")]
    countries = {row.selection.country: row.amounts["sold"] for row in reports.report(everything(), "country")}
    rates = {row.selection.rate: row.amounts["sold"] for row in reports.report(everything(), "rate")}
    courses = [(row.label, row.amounts["sold"]) for row in reports.report(everything(), "course")]

    assert months == [date(2026, month, 1) for month in (1, 2, 3, 4)]
    lines = {row.selection.country: row.selection.treatment for row in reports.report(everything(), "tax")}

    assert lines == {"DE": "standard", "FI": "standard", "": "standard"}
    assert countries == {"DE": 15_000, "FI": 10_000, "": 8_400}
    assert rates == {1900: 15_000, 2550: 10_000, 0: 8_400}
    assert courses == [("=Rivers", 20_000), ("Maps", 12_000), ("Premium", 1_400)]


def test_a_tax_return_tells_reverse_charge_from_taxed_sales(browser_of, sam, year):
    rivers, _maps = year
    sell("2026-07-01", 9_000, course=rivers, country="DE", tax_treatment="reverse_charge")
    rows = reports.report(everything(), "tax")
    found = {(row.selection.country, row.selection.rate, row.selection.treatment): row.amounts["net"] for row in rows}

    assert found["DE", 0, "reverse_charge"] == 9_000
    assert found["DE", 1900, "standard"] == 15_000 - 2_500 - (1_597 + 798 - 399)
    page = browser_of(sam).get(PAGE, {"by": "tax", "since": "2026-01-01", "until": "2026-12-31"}).content.decode()
    assert "Germany, Reverse charge" in page
    assert "Germany, 19%" in page


def test_entries_name_their_documents(browser_of, sam, year):
    issue_missing_documents()
    rows = browser_of(sam).get(f"{PAGE}/entries", {"figure": "net", "period": "all"}).content.decode()

    assert rows.count("INV-202") == 5
    assert rows.count("CN-202") == 1


def test_days_are_those_of_the_site(year, settings):
    settings.TIME_ZONE = "Pacific/Auckland"  # where 31 January, 12:00 UTC is 1 February
    january, february = reports.report(Selection("usd", until=date(2026, 2, 28), since=date(2026, 1, 1)), "month")

    assert january.amounts["sold"] == 1_000  # of 31 December, 12:00 UTC
    assert february.amounts["sold"] == 25_000


def test_accounts_add_up_to_zero_and_lead_to_their_lines(year):
    rows = ledger_accounts.balances("usd", date(2026, 1, 1), date(2026, 12, 31))

    assert sum(each.closing for each in rows) == 0
    assert sum(each.opening for each in rows) == 0
    assert sum(each.debit for each in rows) == sum(each.credit for each in rows)
    provider = next(each for each in rows if each.code == "provider")
    assert provider.opening == 1_000 - 216
    account = ledger_accounts.find_account("provider")
    lines = list(ledger_accounts.statement(account, "usd", date(2026, 1, 1), date(2026, 12, 31)))
    assert lines[0].balance == provider.closing
    assert lines[-1].balance == provider.opening + lines[-1].amount
    assert sum(line.amount for line in lines) == provider.closing - provider.opening


def test_the_journal_balances_entry_by_entry_and_holds_everything(browser_of, sam, year, settings):
    settings.LEDGER_ACCOUNT_NUMBERS = {"provider": "1360", "instructors": "1700"}
    answer = browser_of(sam).get(f"{PAGE}/journal.csv", {"period": "all"})
    content = b"".join(answer.streaming_content)
    rows = list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"))))

    assert content.startswith(b"\xef\xbb\xbf")
    assert len(rows) == LedgerLine.objects.count()
    sums: dict[str, int] = {}
    for row in rows:
        amount = round(float(row["debit"] or 0) * 100) - round(float(row["credit"] or 0) * 100)
        sums[row["entry"]] = sums.get(row["entry"], 0) + amount
    assert len(sums) == LedgerEntry.objects.count()
    assert not any(sums.values())
    assert {row["description"] for row in rows if "Rivers" in row["description"]} == {"'=Rivers"}
    assert {row["account_number"] for row in rows if row["account"] == "provider"} == {"1360"}
    assert {row["account_number"] for row in rows if row["account"].startswith("instructor:")} == {"1700"}
    assert [row["date"] for row in rows] == sorted(row["date"] for row in rows)


def test_a_figure_on_the_page_leads_to_a_page_with_the_same_sum(browser_of, sam, year):
    browser = browser_of(sam)
    followed = 0
    for group in GROUPS:
        page = browser.get(PAGE, {"by": group, "since": "2026-01-01", "until": "2026-12-31"}).content.decode()
        links = re.findall(r'<a class="link" href="(/dashboard/admin/reports/entries\?[^"]+)">([^<]+)</a>', page)
        for address, amount in links[:: max(1, len(links) // 5)]:  # lines of all kinds, the total among them
            rows = browser.get(unescape(address)).content.decode()
            [shown] = re.findall(r'<h2 class="h4" id="entries-h">([^<]+)</h2>', rows)
            assert shown.endswith(f", {amount}"), (address, shown, amount)
            followed += 1
    assert followed >= 25


def test_an_entry_shows_its_lines_and_what_else_was_posted(browser_of, sam, year):
    refund = LedgerEntry.objects.get(key="refund re_1")
    page = browser_of(sam).get(f"{PAGE}/entries/{refund.uid}").content.decode()

    assert "−$25.00" in page
    assert "Sale" in page
    assert "Tax to be paid" in page


def test_instructors_see_quarters_and_payouts(browser_of, sam, year):
    rivers, _maps = year
    first, second = yearly_earnings.of_year(2026, "usd")

    assert first.instructor_id == rivers.instructor_id
    assert first.quarter(1).sales == 2
    assert first.year.paid == first.year.kept + first.year.earned
    assert second.quarter(2).paid < 7_000  # the refund of 2 April counts in April
    browser = recently_authenticated(browser_of(sam))
    content = b"".join(browser.get(f"{PAGE}/instructors.csv", {"year": "2026"}).streaming_content)
    [row, _other] = csv.DictReader(io.StringIO(content.decode("utf-8-sig")))
    assert row["q1_sales"] == "2"
    assert row["email"] == rivers.instructor.email


@pytest.mark.parametrize("address", PAGES)
def test_only_admins_open_reports(client, browser_of, leo, ada, sam, year, address):
    assert client.get(address).status_code == 302
    assert browser_of(leo).get(address).status_code in {302, 403}
    assert browser_of(ada).get(address).status_code in {302, 403}
    assert recently_authenticated(browser_of(sam)).get(address).status_code == 200


def test_parameters_that_make_no_sense_are_left_out(browser_of, sam, year):
    odd = {
        "since": "2026-13-45",
        "until": "9999-12-31",
        "course": "x" * 40,
        "rate": "-7",
        "currency": "xxx",
        "page": "-1",
    }
    browser = recently_authenticated(browser_of(sam))
    for address in PAGES:
        for more in ({}, {"country": "XXX"}, {"instructor": str(2**70)}, {"figure": "nothing", "by": "nothing"}):
            assert browser.get(address, {**odd, **more}).status_code == 200, (address, more)


def test_pages_need_few_queries_with_many_rows(browser_of, sam, year):
    browser = recently_authenticated(browser_of(sam))
    browser.get(PAGE)
    counts = [count_queries(browser, address) for address in PAGES]
    for number in range(60):
        course = PaidCourseFactory()
        sell(f"2026-05-{number % 28 + 1:02d}", 3_000 + number, course=course, country="DE", rate=1900)

    assert [count_queries(browser, address) for address in PAGES] == counts
    assert max(counts) <= 15


def count_queries(browser, address):
    with CaptureQueriesContext(connection) as queries:
        answer = browser.get(address, {"by": "instructor", "since": "2026-01-01", "until": "2026-12-31"})
        if answer.streaming:
            b"".join(answer.streaming_content)
    return len(queries)


def test_a_site_without_sales_says_so(browser_of, sam):
    page = browser_of(sam).get(PAGE).content.decode()

    assert "Nothing was sold in this period" in page
    assert not Payment.objects.exists()
