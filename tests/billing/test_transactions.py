"""The list of payments and refunds, the page of each, its documents, and the refund request."""

import csv
from datetime import UTC, datetime, timedelta
from io import StringIO

import pypdfium2
import pytest
import time_machine

from apps.billing import extensions, gateway
from apps.billing.models import Dispute, Payment, Refund
from apps.billing.services.issuing import issue_documents
from apps.billing.services.payments import book_sale
from tests.factories.selling import NOW, GrantFactory, PaymentFactory

pytestmark = pytest.mark.django_db
PAGE = "/billing/transactions"


def refund_of(payment: Payment, **given) -> Refund:
    facts = {"amount": payment.amount, "status": Refund.Status.DONE, "requested_at": NOW, "done_at": NOW}
    return Refund.objects.create(payment=payment, **facts | given)


def invoiced(payment: Payment) -> Payment:
    book_sale(payment)
    issue_documents(payment=payment, now=payment.paid_at)
    return payment


def text_of(answer) -> str:
    assert answer["Content-Type"] == "application/pdf"
    document = pypdfium2.PdfDocument(answer.content)
    assert len(document) == 1
    return " ".join(document[0].get_textpage().get_text_bounded().split())


@pytest.fixture
def paid(mia) -> Payment:
    """A course with a discount and German tax, refunded in part."""
    payment = PaymentFactory(
        user=mia, title="How Compilers Think", list_price=6400, discount=640, amount=5760, tax=920, tax_rate=1900,
        promo_code="HEDGE", country="DE", email="mia@example.com", receipt_number="2026-000042",
    )  # fmt: skip
    refund_of(payment, amount=1000, done_at=NOW + timedelta(days=3))
    Payment.objects.filter(pk=payment.pk).update(refunded=1000)
    return Payment.objects.get(pk=payment.pk)


def test_payments_and_refunds_are_one_list_by_date(browser_of, mia, leo, paid):
    PaymentFactory(user=leo, title="Someone else's")
    PaymentFactory(user=mia, title="Later", paid_at=NOW + timedelta(days=1))
    PaymentFactory(user=mia, title="Premium, monthly", kind="premium", course=None, instructor=None,
                   paid_at=datetime(2025, 3, 1, tzinfo=UTC))  # fmt: skip

    page = browser_of(mia).get(PAGE).content.decode()

    assert "Someone else" not in page
    places = [page.index(text) for text in ("−$10.00", "Later", "$57.60", "Premium, monthly")]
    assert places == sorted(places)
    assert "Partly refunded" in page
    assert "Visa 4242" in page


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("?type=course", {"Compilers"}),
        ("?type=premium", {"Monthly plan"}),
        ("?type=refund", {"Refund of receipt"}),
        ("?year=2025", {"Monthly plan"}),
        ("?year=2026&type=refund", {"Refund of receipt"}),
        ("?year=2025&type=refund", set()),
        ("?year=nonsense&type=\x00&page=99", {"Compilers", "Monthly plan", "Refund of receipt"}),
    ],
)
def test_the_list_is_filtered_by_kind_and_year(browser_of, mia, query, shown):
    payment = PaymentFactory(user=mia, title="Compilers")
    refund_of(payment, amount=100)
    PaymentFactory(user=mia, title="Monthly plan", kind="premium", course=None, instructor=None,
                   paid_at=datetime(2025, 3, 1, tzinfo=UTC))  # fmt: skip

    rows = browser_of(mia).get(PAGE + query).content.decode().partition("<tbody>")[2].partition("</tbody>")[0]
    rows = rows.split("<tr>")[1:]

    found = {
        "Refund of receipt" if "Refund of receipt" in row else "Compilers" if "Compilers" in row else "Monthly plan"
        for row in rows
    }
    assert found == shown


def test_queries_do_not_depend_on_the_number_of_transactions(browser_of, mia, django_assert_max_num_queries):
    course = PaymentFactory(user=mia).course
    browser = browser_of(mia)
    browser.get(PAGE)

    def count() -> int:
        with django_assert_max_num_queries(10) as seen:
            assert browser.get(PAGE).status_code == 200
        return len(seen)

    few = count()
    for _ in range(25):
        refund_of(PaymentFactory(user=mia, course=course, instructor=course.instructor), amount=100)
    assert count() <= few + 2  # refunds join the list


def test_the_page_of_a_payment_shows_its_lines_and_history(browser_of, mia, sam, paid):
    Dispute.objects.create(payment=paid, gateway_id="dp_1", amount=5760, opened_at=NOW)

    page = browser_of(mia).get(f"{PAGE}/{paid.uid}").content.decode()

    for text in (
        "How Compilers Think",
        "$64.00",
        "−$6.40",
        "HEDGE",
        "$57.60",
        "$9.20",
        "2026-000042",
        "Germany",
        "−$10.00",
    ):
        assert text in page
    assert "The payment is disputed" in page
    assert "Ask for a refund" not in page  # the bank holds the money
    assert "Paid by" in browser_of(sam).get(f"{PAGE}/{paid.uid}").content.decode()


def test_receipt_and_invoice_are_for_the_payer_and_admins(browser_of, mia, leo, sam, paid, settings):
    settings.SELLER_NAME, settings.SELLER_TAX_NUMBER = "Tides Oy", "FI12345678"
    settings.SELLER_ADDRESS = ["Harbour Street 1", "00100 Helsinki"]
    invoiced(paid)

    receipt = text_of(browser_of(mia).get(f"{PAGE}/{paid.uid}/receipt.pdf"))
    invoice = text_of(browser_of(sam).get(f"{PAGE}/{paid.uid}/invoice.pdf"))

    shared = [
        "Tides Oy", "Harbour Street 1", "00100 Helsinki", "FI12345678", "2026-000042", "1 June 2026", mia.display_name,
        "Germany", "How Compilers Think", "$64.00", "−$6.40", "HEDGE", "$57.60", "$9.20", "19%", "Visa 4242",
    ]  # fmt: skip
    assert [text for text in shared if text not in receipt] == []
    assert [text for text in shared if text not in invoice] == []
    assert "Refunded on 4 June 2026 −$10.00" in receipt
    assert "Without tax $48.40" in invoice
    for document in ("receipt", "invoice"):
        assert browser_of(leo).get(f"{PAGE}/{paid.uid}/{document}.pdf").status_code == 404


def test_a_very_long_title_stays_on_the_page(browser_of, mia):
    payment = invoiced(PaymentFactory(user=mia, title="測試 " + "Wide words " * 14))

    assert "$64.00" in text_of(browser_of(mia).get(f"{PAGE}/{payment.uid}/invoice.pdf"))


def test_the_file_has_all_transactions_and_no_formulas(browser_of, mia, leo, paid):
    PaymentFactory(user=mia, title="=HYPERLINK(1)", paid_at=NOW + timedelta(days=9))
    PaymentFactory(user=leo, title="Someone else's")

    answer = browser_of(mia).get(f"{PAGE}.csv")

    text = b"".join(answer.streaming_content).decode("utf-8-sig")
    rows = list(csv.DictReader(StringIO(text)))
    assert answer["Content-Disposition"] == 'attachment; filename="transactions.csv"'
    assert [(row["type"], row["description"], row["amount"]) for row in rows] == [
        ("course", "'=HYPERLINK(1)", "64.00"),
        ("refund", "How Compilers Think", "-10.00"),
        ("course", "How Compilers Think", "57.60"),
    ]
    assert rows[2]["tax"] == "9.20"


@pytest.fixture
def provider(monkeypatch):
    """A provider that refunds at once."""
    made: list[gateway.RefundState] = []

    def create(*, intent, amount, key, refund):
        made.append(
            gateway.RefundState(f"re_{len(made)}", intent, amount, "usd", "succeeded", "", NOW, {"refund": refund})
        )

    monkeypatch.setattr(gateway, "create_refund", create)
    monkeypatch.setattr(gateway, "refunds_of", lambda intent: [one for one in made if one.intent == intent])
    return made


@pytest.fixture
def progress(monkeypatch):
    completed = {"percent": 0}
    monkeypatch.setattr(extensions, "consumed_percents", lambda pairs: dict.fromkeys(pairs, completed["percent"]))
    return completed


@time_machine.travel(NOW + timedelta(days=2), tick=False)
def test_a_refund_soon_after_the_payment_is_immediate(browser_of, mia, provider, progress, ledgered):
    browser, page = browser_of(mia), f"{PAGE}/{ledgered.uid}/refund"

    assert "The refund is immediate" in browser.get(page).content.decode()
    assert browser.post(page, {"reason": "Too easy"}).status_code == 422  # it ends the access: agree first
    assert provider == []
    answer = browser.post(
        page, {"reason": "Too easy", "agrees": "on", "told": "immediate"}, follow=True
    ).content.decode()

    assert "$64.00 was refunded" in answer
    assert "Too easy" in answer
    assert [one.amount for one in provider] == [6400]
    ledgered.refresh_from_db()
    assert ledgered.is_refunded


@pytest.mark.parametrize(
    ("days", "percent", "why"),
    [
        (20, 0, "You paid 20 days ago, and refunds are automatic for 14 days."),
        (2, 37, "used 37% of the course, and refunds are automatic below 20%."),
    ],
)
def test_otherwise_an_admin_decides(browser_of, mia, provider, progress, ledgered, days, percent, why):
    progress["percent"] = percent
    with time_machine.travel(NOW + timedelta(days=days), tick=False):
        browser, page = browser_of(mia), f"{PAGE}/{ledgered.uid}/refund"

        shown = browser.get(page).content.decode()
        assert "An admin will review this refund" in shown
        assert why in shown
        sent = {"reason": "Too easy", "agrees": "on", "told": "decision"}
        answer = browser.post(page, sent, follow=True).content.decode()
        assert "Request sent" in answer
        assert "Waiting for a decision" in answer

        again = browser.post(page, {"reason": "Again", "agrees": "on"}, follow=True).content.decode()
        assert "Ask for a refund" not in again

    assert provider == []
    assert Refund.objects.get().status == Refund.Status.REQUESTED


@pytest.mark.parametrize(
    ("told", "days", "now_said"),
    [("immediate", 20, "An admin will review"), ("decision", 2, "The refund is immediate")],
)
def test_a_rule_that_changed_since_the_page_was_opened_is_shown_again(
    browser_of, mia, provider, progress, ledgered, told, days, now_said
):
    with time_machine.travel(NOW + timedelta(days=days), tick=False):
        answer = browser_of(mia).post(
            f"{PAGE}/{ledgered.uid}/refund", {"reason": "Too easy", "agrees": "on", "told": told}
        )

    page = answer.content.decode()
    assert answer.status_code == 409
    assert "Another rule applies now" in page
    assert now_said in page
    assert "Too easy" in page  # what they wrote is kept, and they agree again
    assert "checked" not in page[page.index("Another rule") :]
    assert (provider, Refund.objects.count()) == ([], 0)


@pytest.fixture
def ledgered(mia):
    """A payment that is in the books."""
    payment = PaymentFactory(user=mia)
    GrantFactory(user=mia, course=payment.course, source="purchase", payment=payment)
    book_sale(payment)
    return payment


def test_only_the_payer_asks_for_a_refund(browser_of, leo, sam, paid):
    for person in (leo, sam):
        answer = browser_of(person).post(f"{PAGE}/{paid.uid}/refund", {"reason": "x", "agrees": "on"})
        assert (answer.status_code, answer["Location"]) == (302, "/")
    assert Refund.objects.count() == 1
