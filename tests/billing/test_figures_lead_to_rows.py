"""Figures of the earnings, of the revenue and of instructors' years lead to the rows that make them."""

import re
from datetime import UTC, datetime, timedelta
from html import unescape

import pytest
import time_machine

from apps.billing import services
from apps.billing.models import Payout, PayoutAccount
from apps.billing.queries import reports, yearly_earnings
from apps.billing.queries.pending_payouts import PARTS, pending_payout, pending_rows
from apps.billing.queries.report_selection import Selection
from apps.billing.queries.reports import FIGURES
from apps.billing.services import ledger, payouts
from tests.factories.billing import BalanceTransactionFactory, sale

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 6, 1, 3, tzinfo=UTC)
EARNINGS = "/dashboard/instructor/earnings/"


@pytest.fixture
def earned(ada):
    """A payout that was sent, then sales, refunds and a share of Premium, and young sales."""
    PayoutAccount.objects.create(user=ada, method="bank", holder="Ada", last4="1234", changed_at=NOW)
    sale(ada.pk, 10_000, at=NOW - timedelta(days=40), payment_key="pi_a")
    payouts.run(NOW.date(), now=NOW)
    services.mark_payout_sent(Payout.objects.get().pk, now=NOW)
    sale(ada.pk, 11_900, tax=1_900, at=NOW + timedelta(days=1), payment_key="pi_b")
    ledger.post_refund("re_1", "pi_a", 1_000, occurred_at=NOW + timedelta(days=2))
    ledger.post_subscription_payment("pi_premium", 1_400, 0, "usd", occurred_at=NOW)
    part = ledger.PremiumPart(ada.pk, 7, "Rivers", 901)
    ledger.post_premium_share("2026-06", 1_300, [part], 7000, "usd", occurred_at=NOW + timedelta(days=3))
    sale(ada.pk, 5_000, at=NOW + timedelta(days=29), payment_key="pi_young")
    return ada


def test_each_part_of_the_next_payout_has_its_rows(earned, browser_of, eve):
    until, last = NOW + timedelta(days=20), Payout.objects.get()
    pending = pending_payout(earned.pk, "usd", until=until, last=last)

    def rows(part):
        return list(pending_rows(earned.pk, "usd", part, until=until, last=last))

    for name in PARTS:
        figure = pending.carried if name == "carried" else getattr(pending, name).share
        assert sum(row.share for row in rows(name)) == figure, name
        if name != "carried":
            assert sum(row.paid for row in rows(name)) == getattr(pending, name).paid, name
    assert sum(row.share for row in rows("")) == pending.amount != 0
    assert pending.waiting.count == len(rows("waiting")) == 1

    with time_machine.travel(NOW + timedelta(days=29, hours=5), tick=False):
        page = unescape(browser_of(earned).get(EARNINGS).content.decode())
        links = re.findall(r'href="(/dashboard/instructor/earnings/next-payout[^"]*)">([^<]+)<', page)
        assert len(links) >= 6
        for address, amount in links:
            shown = browser_of(earned).get(address).content.decode()
            assert "part=sales" in address or "part=refunds" in address or "premium" in address or amount in shown
        assert "Rivers" in shown or "Rivers" in browser_of(earned).get(f"{EARNINGS}next-payout").content.decode()
        assert "Rivers" not in browser_of(eve).get(f"{EARNINGS}next-payout").content.decode()
        assert browser_of(earned).get(f"{EARNINGS}next-payout?part=x&page=-1&currency=zzz").status_code == 200


def test_what_learners_paid_and_the_tax_of_a_quarter_have_their_entries(earned):
    [year] = yearly_earnings.of_year(2026, "usd", instructor_id=earned.pk)

    for number in (1, 2, 3, 4):
        selection = yearly_earnings.quarter_selection(2026, number, "usd", earned.pk)
        named = (("paid", "paid"), ("tax", "tax"), ("instructors", "earned"), ("kept", "kept"))
        for figure, expected in named:
            assert reports.sum_of(selection, FIGURES[figure]) == getattr(year.quarter(number), expected), figure
        assert reports.rows_of(selection, FIGURES["activities"]).count() == year.quarter(number).activities
    assert reports.sum_of(Selection("usd", instructor=earned.pk), FIGURES["paid"]) == year.year.paid
    assert reports.sum_of(Selection("usd", instructor=earned.pk), FIGURES["kept"]) == year.year.kept != 0


def test_each_month_of_the_chart_leads_to_its_transactions(earned, browser_of):
    with time_machine.travel(NOW + timedelta(days=40), tick=False):
        browser = browser_of(earned)
        page = unescape(browser.get(EARNINGS, {"period": "all"}).content.decode())
        links = re.findall(r'href="(\?[^"]*period=\d{4}-\d\d)#transactions">([^<]+)<', page)
        assert len(links) == 24
        for address, amount in links:
            shown = unescape(browser.get(f"{EARNINGS}{address}").content.decode())
            foot = shown.partition('class="earn__sum"')[2].partition("</tr>")[0]
            assert amount in foot if amount != "$0.00" else foot == "" or amount in foot, address
        for name in ("2026-13", "2026-1", "9999-01", "1969-12", "x" * 400):
            assert browser.get(EARNINGS, {"period": name}).status_code == 200


def test_days_and_categories_of_the_provider_lead_to_its_movements(browser_of, sam, eve):
    for number, (category, net, booked) in enumerate(
        [("charge", 970, 970), ("fee", -30, -30), ("network_cost", -5, 0), ("odd <kind> & more", 7, 7)]
    ):
        BalanceTransactionFactory(
            gateway_id=f"txn_{number}", fact=f"fact_{number}", category=category, net=net, booked=booked,
            currency="usd", created_at=NOW + timedelta(days=number // 2),
        )  # fmt: skip
    sale(7, 1_000, at=NOW, payment_key="fact_0", gateway_id="fact_0")
    browser, page = browser_of(sam), "/dashboard/admin/reconciliation"

    with time_machine.travel(NOW + timedelta(days=3), tick=False):
        links = re.findall(rf'href="({page}/movements[^"]*)">([^<]+)<', browser.get(page).content.decode())
        assert len(links) >= 3 * 2 + 3 * 3
        for address, amount in links:
            shown = browser.get(unescape(address)).content.decode()
            assert amount in shown.partition("<tfoot>")[2], address
        fees = browser.get(f"{page}/movements", {"currency": "usd", "category": "fee"}).content.decode()
        assert "2 movements" in fees
        assert "−$0.35" in fees
        assert "/dashboard/admin/reports/entries/" in browser.get(f"{page}/movements").content.decode()
        wrong = {"currency": "zzz", "category": "x" * 99, "day": "2026-99-99", "page": "-1"}
        assert browser.get(f"{page}/movements", wrong).status_code == 200
    assert browser_of(eve).get(f"{page}/movements").status_code in {302, 403, 404}
