"""Money that goes back otherwise than planned: pending and failing refunds, refunds and disputes at the provider.

Each follows from what the provider's balance shows; the stand-in is the provider.
"""

import csv
from datetime import timedelta
from decimal import Decimal
from io import StringIO

import pypdfium2
import pytest
from django.core import mail as post
from django.urls import reverse
from django.utils import timezone

from apps.accounts.kinds import KINDS
from apps.accounts.models import Notification
from apps.billing.access import access_to
from apps.billing.errors import NothingToRefund, RefundPending
from apps.billing.models import BooksCheck, Dispute, LedgerLine, Payment, Refund
from apps.billing.purchases import purchase_of_course
from apps.billing.queries.double_payments import double_payments
from apps.billing.services import books_checks, checkout, disputes, receipts, refund_states, refunds
from apps.billing.standin.errors import ApiError
from studyplatform.kit import jobs
from studyplatform.kit.web.dates import show_site_date
from tests.billing.conftest import GOOD

pytestmark = [pytest.mark.django_db]
REFUND_FAILS, REFUND_PENDING = "4000000000005126", "4000000000007726"


@pytest.fixture
def buy(standin, card_form, mia, paid):
    """Mia buys the course with a card."""

    def buy(number=GOOD):
        now = timezone.now()
        begun = checkout.begin_order(
            user=mia, purchase=purchase_of_course(paid), code="", country="", email="", expected_total=6400,
            expected_currency="usd", card="", saves_card=False, agrees=True, now=now,
        )  # fmt: skip
        card_form.confirm(begun.client_secret, number)
        checkout.sync_order(order=begun.order, now=now)
        return Payment.objects.latest("pk")

    return buy


def ask(payment, *, days=30):
    now = timezone.now() + timedelta(days=days)
    return refunds.request_refund(user=payment.user, payment=payment, reason="Late", now=now)


def synced(payment):
    refund_states.sync_refunds(payment=payment, now=timezone.now())
    payment.refresh_from_db()
    return payment


def lose(standin, payment, amount=None, **outcome):
    """A dispute that is decided before anybody here has heard of it."""
    dispute = standin.dispute(payment.gateway_id, amount)
    standin.decide_dispute(dispute["id"], **outcome)
    row = disputes.sync_dispute(dispute=dispute["id"], now=timezone.now())
    payment.refresh_from_db()
    return row


def balance(account):
    return sum(LedgerLine.objects.filter(account__code=account).values_list("amount", flat=True))


def at_provider(standin):
    with standin.working() as work:
        return work.find("balance")["_amounts"]["usd"]


def is_open(payment):
    return access_to(payment.user, payment.course) is not None


def test_a_pending_refund_has_left_the_balance_before_it_is_done(buy, standin):
    payment = buy(REFUND_PENDING)
    refund = ask(payment, days=0)
    assert (refund.status, is_open(payment), balance("pending_refunds")) == (Refund.Status.PROCESSING, True, 6400)
    assert balance("provider") == at_provider(standin)
    with pytest.raises(RefundPending):
        ask(payment)
    standin.finish_refund(refund.gateway_id)

    assert (synced(payment).refunded, is_open(payment), balance("pending_refunds")) == (6400, False, 0)
    assert balance("provider") == at_provider(standin)


def test_a_refund_that_the_provider_has_is_never_sent_again(buy, standin, sam):
    payment = buy(REFUND_PENDING)
    refund = refunds.refund_by_admin(
        admin=sam, payment=payment, amount=1000, reason="", now=timezone.now()
    )  # fmt: skip
    with standin.store.transaction() as db:
        db.execute("DELETE FROM answers")  # a day later the provider has forgotten the key
    refunds.send(refund=refund, now=timezone.now() + timedelta(days=2))

    with standin.working() as work:
        assert len(list(work.rows("refund"))) == 1


def test_a_canceled_refund_leaves_everything_as_it_was(buy, standin):
    payment = buy(REFUND_PENDING)
    refund = ask(payment, days=0)
    standin.cancel_refund(refund.gateway_id)

    assert (synced(payment).refunded, is_open(payment)) == (0, True)
    assert Refund.objects.get().status == Refund.Status.FAILED
    assert (balance("pending_refunds"), balance("provider")) == (0, at_provider(standin))


def test_a_refund_that_fails_after_the_course_was_bought_again_is_shown_to_admins(buy, standin, browser_of, sam, mia):
    first = buy(REFUND_FAILS)
    failing = ask(first, days=0)
    second = buy()
    assert (synced(first).refunded, double_payments()) == (6400, [])
    standin.fail_refund(failing.gateway_id)
    synced(first)
    receipts.tell_of_refund(refund=Refund.objects.get())

    [double] = double_payments()
    assert (double.payment, double.amount, is_open(first)) == (first, 6400, True)
    assert set(Notification.objects.values_list("user", "kind")) >= {
        (sam.pk, "billing.refund_to_return"), (mia.pk, "billing.refund_failed"),
    }  # fmt: skip
    page = browser_of(sam).get(reverse("billing:admin-refunds")).content.decode()
    address = reverse("billing:admin-refund", args=[first.uid])
    assert "1 payment to return" in page
    assert address in page
    assert "$64.00 was paid twice" in browser_of(sam).get(address).content.decode()
    browser_of(sam).post(address, {"amount": "64", "reason": "Paid twice"})
    assert (synced(first).refunded, double_payments(), is_open(first)) == (6400, [], True)
    refunds.refund_by_admin(admin=sam, payment=second, amount=6400, reason="", now=timezone.now())
    assert not is_open(first)


def test_the_payment_that_is_kept_opens_the_course_when_the_other_is_returned(buy, standin):
    first = buy(REFUND_FAILS)
    failing = ask(first, days=0)
    second = buy()
    standin.fail_refund(failing.gateway_id)
    synced(first)
    ask(second, days=0)

    assert (Payment.objects.get(pk=second.pk).refunded, is_open(first), double_payments()) == (6400, True, [])


@pytest.mark.parametrize("is_pending", [False, True])
def test_a_refund_in_the_dashboard_answers_the_request(buy, standin, mia, is_pending):
    payment = buy(REFUND_PENDING if is_pending else GOOD)
    request = ask(payment)
    made = standin.refund(payment.gateway_id)
    synced(payment)
    if is_pending:
        assert Refund.objects.get().status == Refund.Status.PROCESSING
        standin.finish_refund(made["id"])
        synced(payment)

    row = Refund.objects.get()
    assert (row.pk, row.status, row.gateway_id) == (request.pk, Refund.Status.DONE, made["id"])
    receipts.tell_of_refund(refund=row)
    assert mia.notifications.get().kind == "billing.refunded"


def test_a_request_is_for_no_more_than_what_is_left(buy, standin, mia, sam):
    payment = buy()
    request = ask(payment)
    standin.refund(payment.gateway_id, 400)
    synced(payment)
    request.refresh_from_db()
    assert (request.status, request.amount) == (Refund.Status.REQUESTED, 6000)
    lose(standin, payment, 6400, won=False)

    request.refresh_from_db()
    assert (request.status, is_open(payment), payment.left) == (Refund.Status.CLOSED, False, 0)
    receipts.tell_of_refund(refund=request)
    assert mia.notifications.get().kind == "billing.refund_closed"
    with pytest.raises(NothingToRefund):
        ask(payment)


def test_a_grant_of_a_request_that_was_paid_meanwhile_refunds_nothing_more(buy, standin, sam):
    payment = buy()
    request = ask(payment)
    standin.refund(payment.gateway_id)
    decided = refunds.decide_refund(admin=sam, refund=request, grants=True, reason="", now=timezone.now())

    assert (decided.status, Refund.objects.count()) == (Refund.Status.DONE, 1)
    assert Payment.objects.get().refunded == 6400


@pytest.mark.parametrize("refund_is_first", [True, False])
def test_a_partial_refund_and_a_lost_dispute_over_everything(buy, standin, refund_is_first):
    payment = buy()
    standin.refund(payment.gateway_id, 1400)
    if refund_is_first:
        synced(payment)
    lose(standin, payment, 6400, won=False)
    synced(payment)

    assert (payment.refunded, payment.charged_back, payment.left, is_open(payment)) == (1400, 6400, 0, False)
    assert (balance("losses"), balance("provider")) == (1400, at_provider(standin))


def test_a_dispute_won_in_part_costs_the_part(buy, standin, ada, sam):
    payment = buy()
    row = lose(standin, payment, won=True, reinstated=5400, fee_returned=1500)

    assert (row.status, row.lost, row.fee) == (Dispute.Status.WON, 1000, 0)
    assert (payment.left, is_open(payment)) == (5400, True)
    assert (balance("disputes"), balance(f"instructor:{ada.pk}"), balance("provider")) == (0, -3780, 6400 - 216 - 1000)
    assert balance("provider") == at_provider(standin)
    refunds.refund_by_admin(admin=sam, payment=payment, amount=5400, reason="", now=timezone.now())
    assert not is_open(payment)


def test_a_bank_that_changes_its_mind_opens_the_course_again(buy, standin):
    payment = buy()
    row = lose(standin, payment, won=False)
    assert (row.status, is_open(payment)) == (Dispute.Status.LOST, False)
    standin.decide_dispute(row.gateway_id, won=True)
    row = disputes.sync_dispute(dispute=row.gateway_id, now=timezone.now())

    assert (row.status, row.lost, is_open(payment)) == (Dispute.Status.WON, 0, True)
    assert balance("provider") == at_provider(standin)
    second = standin.dispute(payment.gateway_id, 400)
    disputes.sync_dispute(dispute=second["id"], now=timezone.now())
    with pytest.raises(NothingToRefund):
        ask(payment)
    assert Dispute.objects.count() == 2


def told(kind):
    """Emails of a kind: to whom, and the document that is attached."""
    for _step in range(3):  # what follows, its email, and its sending
        jobs.run_pending("default")
    subject = KINDS[f"billing.{kind}"].headline % {"amount": "$64.00", "title": "How Compilers Think"}
    return [(*each.to, each.attachments[-1][0]) for each in post.outbox if subject in each.subject]


def listed(browser, user):
    """The rows of the user's file by (type, state, amount), and what they add up to."""
    content = b"".join(browser.get("/billing/transactions.csv").streaming_content).decode("utf-8-sig")
    rows = [(row["type"], row["state"], row["amount"]) for row in csv.DictReader(StringIO(content))]
    return rows, sum(Decimal(amount) for _type, _state, amount in rows)


def test_a_dispute_is_told_and_listed_with_its_documents_however_often_it_is_decided(buy, standin, browser_of, mia):
    payment = buy()
    Payment.objects.update(email="books@example.com")
    row = lose(standin, payment, won=False)
    jobs.run_pending("default")

    year = timezone.localdate().year
    assert told("dispute_lost") == [("books@example.com", f"CN-{year}-000001.pdf")]
    browser = browser_of(mia)
    rows, total = listed(browser, mia)
    assert sorted(rows) == [("course", "Returned", "64.00"), ("dispute", "Returned by the bank", "-64.00")]
    assert total == 0
    for address in ("/billing/transactions", "/billing/transactions?type=refund", f"/billing/transactions?year={year}"):
        page = browser.get(address).content.decode()
        assert "Returned by the bank" in page
        assert f"CN-{year}-000001" in page
    receipt = pypdfium2.PdfDocument(browser.get(f"/billing/transactions/{payment.uid}/receipt.pdf").content)
    assert "Returned by the bank on" in receipt[0].get_textpage().get_text_bounded()

    standin.decide_dispute(row.gateway_id, won=True)
    disputes.sync_dispute(dispute=row.gateway_id, now=timezone.now())
    assert told("dispute_reversed") == [("books@example.com", f"INV-{year}-000002.pdf")]
    assert listed(browser, mia) == ([("course", "Paid", "64.00")], 64)


def test_a_refund_that_failed_is_told_with_the_invoice_and_counts_nothing(buy, standin, browser_of, mia):
    payment = buy(REFUND_FAILS)
    Payment.objects.update(email="books@example.com")
    refund = ask(payment, days=0)
    synced(payment)
    browser = browser_of(mia)
    assert listed(browser, mia)[1] == 0
    standin.fail_refund(refund.gateway_id)
    synced(payment)

    assert told("refund_failed") == [("books@example.com", f"INV-{timezone.localdate().year}-000002.pdf")]
    assert listed(browser, mia) == ([("refund", "Failed", "0.00"), ("course", "Paid", "64.00")], 64)
    ask(payment)
    assert listed(browser, mia)[1] == 64  # what waits for a decision moved nothing


def test_an_inquiry_changes_nothing_until_it_is_a_dispute_that_admins_hear_of(buy, standin, sam):
    payment = buy()
    inquiry = standin.dispute(payment.gateway_id, is_inquiry=True)
    assert disputes.sync_dispute(dispute=inquiry["id"], now=timezone.now()) is None
    standin.escalate_inquiry(inquiry["id"])
    row = disputes.sync_dispute(dispute=inquiry["id"], now=timezone.now())

    assert (row.status, balance("disputes"), balance("provider")) == (Dispute.Status.OPEN, 6400, at_provider(standin))
    disputes.sync_dispute(dispute=inquiry["id"], now=timezone.now())
    [notice] = Notification.objects.filter(user=sam, kind="billing.dispute_opened")
    assert f"by {show_site_date(row.answer_by)}" in notice.params["deadline"]


def test_a_refund_may_cost_a_fee(buy, standin):
    standin.set_fees(refund=40)
    payment = buy()
    standin.refund(payment.gateway_id, 1000)
    synced(payment)
    synced(payment)

    assert (balance("fees"), balance("provider")) == (216 + 40, at_provider(standin))


def test_what_nobody_reported_is_found_at_night(buy, standin, card_form, mia, paid):
    payment = buy()
    standin.refund(payment.gateway_id, 1000)
    dispute = standin.dispute(payment.gateway_id, 5400)
    standin.decide_dispute(dispute["id"], won=True, reinstated=400)
    now = timezone.now()
    check = BooksCheck(kind="provider", repairs=True, days=30, state="running", started_at=now)
    books_checks.run_check(check, now=now + timedelta(hours=2))

    payment.refresh_from_db()
    assert (payment.refunded, payment.charged_back, payment.left) == (1000, 5000, 400)
    assert balance("provider") == at_provider(standin)
    with pytest.raises(ApiError):
        standin.refund(payment.gateway_id, 401)
