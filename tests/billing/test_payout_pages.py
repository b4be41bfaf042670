"""Admins see what the next run pays, download bank transfers, and mark what became of them."""

from datetime import UTC, date, datetime, timedelta

import pytest
import time_machine
from django.test import Client

from apps.billing import services
from apps.billing.models import Payout, PayoutRun
from tests.factories.accounts import UserFactory
from tests.factories.billing import sale

pytestmark = pytest.mark.django_db
PAGE = "/dashboard/admin/payouts"
DAY = date(2026, 11, 1)
NOW = datetime(2026, 11, 1, 0, 5, tzinfo=UTC)
IBAN = "DE89370400440532013000"


@pytest.fixture
def payout(ada):
    services.save_bank_account(user=ada, holder="Ada Byron", number=IBAN, bank_code="", now=NOW)
    sale(ada.pk, 10_000, at=NOW - timedelta(days=30))
    services.run_payouts(DAY, now=NOW)
    return Payout.objects.get()


def mark(browser, payout, outcome, *, seen=""):
    """``seen``: the state on the admin's page, if it isn't the present one."""
    browser.post(f"{PAGE}/{payout.uid}/mark", {"outcome": outcome, "state": seen or payout.state})
    payout.refresh_from_db()
    return payout.state, payout.failure


def test_only_admins_open_the_pages(browser_of, ada, mia, payout):
    for address in (PAGE, f"{PAGE}/2026-11-01.csv"):
        assert Client().get(address).status_code == 302
        for user in (mia, ada):
            assert browser_of(user).get(address).url == "/"
    for user in (mia, ada):
        assert browser_of(user).post(f"{PAGE}/{payout.uid}/mark", {"outcome": "sent"}).status_code == 302
    payout.refresh_from_db()
    assert payout.state == "processing"


def test_an_admin_downloads_a_transfer_and_marks_it(browser_of, sam, payout):
    admin = browser_of(sam)
    page = admin.get(PAGE).content.decode()
    assert "1 transfer" in page
    assert "$70.00" in page
    assert IBAN not in page
    file = admin.get(f"{PAGE}/2026-11-01.csv")
    assert file["Content-Disposition"] == 'attachment; filename="payouts-2026-11-01.csv"'
    assert "no-store" in file["Cache-Control"]
    assert IBAN in b"".join(file.streaming_content).decode("utf-8-sig")

    assert mark(admin, payout, "nonsense") == ("processing", "")
    assert mark(admin, payout, "sent") == ("sent", "")
    # Another admin, whose page is older, reports something else: paying it again must be somebody's decision.
    assert mark(admin, payout, "other", seen="processing") == ("sent", "")
    services.fail_payout(payout.pk, Payout.Failure.OTHER, seen="processing", now=NOW)
    assert mark(admin, payout, "sent", seen="processing") == ("sent", "")
    assert "transfer" not in admin.get(PAGE).content.decode().split("All payouts")[0].split("Bank")[-1]
    assert mark(admin, payout, "account_closed") == ("failed", "account_closed")
    assert mark(admin, payout, "sent") == ("failed", "account_closed")
    for day in ("2026-11-02", "yesterday"):
        assert admin.get(f"{PAGE}/{day}.csv").status_code == 404


@time_machine.travel(NOW + timedelta(days=9), tick=False)
def test_the_next_run_says_who_waits_and_why(browser_of, sam, ada, payout):
    services.mark_payout_sent(payout.pk, now=NOW)
    eve = UserFactory(role="instructor", username="eve")
    for who, amount in ((ada, 20_000), (eve, 30_000), (UserFactory(role="instructor"), 100)):
        sale(who.pk, amount, at=NOW - timedelta(days=3))

    page = browser_of(sam).get(PAGE).content.decode()

    assert "$140.00 on 1 December 2026" in page
    for words in ("Will be paid", "No payout details", "Below the minimum", "sales before 17 November 2026"):
        assert words in page
    found = browser_of(sam).get(f"{PAGE}?state=sent&q=ADA").content.decode()
    assert f"/{payout.uid}/mark" in found
    assert "No matching payouts" in browser_of(sam).get(f"{PAGE}?q=nobody").content.decode()


def test_queries_do_not_depend_on_the_number_of_payouts(browser_of, sam, django_assert_max_num_queries):
    admin = browser_of(sam)
    run = PayoutRun.objects.create(day=DAY, created_at=NOW)
    for count in (1, 40):
        for _ in range(count):
            user = UserFactory(role="instructor")
            sale(user.pk, 10_000, at=NOW - timedelta(days=30))
            Payout.objects.create(
                run=run, instructor=user, amount=100, currency="usd", sales_until=NOW, method="bank", created_at=NOW
            )
        with django_assert_max_num_queries(14):
            assert admin.get(PAGE).status_code == 200
