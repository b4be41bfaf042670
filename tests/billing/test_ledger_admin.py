"""The ledger in Django's admin can be searched and filtered, and not be changed."""

import pytest

from apps.billing.models import LedgerEntry, LedgerLine
from tests.factories.billing import sale

URL = "/admin/billing/ledgerentry/"


@pytest.fixture
def books(browser_of, sam):
    return browser_of(sam)


def test_entries_are_found_by_their_key_and_filtered(books):
    sale(payment_key="pi_first", description="Rivers")
    sale(payment_key="pi_second", description="Maps", currency="eur")

    assert listed(books, {"q": "pi_first"}) == ["sale pi_first"]
    assert listed(books, {"q": "maps"}) == ["sale pi_second"]
    assert listed(books, {"currency": "eur"}) == ["sale pi_second"]
    assert listed(books, {"kind__exact": "refund"}) == []


def listed(browser, query):
    return [entry.key for entry in browser.get(URL, query).context_data["cl"].queryset]


def test_an_entry_shows_its_lines(books):
    entry = sale(7, 10_050)

    page = books.get(f"{URL}{entry.pk}/change/").content.decode()

    for text in ("provider", "instructor:7", "$100.50", "−$70.35"):
        assert text in page


@pytest.mark.parametrize("model", [LedgerEntry, LedgerLine.account.field.related_model])
def test_nothing_can_be_added_changed_or_deleted(books, model):
    sale()
    row = model.objects.first()
    url = f"/admin/billing/{model._meta.model_name}/"

    assert books.post(f"{url}{row.pk}/change/", {"key": "x"}).status_code == 403
    assert books.post(f"{url}{row.pk}/delete/", {"post": "yes"}).status_code == 403
    assert books.post(f"{url}add/", {}).status_code == 403
    books.post(url, {"action": "delete_selected", "_selected_action": [row.pk], "post": "yes"})
    assert model.objects.filter(pk=row.pk).exists()


def test_only_admins_open_it(browser_of, ada):
    assert browser_of(ada).get(URL).status_code == 302
