"""Invoices and credit notes: numbered without gaps, never changed, equal to the ledger, printed as they were issued."""

import json
import threading
from datetime import UTC, datetime, timedelta

import pytest
from django.db import IntegrityError, connection, transaction
from django.http import HttpResponse

from apps.billing import documents
from apps.billing.models import Document, DocumentIsFinal, DocumentSeries, OrderLine, Payment, Refund
from apps.billing.models.documents import digest_of
from apps.billing.queries.document_check import document_problems
from apps.billing.services import issuing, ledger, order_invoices
from apps.billing.services.payments import book_sale
from tests.billing.books import unguarded
from tests.billing.test_transactions import text_of
from tests.factories.selling import NOW, OrderFactory, PaidCourseFactory, PaymentFactory

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def sold(user, **given) -> Payment:
    """A payment in the books with its invoice."""
    payment = PaymentFactory(user=user, **given)
    book_sale(payment)
    issuing.issue_documents(payment=payment, now=payment.paid_at)
    return payment


def given_back(payment: Payment, amount: int, at: datetime, name: str = "re_1") -> Refund:
    refund = Refund.objects.create(
        payment=payment, gateway_id=name, amount=amount, status=Refund.Status.DONE, requested_at=at, done_at=at
    )
    ledger.post_refund(name, payment.gateway_id, amount, occurred_at=at, gateway_id=name)
    issuing.issue_documents(payment=payment, now=at)
    return refund


def printed(document: Document) -> str:
    return text_of(HttpResponse(documents.print_document(document), content_type="application/pdf"))


def numbers() -> list[str]:
    return [str(each) for each in Document.objects.order_by("pk")]


def test_each_fact_of_the_ledger_has_one_document(mia):
    payment = sold(mia, list_price=11_900, amount=11_900, tax=1_900, tax_rate=1900, country="DE")
    refund = given_back(payment, 3_333, NOW + timedelta(days=1))
    given_back(payment, 8_567, NOW + timedelta(days=2), "re_2")
    ledger.post_refund_failed("re_1", occurred_at=NOW + timedelta(days=3), gateway_id="re_1")

    for _again in range(2):
        issuing.issue_documents(payment=payment, now=NOW + timedelta(days=3))

    assert numbers() == ["INV-2026-000001", "CN-2026-000001", "CN-2026-000002", "INV-2026-000002"]
    invoice, first, second, back = Document.objects.order_by("pk")
    assert [(each.total, each.tax) for each in (invoice, first, second, back)] == [
        (11_900, 1_900), (3_333, 532), (8_567, 1_368), (3_333, 533),
    ]  # fmt: skip
    assert (first.refund, first.corrects, second.corrects, back.corrects) == (refund, invoice, invoice, first)
    assert list(document_problems()) == []


def test_the_words_of_a_seller_without_tax_stay_those_of_the_sale(mia, settings, browser_of):
    settings.TAX_EXEMPTION = "No VAT: section 19 UStG"
    payment = sold(mia, list_price=5000, amount=5000, tax=0, tax_rate=0, country="DE", tax_treatment="exempt")
    settings.TAX_EXEMPTION = ""
    given_back(payment, 1000, NOW + timedelta(days=40))

    assert [each.snapshot["facts"]["wording"] for each in Document.objects.all()] == ["No VAT: section 19 UStG"] * 2
    assert "No VAT: section 19 UStG" in printed(Document.objects.latest("pk"))
    page = browser_of(mia).get(f"/billing/transactions/{payment.uid}").content.decode()
    assert "No VAT: section 19 UStG" in page


def test_a_credit_note_never_comes_before_its_invoice(mia):
    payment = PaymentFactory(user=mia)
    book_sale(payment)  # as sites did before there were invoices
    given_back(payment, 1000, NOW + timedelta(days=1))

    assert numbers() == ["INV-2026-000001", "CN-2026-000001"]
    assert Document.objects.latest("pk").corrects == Document.objects.earliest("pk")


def test_the_page_shows_the_buyer_the_seller_and_the_tax(mia, settings):
    settings.SELLER_NAME, settings.SELLER_ADDRESS = "Tides Oy", ["Harbour Street 1", "00100 Helsinki"]
    settings.SELLER_VAT_ID, settings.SELLER_COUNTRY = "FI12345671", "FI"
    buyer = {
        "is_company": True, "name": "Müller & Söhne GmbH", "street": "Hafenstraße 5", "extra": "2. Stock",
        "postal_code": "20095", "city": "Hamburg", "region": "", "country": "DE", "vat_id": "DE136695976",
        "vat_id_checked_at": "", "reference": "PO 4711",
    }  # fmt: skip
    payment = sold(
        mia, list_price=6400, discount=640, promo_code="HEDGE", amount=5760, tax=0, tax_treatment="reverse_charge",
        country="DE", buyer=buyer, email="books@example.com",
    )  # fmt: skip
    given_back(payment, 5760, NOW + timedelta(days=1))

    invoice, credit_note = Document.objects.order_by("pk")
    text = printed(invoice)
    expected = [
        "Invoice", "INV-2026-000001", "1 June 2026", "Tides Oy", "00100 Helsinki", "FI12345671", "Müller & Söhne GmbH",
        "Hafenstraße 5", "20095 Hamburg", "Germany", "DE136695976", "PO 4711", "$64.00", "HEDGE", "−$6.40",
        "Without tax $57.60", "reverse charge $0.00", "Total $57.60", "Reverse charge: the customer accounts",
        "books@example.com", str(payment),
    ]  # fmt: skip
    assert [each for each in expected if each not in text] == []
    text = printed(credit_note)
    expected = ["Credit note", "CN-2026-000001", "2 June 2026", "INV-2026-000001", "DE136695976", "$57.60", "Refund"]
    assert [each for each in expected if each not in text] == []


def test_what_was_issued_never_changes(mia, settings):
    payment = sold(mia, title="How Compilers Think")
    before = printed(Document.objects.get())

    settings.SELLER_NAME, settings.SITE_NAME = "Another Ltd", "Another"
    Payment.objects.filter(pk=payment.pk).update(title="Other", list_price=1, email="other@example.com")
    type(mia).objects.filter(pk=mia.pk).update(first_name="Other", last_name="Name")

    document = Document.objects.get()
    assert printed(document) == before
    assert document.sha256 == digest_of(json.loads(json.dumps(document.snapshot)))
    for change in (document.save, document.delete, Document.objects.all().delete, Document.objects.create):
        with pytest.raises((DocumentIsFinal, IntegrityError)), transaction.atomic():
            change()
    with pytest.raises(DocumentIsFinal):
        Document.objects.update(total=1)
    statements = ["UPDATE billing_document SET total = 1", "DELETE FROM billing_document"]
    if connection.vendor == "sqlite":
        statements.append("INSERT OR REPLACE INTO billing_document SELECT * FROM billing_document")
    for statement in statements:
        with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)
    assert list(document_problems()) == []


def test_a_credit_note_of_today_names_the_seller_of_its_invoice(mia, settings):
    settings.SELLER_NAME, settings.SELLER_ADDRESS = "Tides Oy", ["Harbour Street 1", "00100 Helsinki"]
    settings.SELLER_VAT_ID = "FI12345671"
    payment = sold(mia)
    given_back(payment, 1000, NOW + timedelta(days=1))
    assert "was issued by" not in printed(Document.objects.latest("pk"))

    settings.SELLER_ADDRESS, settings.SELLER_VAT_ID = ["Quay 2", "20100 Turku"], "FI20774740"
    given_back(payment, 2000, NOW + timedelta(days=2), "re_2")

    invoice, _first, moved = Document.objects.order_by("pk")
    text = printed(moved)
    assert "Quay 2" in text
    assert f"{invoice} was issued by Tides Oy, Harbour Street 1, 00100 Helsinki, VAT number FI12345671." in text
    facts = moved.snapshot["facts"]
    assert facts["seller"]["vat_id"] == "FI20774740"
    assert facts["corrected_seller"] == invoice.snapshot["facts"]["seller"]
    # An invoice that cancels it names the seller of the credit note, if it is another one than today.
    settings.SELLER_NAME = "Tides Group Oy"
    ledger.post_refund_failed("re_2", occurred_at=NOW + timedelta(days=3), gateway_id="re_2")
    issuing.issue_documents(payment=payment, now=NOW + timedelta(days=3))
    assert f"{moved} was issued by Tides Oy, Quay 2" in printed(Document.objects.latest("pk"))
    assert list(document_problems()) == []


def test_a_canceled_invoice_names_its_seller_too(mia, settings):
    settings.SELLER_NAME = "Tides Oy"
    order = OrderFactory(user=mia)
    invoice = order_invoices.issue_order_invoice(order=order, now=NOW)
    settings.SELLER_NAME = "Tides Group Oy"

    canceled = order_invoices.cancel_order_invoice(order=order, reason="Not paid in time", now=NOW)

    assert canceled is not None
    assert f"{invoice} was issued by Tides Oy." in printed(canceled)


def test_a_changed_or_missing_document_is_found(mia):
    payment = sold(mia)
    sold(mia)
    sold(mia)
    empty = digest_of([])
    with unguarded(), connection.cursor() as cursor:
        cursor.execute("UPDATE billing_document SET total = total + 1, snapshot = '{\"facts\": {}}' WHERE position = 1")
        cursor.execute("DELETE FROM billing_document WHERE position = 2")
        cursor.execute("UPDATE billing_document SET snapshot = '[]', sha256 = %s WHERE position = 3", [empty])

    found = [(each.name, each.text) for each in document_problems()]

    missing = Payment.objects.order_by("pk")[1]
    assert [name for name, _text in found] == [
        "INV-2026-000001", "INV-2026-000003", "invoice 2026: 3", payment.receipt_number, missing.receipt_number,
    ]  # fmt: skip


def test_numbers_follow_the_dates_and_begin_at_one_each_year(mia):
    sold(mia, paid_at=datetime(2026, 12, 31, 12, tzinfo=UTC))
    sold(mia, paid_at=datetime(2027, 1, 1, 12, tzinfo=UTC))
    sold(mia, paid_at=datetime(2026, 12, 30, 12, tzinfo=UTC))  # a process that waited for the series

    assert numbers() == ["INV-2026-000001", "INV-2027-000001", "INV-2026-000002"]
    first, _next_year, last = Document.objects.order_by("pk")
    assert first.issued_at == last.issued_at


def test_a_number_is_given_back_with_its_transaction(mia):
    with transaction.atomic():
        sold(mia)
        transaction.set_rollback(True)
    sold(mia)

    assert numbers() == ["INV-2026-000001"]


def test_earlier_payments_get_documents_in_the_order_of_time(mia, leo):
    late = PaymentFactory(user=mia, paid_at=NOW + timedelta(days=9))
    early = PaymentFactory(user=leo, paid_at=NOW)
    free = PaymentFactory(user=leo, list_price=0, amount=0, fee=0)
    for payment in (late, early, free):
        book_sale(payment)
    whole = early.amount  # what was returned adds up to 0, and needs its documents all the same
    ledger.post_refund("re_1", early.gateway_id, whole, occurred_at=NOW + timedelta(days=20), gateway_id="re_1")
    assert len(list(document_problems())) == 2

    assert issuing.issue_missing_documents() == 3
    assert issuing.issue_missing_documents() == 0

    assert [(str(each), each.payment, each.issued_at.day) for each in Document.objects.order_by("pk")] == [
        ("INV-2026-000001", early, 1), ("INV-2026-000002", late, 10), ("CN-2026-000001", early, 21),
    ]  # fmt: skip
    assert list(document_problems()) == []


def test_an_invoice_before_payment_is_paid_or_canceled(mia):
    order = OrderFactory(user=mia)
    invoice = order_invoices.issue_order_invoice(order=order, now=NOW)
    assert order_invoices.issue_order_invoice(order=order, now=NOW) == invoice
    canceled = order_invoices.cancel_order_invoice(order=order, reason="Not paid in time", now=NOW)
    assert canceled is not None
    assert (canceled.corrects, canceled.total) == (invoice, invoice.total)
    assert order_invoices.cancel_order_invoice(order=order, reason="Again", now=NOW) is None
    assert "Not paid in time" in printed(canceled)

    again = order_invoices.issue_order_invoice(order=order, now=NOW)
    payment = sold(mia, order=order, course=order.course, list_price=order.total)
    given_back(payment, 400, NOW)

    assert numbers() == ["INV-2026-000001", "CN-2026-000001", "INV-2026-000002", "CN-2026-000002"]
    assert Document.objects.latest("pk").corrects == again
    assert list(document_problems()) == []
    assert DocumentSeries.objects.get(kind="invoice").last == 2


def test_a_bank_that_changes_its_mind_again_and_again_is_documented_each_time(mia):
    """Also for an order of several courses, whose lines share a document."""
    payment = PaymentFactory(user=mia, amount=4000)
    second = {"list_price": 2400, "total": 2400, "tax": 0, "share": 7000, "title": "Ponds"}
    course = PaidCourseFactory()
    OrderLine.objects.create(order=payment.order, position=1, course=course, instructor=course.instructor, **second)
    Payment.objects.filter(pk=payment.pk).update(amount=6400)
    payment = Payment.objects.get(pk=payment.pk)
    book_sale(payment)
    issuing.issue_documents(payment=payment, now=NOW)

    for withdrawn, reinstated in ((6400, 0), (6400, 2000), (6400, 5000), (9000, 5000)):
        moves = ledger.DisputeMoves(withdrawn, reinstated)
        ledger.post_dispute(
            "dp_1", payment.gateway_id, moves, is_closed=True, opened_at=NOW, occurred_at=NOW, gateway_id="dp_1"
        )
        issuing.issue_documents(payment=payment, now=NOW)

    invoice, lost, *back, again = Document.objects.order_by("pk")
    assert [each.sign * each.total for each in (invoice, lost, *back, again)] == [6400, -6400, 2000, 3000, -2600]
    assert [each.corrects for each in (lost, *back, again)] == [invoice, lost, lost, invoice]
    assert list(document_problems()) == []


@pytest.mark.parametrize(
    "name",
    [
        "شركة المد والجزر",
        "株式会社タイドワークス",
        "Team 🌊🐙",
        "Wortungetüm" * 18,
        "a̐" * 60,
        "Ω≈ç √∫ GmbH & Co. <b>KG</b>",
    ],
)
def test_names_in_any_script_are_printed(mia, name):
    sold(mia, buyer={"name": name[:200], "country": "DE", "street": name[:200]}, title=f"{name} course"[:160])

    assert "$64.00" in printed(Document.objects.get())


@pytest.mark.django_db(transaction=True)
def test_payments_at_once_get_numbers_without_gaps(mia):
    """On SQLite they wait for each other from the start; PostgreSQL lets them wait for the series."""
    payments = [PaymentFactory(user=mia) for _ in range(4)]
    for payment in payments:
        book_sale(payment)
    together, failures = threading.Barrier(8), []

    def issue(payment: Payment) -> None:
        try:
            together.wait()
            issuing.issue_documents(payment=payment, now=NOW)
        except Exception as error:
            failures.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=issue, args=[payment]) for payment in payments * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert not failures
    assert numbers() == [f"INV-2026-00000{n}" for n in range(1, 5)]
    assert list(document_problems()) == []
