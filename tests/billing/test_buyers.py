"""Buying as a company: at the checkout, on the page of billing details, and what becomes of the tax."""

from typing import Any

import pytest
from django.utils import timezone

from apps.accounts.models import Notification
from apps.billing.buyer_form import BuyerForm
from apps.billing.models import BuyerDetails, Document, Order, Payment, PromoCode, Subscription
from apps.billing.queries.ledger import balances
from apps.billing.services import admin_notices, checkout
from tests.billing.conftest import DECLINED
from tests.billing.test_checkout_page import props_of
from tests.factories.selling import CardFactory, PaymentFactory, PromoCodeFactory, SubscriptionFactory

pytestmark = pytest.mark.django_db

JSON = "application/json"
COMPANY = {
    "name": "Müller & Söhne GmbH", "street": "Hafenstraße 5", "extra": "", "postal_code": "20095", "city": "Hamburg",
    "region": "", "vat_id": "de 136 695 976", "reference": "PO 4711",
}  # fmt: skip


@pytest.fixture(autouse=True)
def seller(settings):
    settings.SELLER_COUNTRY, settings.SELLER_NAME, settings.SELLER_VAT_ID = "FI", "Tides Oy", "FI12345671"
    settings.TAX_RATES = {"FI": 2550, "DE": 1900}


@pytest.fixture
def order(browser_of, mia, paid):
    browser = browser_of(mia)

    def send(**given: Any):
        sent = {
            "course": paid.slug, "country": "DE", "total": given.pop("total", 6400), "currency": "usd", "agrees": True,
            "buyer": COMPANY, "email": "books@example.com",
        }  # fmt: skip
        return browser.post(
            "/api/v1/billing/orders/", {**sent, **given}, "application/json", HTTP_ACCEPT_LANGUAGE="en-US"
        )

    return send


def test_a_company_abroad_buys_with_reverse_charge(browser_of, standin, card_form, mia, paid, order):
    asked = {"course": paid.slug, "country": "DE", "vat_id": COMPANY["vat_id"]}
    quote = browser_of(mia).post("/api/v1/billing/quote/", asked, "application/json").json()
    assert (quote["total"], quote["tax"]) == (6400, 0)
    assert quote["tax_note"].startswith("Reverse charge")

    begun = order()
    assert begun.status_code == 201
    card_form.confirm(begun.json()["client_secret"])
    checkout.sync_order(order=Order.objects.get(), now=timezone.now())

    payment, document = Payment.objects.get(), Document.objects.get()
    assert (payment.amount, payment.tax, payment.tax_treatment) == (6400, 0, "reverse_charge")
    assert balances().get("tax", {}).get("usd", 0) == 0
    evidence = payment.tax_evidence
    assert (evidence["declared"], evidence["card"], evidence["browser"]) == ("DE", "US", "US")
    assert evidence["conflicts"] == ["card", "browser"]
    assert evidence["vat_id"] == "DE136695976"
    assert evidence["vat_id_checked_at"]
    facts = document.snapshot["facts"]
    assert (facts["buyer"]["name"], facts["buyer"]["vat_id"], facts["buyer"]["email"]) == (
        COMPANY["name"], "DE136695976", "books@example.com",
    )  # fmt: skip
    assert facts["wording"].startswith("Reverse charge")


def test_a_company_outside_the_vat_area_is_quoted_what_its_invoice_says(
    browser_of, standin, card_form, mia, paid, order
):
    canary = {**COMPANY, "postal_code": "35001", "vat_id": "ESA13585625"}
    asked = {"course": paid.slug, "country": "ES", "vat_id": canary["vat_id"]}
    browser = browser_of(mia)

    def quoted(**more):
        return browser.post("/api/v1/billing/quote/", {**asked, **more}, JSON).json()

    assert quoted(postal_code="28001")["tax_note"].startswith("Reverse charge")
    assert quoted(postal_code="35001")["tax_note"].startswith("Not subject to EU VAT")
    card_form.confirm(order(country="ES", buyer=canary).json()["client_secret"])
    checkout.sync_order(order=Order.objects.get(), now=timezone.now())

    facts = Document.objects.get().snapshot["facts"]
    assert (facts["treatment"], facts["tax"]) == ("outside_eu", 0)
    assert Payment.objects.get().tax_treatment == "outside_eu"
    # As a person, it is the saved address that counts, in the quote as in the order.
    asked |= {"vat_id": "", "is_gift": True}
    assert quoted(postal_code="28001")["tax"] == 1111
    BuyerDetails.objects.update(is_company=False, vat_id="")
    assert quoted()["tax"] == 0
    assert quoted(country="DE")["tax"] == 1022


def test_admins_hear_once_of_sales_to_a_country_without_a_rate(settings, sam, mia):
    settings.SELLER_COUNTRY, settings.TAX_RATES = "US", {}
    for country in ("FR", "MC", "FR", "US", ""):
        payment = PaymentFactory(user=mia, country=country)
        admin_notices.tell_admins_of_missing_rate(payment, now=timezone.now())

    told = Notification.objects.filter(user=sam, kind="billing.tax_rate_missing")
    assert sorted(each.params["country"] for each in told) == ["France", "Monaco"]


@pytest.mark.parametrize(
    ("wrong", "country", "fields"),
    [
        ({"name": " ", "city": ""}, "DE", {"buyer.name", "buyer.city"}),
        ({"postal_code": "12"}, "DE", {"buyer.postal_code"}),
        ({"postal_code": ""}, "DE", {"buyer.postal_code"}),
        ({"vat_id": "DE136695977"}, "DE", {"buyer.vat_id"}),
        ({"vat_id": "FI12345671"}, "DE", {"buyer.vat_id"}),
        ({"vat_id": "1" * 31}, "DE", {"buyer.vat_id"}),
        ({}, "", {"buyer.country"}),
        ({"name": "x" * 201}, "DE", {"buyer.name"}),
    ],
)
def test_wrong_details_are_named_at_their_fields_and_nothing_is_begun(order, standin, wrong, country, fields):
    answer = order(buyer={**COMPANY, **wrong}, country=country)

    assert answer.status_code == 400
    assert set(answer.json()["fields"]) == fields
    assert (Order.objects.count(), BuyerDetails.objects.count()) == (0, 0)


def test_a_declined_card_keeps_the_details_and_the_code(browser_of, standin, card_form, mia, ada, paid, order):
    PromoCodeFactory(code="SPRING", percent=10, scope=PromoCode.Scope.COURSE, course=paid)
    begun = order(code="spring", total=5760).json()
    card_form.confirm(begun["client_secret"], DECLINED)
    checkout.sync_order(order=Order.objects.get(), now=timezone.now())
    assert Order.objects.get().status == Order.Status.CANCELED

    props = props_of(browser_of(mia).get(f"/billing/checkout?course={paid.slug}"))

    assert props["buyer"] == {**COMPANY, "vat_id": "DE136695976"}
    assert (props["country"], props["quote"]["code"], props["quote"]["total"]) == ("DE", "SPRING", 5760)
    assert props["quote"]["tax"] == 0

    Order.objects.update(failure_kind="")  # the user went away
    assert props_of(browser_of(mia).get(f"/billing/checkout?course={paid.slug}"))["quote"]["code"] == ""


@pytest.mark.parametrize("country", ["", "ZZ"])
def test_nobody_avoids_the_tax_by_naming_no_country(browser_of, standin, mia, paid, order, country):
    """Neither buyers of a course, as a gift as well, nor subscribers; what costs nothing needs no country."""
    people = {"sender_name": "Mia", "recipient_name": "Leo", "recipient_email": "leo@example.com"}
    gift = {"is_gift": True, "gift": {**people, "send_on": timezone.localdate().isoformat()}}
    refused = [order(country=country, buyer=None), order(country=country, buyer=None, **gift)]
    card, browser = CardFactory(user=mia), browser_of(mia)
    asked = {"plan": "monthly", "country": country, "card": str(card.uid), "total": 1400, "currency": "usd"}
    refused.append(browser.post("/api/v1/billing/premium/", {**asked, "trial_days": 7, "agrees": True}, JSON))

    codes = {(answer.status_code, answer.json()["code"]) for answer in refused}
    assert codes == {(400, "VALIDATION_FAILED" if country else "COUNTRY_MISSING")}
    assert (Order.objects.count(), Subscription.objects.count()) == (0, 0)
    quote = browser.post("/api/v1/billing/quote/", {"course": paid.slug, "country": ""}, JSON).json()
    assert quote["tax"] == 1300  # the seller's, until the buyer chooses
    if not country:
        PromoCodeFactory(code="FREE", percent=100)
        assert order(country="", buyer=None, code="FREE", total=0).status_code == 201


def test_an_invoice_names_the_country_that_was_taxed(browser_of, standin, card_form, mia, order):
    """A saved address in another country would contradict it: it is evidence."""
    address = {"name": "Mia", "street": "Rue 1", "postal_code": "75001", "city": "Paris", "country": "FR"}
    browser_of(mia).post("/billing/details", address)
    card_form.confirm(order(country="US", buyer=None).json()["client_secret"])
    checkout.sync_order(order=Order.objects.get(), now=timezone.now())

    payment, snapshot = Payment.objects.get(), Document.objects.get().snapshot
    assert (payment.country, payment.tax_treatment, payment.tax_evidence["conflicts"]) == (
        "US",
        "outside_eu",
        ["address"],
    )
    assert (snapshot["facts"]["buyer"]["country"], snapshot["facts"]["buyer"].get("city")) == ("US", None)
    assert snapshot["print"]["buyer"] == ["Mia", "United States", "books@example.com"]
    assert "Paris" not in browser_of(mia).get(f"/billing/transactions/{payment.uid}").content.decode()


def test_another_buyer_makes_another_order(standin, mia, paid, order):
    first, again, other = order().json(), order().json(), order(buyer={**COMPANY, "name": "Other GmbH"}).json()

    assert first["uid"] == again["uid"] != other["uid"]
    assert Order.objects.get(uid=other["uid"]).buyer["name"] == "Other GmbH"


def test_the_page_of_details_serves_the_next_payments_of_premium(browser_of, mia):
    row = SubscriptionFactory(user=mia, country="FI")
    browser, sent = browser_of(mia), {**COMPANY, "is_company": "on", "country": "DE"}

    wrong = browser.post("/billing/details", {**sent, "vat_id": "DE1", "name": ""})
    assert wrong.status_code == 422
    assert "This isn&#39;t a VAT number" in wrong.content.decode()
    saved = browser.post("/billing/details", sent, follow=True).content.decode()

    assert "DE136695976" in saved
    assert "Format checked" in saved
    assert "valid" not in saved.partition("<main")[2].replace("novalidate", "").replace("invalid", "")
    row = Subscription.objects.get()
    assert (row.country, row.buyer["name"], row.buyer["vat_id"]) == ("DE", COMPANY["name"], "DE136695976")


def test_a_person_needs_no_details_and_keeps_no_vat_number(browser_of, mia):
    browser = browser_of(mia)

    assert browser.post("/billing/details", {}).status_code == 302
    browser.post("/billing/details", {"name": "Mia", "country": "US", "postal_code": "94103", "vat_id": "DE136695976"})

    row = BuyerDetails.objects.get()
    assert (row.name, row.vat_id, row.vat_id_checked_at) == ("Mia", "", None)


def test_a_vat_number_is_checked_before_the_form_is_sent_and_nothing_is_stored(browser_of, mia):
    browser, form = browser_of(mia), {**COMPANY, "is_company": True}

    for country, text, is_valid, message in [
        ("DE", "de 136 695 976", True, "Valid format: DE136695976"),
        ("GR", "EL094259216", True, "Valid format: EL094259216"),
        ("DE", "136695977", False, "This isn't a VAT number of that country."),
        ("DE", "\u202e\x00136", False, "This isn't a VAT number of that country."),
        ("AU", "51 824 753 556", None, "Numbers of this country aren't checked."),
        ("", "DE136695976", None, "Choose a country to check the number."),
        ("DE", "  ", None, ""),
    ]:
        sent = {"country": country, "vat_id": text}
        answer = browser.post("/api/v1/billing/vat-number/", sent, "application/json")
        if "\x00" in text:
            assert answer.status_code == 400
            continue
        found = answer.json()
        assert found["passes"] is is_valid, text
        assert found["message"].startswith(message)
        if is_valid is False:  # the form says the same
            assert BuyerForm({**form, **sent, "postal_code": "20095"}).errors["vat_id"] == [found["message"]]
    assert not BuyerDetails.objects.exists()
