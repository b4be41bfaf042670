"""Admins mark bank payouts and download them for the bank; nothing else can be changed."""

from datetime import UTC, date, datetime, timedelta

import pytest

from apps.billing import services
from apps.billing.models import Payout, PayoutAccount, PayoutRun
from tests.factories.billing import sale

pytestmark = pytest.mark.django_db
DAY = date(2026, 11, 1)
NOW = datetime(2026, 11, 1, 0, 5, tzinfo=UTC)
IBAN = "DE89370400440532013000"


@pytest.fixture
def payout(ada):
    services.save_bank_account(user=ada, holder="Ada Byron", number=IBAN, bank_code="", now=NOW)
    sale(ada.pk, 10_000, at=NOW - timedelta(days=30))
    services.run_payouts(DAY, now=NOW)
    return Payout.objects.get()


def act(browser, model, action, row):
    return browser.post(f"/admin/billing/{model}/", {"action": action, "_selected_action": [row.pk]})


def test_a_bank_payout_is_downloaded_and_marked(browser_of, sam, payout):
    books = browser_of(sam)

    file = act(books, "payoutrun", "download_bank_transfers", payout.run)
    assert file["Content-Disposition"] == 'attachment; filename="payouts-2026-11-01.csv"'
    assert "no-store" in file["Cache-Control"]
    assert IBAN in b"".join(file.streaming_content).decode("utf-8-sig")

    act(books, "payout", "mark_sent", payout)
    act(books, "payout", "fail_account_closed", payout)  # on a list that still said "processing"
    payout.refresh_from_db()
    assert payout.state == "sent"

    Payout.objects.update(state="processing")
    act(books, "payout", "fail_account_closed", payout)
    payout.refresh_from_db()
    assert (payout.state, payout.failure) == ("failed", "account_closed")


def test_account_numbers_are_not_shown(browser_of, sam, payout):
    page = browser_of(sam).get(f"/admin/billing/payoutaccount/{PayoutAccount.objects.get().pk}/change/")

    assert "Ada Byron" in page.content.decode()
    assert PayoutAccount.objects.get().encrypted_number not in page.content.decode()
    assert IBAN not in page.content.decode()


@pytest.mark.parametrize("model", [Payout, PayoutRun, PayoutAccount])
def test_nothing_else_can_be_changed(browser_of, sam, payout, model):
    row, books = model.objects.get(), browser_of(sam)
    url = f"/admin/billing/{model._meta.model_name}/"

    for what in (f"{row.pk}/change/", f"{row.pk}/delete/", "add/"):
        assert books.post(f"{url}{what}", {"state": "sent", "post": "yes"}).status_code == 403


def test_instructors_have_no_access(browser_of, ada, payout):
    assert act(browser_of(ada), "payout", "mark_sent", payout).status_code == 302
    payout.refresh_from_db()
    assert payout.state == "processing"
