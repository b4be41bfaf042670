"""Admins compare the books with the provider, check the ledger, and handle events again."""

import re

import pytest
from django.core.management import call_command
from django.utils import timezone
from djstripe.models import WebhookEventTrigger

from apps.billing.access import access_to
from apps.billing.errors import PaymentProcessingError
from apps.billing.models import BooksCheck, BooksDifference, Order, Payment
from apps.billing.purchases import purchase_of_course
from apps.billing.services import books_checks, checkout, reconciliation
from apps.billing.services import webhooks as webhook_service
from apps.billing.services.issuing import issue_documents
from apps.billing.services.payments import book_sale
from studyplatform.kit import jobs
from studyplatform.kit.errors import AppError
from studyplatform.kit.models import Job
from tests.factories.billing import BalanceTransactionFactory
from tests.factories.selling import NOW, PaymentFactory

pytestmark = [pytest.mark.django_db]
PAGE = "/dashboard/admin/reconciliation"
EVENTS = "/dashboard/admin/events"


@pytest.fixture
def unnoticed(standin, card_form, mia, paid) -> Order:
    """An order that was paid at the provider, which nobody told this site."""
    begun = checkout.begin_order(
        user=mia, purchase=purchase_of_course(paid),
        code="", country="", email="", expected_total=6400, expected_currency="usd", card="",
        saves_card=False, agrees=True, now=timezone.now(),
    )  # fmt: skip
    card_form.confirm(begun.client_secret)
    return begun.order


def text_of(answer) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.content.decode()))


def test_a_payment_that_nobody_told_is_found_and_then_repaired(browser_of, sam, mia, paid, unnoticed):
    browser = browser_of(sam)
    assert "Hasn't been compared with the provider yet" in text_of(browser.get(PAGE))

    browser.post(f"{PAGE}/start", {"kind": "provider"})
    assert "Comparing" in text_of(browser.get(PAGE))
    jobs.run_pending("default")

    found = text_of(browser.get(PAGE))
    assert "1 difference from the provider" in found
    assert unnoticed.number in found
    assert access_to(mia, paid) is None  # it only looked

    browser.post(f"{PAGE}/start", {"kind": "provider", "repairs": "1"})
    jobs.run_pending("default")

    assert access_to(mia, paid).source == "purchase"
    repaired = text_of(browser.get(PAGE))
    assert "The books match the provider" in repaired
    assert "1 repaired" in repaired
    assert [check.repaired for check in BooksCheck.objects.order_by("pk")] == [0, 1]


@pytest.mark.database
def test_a_provider_that_cannot_be_reached_is_said_and_the_next_check_can_start(browser_of, sam, monkeypatch):
    def unreachable(**_):
        raise PaymentProcessingError(reason="No answer")

    monkeypatch.setattr(reconciliation, "differences", unreachable)
    browser = browser_of(sam)
    browser.post(f"{PAGE}/start", {"kind": "provider"})
    browser.post(f"{PAGE}/start", {"kind": "provider"})  # a second click
    jobs.run_pending("default")

    assert BooksCheck.objects.get().state == "failed"
    assert "The last comparison failed" in text_of(browser.get(PAGE))
    browser.post(f"{PAGE}/start", {"kind": "provider"})
    assert BooksCheck.objects.filter(state="running").count() == 1


def test_the_ledger_is_checked_with_its_date(browser_of, sam, monkeypatch):
    payment = PaymentFactory()
    book_sale(payment)
    issue_documents(payment=payment, now=NOW)
    browser = browser_of(sam)
    browser.post(f"{PAGE}/start", {"kind": "ledger", "repairs": "1"})
    jobs.run_pending("default")
    assert "The ledger adds up" in text_of(browser.get(PAGE))
    assert "2 entries" in text_of(browser.get(PAGE))
    assert not BooksCheck.objects.get().repairs  # nothing is repaired in an append-only ledger

    monkeypatch.setattr(
        books_checks, "problems", lambda: iter([reconciliation.Difference("entry", "sale x", "is odd")])
    )
    browser.post(f"{PAGE}/start", {"kind": "ledger"})
    jobs.run_pending("default")
    assert "1 problem in the ledger" in text_of(browser.get(PAGE))
    assert "is odd" in text_of(browser.get(PAGE))


def test_the_command_leaves_its_result_on_the_page(browser_of, sam, unnoticed, capsys):
    with pytest.raises(SystemExit):
        call_command("reconcile_billing", "--dry-run")
    assert "1 difference from the provider" in text_of(browser_of(sam).get(PAGE))
    call_command("reconcile_billing")
    assert "The books match the provider" in text_of(browser_of(sam).get(PAGE))


def test_progress_is_written_while_it_compares(standin, monkeypatch):
    check = BooksCheck.objects.create(kind="provider", state="running", started_at=NOW)
    seen = []

    def differences(*, since, now, examined):
        for _ in range(45):
            examined()
        seen.append(BooksCheck.objects.get(pk=check.pk).examined)
        return iter(())

    monkeypatch.setattr(reconciliation, "differences", differences)
    books_checks.run_check(check, now=NOW)

    assert seen == [40]
    assert BooksCheck.objects.get().examined == 45


def event(kind="charge.updated", *, valid=True, processed=False, exception="", **fields):
    body = f'{{"id": "evt_{kind}", "type": "{kind}", "livemode": false, "data": {{"object": {{"id": "obj_1"}}}}}}'
    return WebhookEventTrigger.objects.create(
        remote_ip="127.0.0.1", headers={}, body=body, valid=valid, processed=processed, exception=exception, **fields
    )


@pytest.mark.database
def test_events_are_listed_with_their_state_and_handled_again(
    browser_of, sam, mia, paid, webhooks, unnoticed, monkeypatch
):
    def broken(subject, now):
        raise RuntimeError("The cable is out")

    works = webhook_service.HANDLERS["payment_intent."]
    monkeypatch.setitem(webhook_service.HANDLERS, "payment_intent.", broken)
    webhooks()
    for _ in range(6):  # all attempts of the jobs
        Job.objects.filter(kind="billing.handle_event", state="queued").update(run_at=timezone.now())
        jobs.run_pending("default")
    event(valid=False)
    browser = browser_of(sam)

    page = text_of(browser.get(EVENTS))
    assert "The cable is out" in page
    assert "Rejected" in page
    failed = WebhookEventTrigger.objects.exclude(exception="").filter(valid=True)
    assert failed.exists()
    assert access_to(mia, paid) is None

    monkeypatch.setitem(webhook_service.HANDLERS, "payment_intent.", works)
    one = failed.first()
    browser.post(f"{EVENTS}/replay", {"event": [one.pk]})
    assert "Waiting" in text_of(browser.get(f"{EVENTS}?state=waiting"))
    jobs.run_pending("default")
    assert access_to(mia, paid).source == "purchase"
    assert WebhookEventTrigger.objects.get(pk=one.pk).processed

    browser.post(f"{EVENTS}/replay", {"failed": "1"})
    jobs.run_pending("default")
    assert not failed.exists()
    for _ in range(2):  # what was handled may be handled again
        browser.post(f"{EVENTS}/replay", {"event": [one.pk]})
        jobs.run_pending("default")
    assert Payment.objects.count() == 1


def test_events_are_filtered_and_rejected_ones_are_never_handled(browser_of, sam):
    bad = event("charge.failed", valid=False)
    event("charge.updated", exception="It broke", processed=False)
    event("payout.paid", processed=True)
    browser = browser_of(sam)

    def shown(query):
        return set(re.findall(r"evt_([\w.]+)<", browser.get(f"{EVENTS}?{query}").content.decode()))

    assert shown("") == {"charge.failed", "charge.updated", "payout.paid"}
    assert shown("state=rejected") == {"charge.failed"}
    assert shown("state=failed") == {"charge.updated"}
    assert shown("q=payout.paid") == {"payout.paid"}
    assert "Ignored" in text_of(browser.get(f"{EVENTS}?q=payout.paid"))
    assert shown("q=nothing") == set()
    for sent in ({"event": [bad.pk]}, {"event": ["x", "9" * 40]}, {}):
        assert "Select at least one event first" in text_of(browser.post(f"{EVENTS}/replay", sent, follow=True))


def test_pages_cost_few_queries(browser_of, sam, django_assert_max_num_queries):
    for number in range(25):
        event(exception="x" if number % 2 else "")
    for _ in range(15):
        BooksCheck.objects.create(kind="provider", state="done", started_at=NOW, days=30, findings=[])
    browser = browser_of(sam)
    for number in range(20):
        BalanceTransactionFactory(fact=f"ch_{number}", net=number)
        BooksDifference.objects.create(scope="provider", kind="x", subject=str(number), text="y", found_at=NOW)
    for page, most in ((PAGE, 20), (EVENTS, 10), ("/dashboard/admin/bank", 12)):
        browser.get(page)
        with django_assert_max_num_queries(most):
            browser.get(page)


def test_only_admins_compare_and_handle_events_again(browser_of, ada, mia, client):
    one = event(exception="It broke")
    for person in (ada, mia):
        browser = browser_of(person)
        for page in (PAGE, EVENTS):
            assert browser.get(page)["Location"] == "/"
        browser.post(f"{PAGE}/start", {"kind": "ledger"})
        browser.post(f"{EVENTS}/replay", {"event": [one.pk]})
        with pytest.raises(AppError):
            books_checks.start_check(admin=person, kind="ledger", now=NOW)
        with pytest.raises(AppError):
            webhook_service.replay(admin=person, triggers=[one.pk])
    assert client.get(PAGE)["Location"].startswith("/auth/login")
    assert not BooksCheck.objects.exists()
    assert WebhookEventTrigger.objects.get().exception == "It broke"


def test_every_page_about_payments_says_which_provider_is_active(browser_of, sam, settings):
    browser = browser_of(sam)

    def links(page):
        navigation = browser.get(page).content.decode().split('class="tabs tabs--fit"')[1]
        return set(re.findall(r'href="(/dashboard/admin/[\w-]+)"', navigation))

    pages = set().union(*(links(page) for page in links(PAGE)))
    assert len(pages) >= 11
    for page in pages:
        assert "Stand-in for Stripe" in text_of(browser.get(page))
    settings.BILLING_MODE, settings.STRIPE_LIVE_MODE = "stripe", False
    assert "Stripe, test mode" in text_of(browser.get(PAGE))
