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
from tests.factories.billing import sale

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
        for figure, expected in (("paid", "paid"), ("tax", "tax"), ("instructors", "earned")):
            assert reports.sum_of(selection, FIGURES[figure]) == getattr(year.quarter(number), expected), figure
    assert reports.sum_of(Selection("usd", instructor=earned.pk), FIGURES["paid"]) == year.year.paid
