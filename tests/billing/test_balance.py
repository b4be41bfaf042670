"""What moves the provider's balance is posted once, and what nobody can explain is said."""

import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest
import stripe
from django.db import connection
from django.utils import timezone

from apps.accounts.models import Notification, Role
from apps.billing import gateway, services
from apps.billing.errors import PaymentProcessingError
from apps.billing.gateway.client import client
from apps.billing.models import (
    BalanceHistory,
    BalanceTransaction,
    BooksCheck,
    BooksDifference,
    LedgerEntry,
    Payment,
    Refund,
)
from apps.billing.purchases import purchase_of_course
from apps.billing.queries import ledger_check
from apps.billing.queries.document_check import DocumentProblem
from apps.billing.queries.ledger import balances
from apps.billing.queries.ledger_check import problems
from apps.billing.services import balance, books_checks, checkout
from apps.billing.services.balance import kind_of
from studyplatform.kit import jobs
from studyplatform.kit.models import Job
from tests.billing.standin.test_payouts import onboard, pay
from tests.factories.accounts import UserFactory
from tests.factories.billing import BalanceTransactionFactory

pytestmark = [pytest.mark.database, pytest.mark.django_db]


DAY = timedelta(days=1)


def later():
    return timezone.now() + timedelta(hours=2)


def night(*, repairs=True, now=None, days=30):
    """The findings of a reconciliation: kind, outcome."""
    check = BooksCheck(kind="provider", repairs=repairs, days=days, started_at=timezone.now())
    books_checks.run_check(check, now=now or later())
    return [(each["kind"], each["outcome"]) for each in check.findings]


def at_provider(currency="usd"):
    moved = client().v1.balance_transactions.list({"limit": 100, "currency": currency})
    return sum(each.net for each in moved.auto_paging_iter())


def agrees():
    """The ledger's account of the provider is what the provider says, and nothing is unexplained."""
    assert balances(["provider"]).get("provider", {"usd": 0}) == {"usd": at_provider()}
    assert not balances(["unexplained"]).get("unexplained", {}).get("usd")
    assert list(problems()) == []
    return True


@pytest.fixture
def bought(standin, card_form, mia, paid):
    """Mia has paid $64, and the site knows."""
    return _buy(card_form, mia, paid)


def _buy(card_form, mia, paid):
    begun = checkout.begin_order(
        user=mia, purchase=purchase_of_course(paid),
        code="", country="", email="", expected_total=6400, expected_currency="usd", card="",
        saves_card=False, agrees=True, now=timezone.now(),
    )  # fmt: skip
    card_form.confirm(begun.client_secret)
    checkout.sync_order(order=begun.order, now=timezone.now())
    return Payment.objects.get()


@pytest.fixture
def platform_bank(standin):
    """The platform's own bank account at the provider."""
    return client().v1.payouts.create({"amount": 1000, "currency": "usd"})


def test_a_payout_to_the_bank_its_failure_and_fees_are_posted_once(bought, standin, platform_bank):
    standin.charge_fee(250)
    standin.charge_fee(48, type="tax_fee")
    for _ in range(2):
        assert night() == []
    assert balances(["bank", "fees"]) == {"bank": {"usd": 1000}, "fees": {"usd": 216 + 250 + 48}}
    assert agrees()

    standin.fail_payout(platform_bank.id)
    assert night() == []
    assert balances(["bank"]) == {"bank": {"usd": 0}}
    assert agrees()


def test_a_dry_run_names_what_it_would_post(bought, platform_bank):
    assert night(repairs=False) == [("balance", "differs")]
    assert not LedgerEntry.objects.filter(kind="provider_to_bank").exists()


def test_events_post_what_moved_at_once(bought, standin, webhooks, platform_bank):
    webhooks()
    assert balances(["bank"]) == {"bank": {"usd": 1000}}
    webhooks()
    assert LedgerEntry.objects.filter(kind="provider_to_bank").count() == 1


def test_a_charge_that_nobody_here_began_is_unexplained_until_an_admin_explains_it(sam, bought, standin):
    pay(client(), amount=5000)
    assert night(now=timezone.now()) == []  # it may still be on its way here
    assert night() == [("balance", "differs")]

    stranger = BalanceTransaction.objects.get(amount=5000)
    assert balances(["unexplained"]) == {"unexplained": {"usd": -stranger.net}}
    assert balances(["provider"])["provider"] == {"usd": at_provider()}
    [told] = Notification.objects.filter(user=sam, kind="billing.books_differ")
    assert stranger.source in told.params["first"]
    assert night() == [("balance", "differs")]
    assert Notification.objects.filter(kind="billing.books_differ").count() == 1
    assert LedgerEntry.objects.filter(kind="unexplained").count() == 1

    services.explain_balance(admin=sam, fact=stranger.fact, account="platform", now=timezone.now())
    services.explain_balance(admin=sam, fact=stranger.fact, account="platform", now=timezone.now())
    assert night() == []
    assert agrees()
    assert BooksDifference.objects.get().resolved_at is not None


def test_what_is_posted_later_takes_the_unexplained_amount_back(bought, standin):
    payment = Payment.objects.get()
    refund = standin.refund(payment.gateway_id, 400)
    calls = []
    comparison = _comparison(refetch=calls.append)
    balance.read_history()
    fact = BalanceTransaction.objects.get(source=refund["id"]).fact
    comparison.settle(fact)
    comparison.settle(fact)
    assert balances(["unexplained"]) == {"unexplained": {"usd": 400}}
    assert len(calls) == 2

    services.sync_refunds(payment=payment, now=timezone.now())
    assert night() == [("balance", "repaired")]
    assert agrees()


def _comparison(*, refetch):
    return books_checks.balance_facts.Comparison(refetch=refetch, began=timezone.now(), now=later())


def test_what_never_arrived_is_repaired_also_when_it_is_older_than_the_window(bought, standin):
    """A refund and a transfer that were made at the provider in the dashboard, months ago."""
    night()
    standin.refund(bought.gateway_id, 400)
    BalanceTransaction.objects.all().delete()
    BalanceHistory.objects.all().delete()

    assert night(days=1, now=timezone.now() + timedelta(days=90)) == [("balance", "repaired")]

    bought.refresh_from_db()
    assert bought.refunded == 400
    assert agrees()
    assert not BalanceTransaction.objects.exclude(repaired_at=None).filter(type="charge").exists()
    assert BalanceTransaction.objects.get(type="refund").repaired_at is not None


def test_a_fee_inside_a_movement_is_posted_as_a_fee(bought, standin):
    standin.set_fees(refund=25)
    standin.refund(bought.gateway_id, 400)

    found = night()

    assert ("refund", "repaired") in found
    assert {outcome for _, outcome in found} == {"repaired"}
    assert balances(["fees"]) == {"fees": {"usd": 216 + 25}}
    assert agrees()


def test_a_transfer_of_no_payout_is_unexplained(standin, bought):
    account = client().v1.accounts.create({"type": "express", "capabilities": {"transfers": {"requested": True}}}).id
    onboard(client(), account)
    client().v1.transfers.create({"amount": 500, "currency": "usd", "destination": account})

    assert night() == [("balance", "differs")]
    assert balances(["unexplained"]) == {"unexplained": {"usd": 500}}


def test_what_the_ledger_alone_has_is_reported(bought):
    services.post_sale(
        "pi_of_nobody", None, 700, 0, 0, "usd", occurred_at=timezone.now() - timedelta(days=400), gateway_id="ch_none"
    )

    assert night() == [("ledger", "differs")]
    assert night() == [("ledger", "differs")]
    assert BooksDifference.objects.filter(resolved_at=None).count() == 1


def test_what_is_open_stays_open_when_it_is_old_or_fewer_days_are_compared(sam, bought):
    Payment.objects.update(amount=6500)
    assert night() == [("payment", "differs")]

    assert night(days=1, now=timezone.now() + timedelta(days=3)) == []
    assert BooksDifference.objects.filter(resolved_at=None).count() == 1
    assert night(now=timezone.now() + timedelta(days=45)) == [("payment", "differs")]
    assert Notification.objects.filter(user=sam, kind="billing.books_differ").count() == 1

    Payment.objects.update(amount=6400)
    assert night(now=timezone.now() + timedelta(days=46)) == []
    assert not BooksDifference.objects.filter(resolved_at=None).exists()


@pytest.mark.long
def test_a_night_that_fails_is_told_once_and_resolved_by_one_that_ends(sam, bought, settings):
    address = settings.STRIPE_API_HOST
    settings.STRIPE_API_HOST = "http://127.0.0.1:9"
    for _ in range(2):
        books_checks.start_nightly_check(now=timezone.now())
        jobs.run_pending("default")
    assert Notification.objects.filter(user=sam, kind="billing.books_differ").count() == 1
    assert BooksCheck.objects.filter(kind="provider", state="failed").count() == 2

    settings.STRIPE_API_HOST = address
    books_checks.start_nightly_check(now=timezone.now())
    jobs.run_pending("default")
    assert BooksDifference.objects.get(kind="check").resolved_at is not None


def test_one_row_that_breaks_ends_nothing(bought, standin, monkeypatch, caplog):
    def broken(state):
        raise LookupError("an odd charge")

    standin.refund(bought.gateway_id, 400)
    with monkeypatch.context() as patch:
        patch.setattr(gateway.payments, "_with_order", broken)
        patch.setattr(books_checks.reconciliation.refund_states, "sync_refunds", broken)
        check = BooksCheck(kind="provider", repairs=True, days=30, started_at=timezone.now())
        books_checks.run_check(check, now=later())

    [row, refund, movement] = check.findings
    assert "not repaired" in refund["outcome"]
    assert row["kind"] == "payment"
    assert "an odd charge (reference " in row["text"]
    assert "not repaired" in movement["outcome"]
    reference = row["text"].split("reference ")[1].split(" ")[0]
    assert reference in caplog.text
    assert night() == [("refund", "repaired")]
    assert agrees()


def test_a_list_that_was_empty_is_read_to_its_end_when_it_is_long(standin, monkeypatch):
    monkeypatch.setattr(gateway.balance, "PAGE_SIZE", 2)
    assert night() == []
    for amount in (100, 200, 300):
        standin.charge_fee(amount)
    assert night() == []
    assert sorted(BalanceTransaction.objects.values_list("net", flat=True)) == [-300, -200, -100]
    agrees()


@pytest.mark.parametrize("job", ["none", "running", "waiting"])
def test_a_check_that_no_job_carries_out_keeps_no_night_from_starting(standin, job):
    """The process was killed when it gave up."""
    books_checks.start_nightly_check(now=timezone.now())
    stuck = BooksCheck.objects.get(kind="provider")
    mine = Job.objects.filter(kind="billing.check_books", key=str(stuck.pk))
    if job == "none":
        mine.delete()
    elif job == "running":
        mine.update(state="running", lease_until=timezone.now())

    books_checks.start_nightly_check(now=timezone.now() + DAY)

    stuck.refresh_from_db()
    assert stuck.state == ("running" if job == "waiting" else "failed")
    assert BooksCheck.objects.filter(kind="provider", state="running").count() == 1


def test_what_cannot_be_read_or_is_unknown_there_ends_nothing(bought, standin, monkeypatch):
    """An odd movement, an odd transfer, a refund that another provider had, a movement in an unknown currency."""
    account = client().v1.accounts.create({"type": "express", "capabilities": {"transfers": {"requested": True}}})
    onboard(client(), account.id)
    client().v1.transfers.create({"amount": 500, "currency": "usd", "destination": account.id})
    Refund.objects.create(
        payment=bought, gateway_id="re_unknown", amount=100, status="processing", requested_at=timezone.now() - DAY
    )
    BalanceTransactionFactory(gateway_id="txn_odd", fact="txn_odd", type="payout", net=-5, currency="zzz")
    read = gateway.balance._state

    def read_all_but_the_charge(row):
        if row.type == "charge":
            raise LookupError("an odd movement")
        return read(row)

    def odd(row):
        raise LookupError("an odd transfer")

    with monkeypatch.context() as patch:
        patch.setattr(gateway.balance, "_state", read_all_but_the_charge)
        patch.setattr(gateway.transfers, "_summary", odd)
        check = BooksCheck(kind="provider", repairs=True, days=30, started_at=timezone.now())
        books_checks.run_check(check, now=later())

    texts = [each["text"] for each in check.findings]
    assert "is on its way here, and the provider doesn't know it" in texts
    assert [text[:40] for text in texts if "compared: an odd" in text] == [
        "couldn't be compared: an odd transfer (r", "couldn't be compared: an odd movement (r",
    ]  # fmt: skip
    assert BalanceTransaction.objects.filter(type="transfer").exists()
    Refund.objects.all().delete()
    BalanceTransaction.objects.filter(currency="zzz").delete()
    night()
    assert BalanceTransaction.objects.filter(type="charge").exists()


def test_a_part_that_breaks_is_told_and_resolves_nothing(sam, bought, monkeypatch):
    BooksDifference.objects.create(
        scope="provider", kind="bank", subject="usd", text="differs", found_at=timezone.now()
    )

    def broken():
        raise LookupError("an odd bank")
        yield

    for is_broken in (True, False):
        with monkeypatch.context() as patch:
            if is_broken:
                patch.setattr(books_checks.balance_totals, "against_bank", broken)
            night()
        open_ = set(BooksDifference.objects.filter(resolved_at=None).values_list("kind", "subject"))
        assert open_ == ({("bank", "usd"), ("check", "bank")} if is_broken else set())
    assert Notification.objects.filter(user=sam, kind="billing.books_differ").exists()


def test_a_ledger_check_that_breaks_is_told_and_one_part_of_it_ends_no_other(sam, bought, monkeypatch):
    def broken():
        raise LookupError("an odd payout")
        yield

    with monkeypatch.context() as patch:
        patch.setattr(ledger_check, "payout_problems", broken)
        patch.setattr(ledger_check, "document_problems", lambda: iter([DocumentProblem("INV-1", "was changed")]))
        assert [(each.kind, each.name) for each in problems()] == [("check", "payouts"), ("document", "INV-1")]

    monkeypatch.setattr(books_checks, "problems", broken)
    books_checks.start_nightly_check(now=timezone.now())
    for _ in range(2):  # it is tried twice
        jobs.run_pending("default")
        Job.objects.filter(kind="billing.check_books", state="queued").update(run_at=timezone.now())
    assert "an odd payout" in BooksDifference.objects.get(scope="ledger").text
    assert Notification.objects.filter(user=sam, kind="billing.books_differ").exists()


def test_a_long_history_is_read_in_pages_and_goes_on_after_a_kill(bought, standin, monkeypatch):
    for _ in range(7):
        standin.charge_fee(10)
    monkeypatch.setattr(gateway.balance, "PAGE_SIZE", 2)
    page, asked = gateway.balance_transactions_page, []

    def dies(*, after):
        asked.append(after)
        if len(asked) == 3:
            raise KeyboardInterrupt
        return page(after=after)

    with monkeypatch.context() as patch:
        patch.setattr(gateway, "balance_transactions_page", dies)
        with pytest.raises(KeyboardInterrupt):
            balance.read_history()
    assert BalanceTransaction.objects.count() == 4

    def counted(*, after):
        asked.append(after)
        return page(after=after)

    monkeypatch.setattr(gateway, "balance_transactions_page", counted)
    balance.read_history()

    assert asked[3] == asked[2] != ""
    assert BalanceTransaction.objects.count() == 8
    assert night() == []
    assert agrees()


def test_a_fee_of_a_payout_to_the_bank_is_posted_beside_its_amount():
    BalanceTransactionFactory(gateway_id="txn_1", fact="txn_1", type="payout", amount=-1000, fee=15, net=-1015)

    assert balance.post_known() == 1
    assert balance.post_known() == 0

    expected = {"provider": {"usd": -1015}, "bank": {"usd": 1000}, "fees": {"usd": 15}}
    assert balances(["provider", "bank", "fees"]) == expected


def test_money_that_the_provider_exchanged_is_right_in_both_currencies(db):
    """100 euros were paid, and 110 dollars less a fee of 3 arrived."""
    services.post_sale("pi_1", None, 10_000, 0, 0, "eur", occurred_at=timezone.now(), gateway_id="ch_1")
    long_ago = timezone.now() - timedelta(days=2)
    BalanceTransactionFactory(fact="ch_1", amount=11_000, fee=300, net=10_700, is_converted=True, created_at=long_ago)

    _comparison(refetch=lambda row: None).settle("ch_1")

    assert balances(["provider", "exchange", "unexplained"]) == {
        "provider": {"usd": 10_700, "eur": 0},
        "exchange": {"usd": -10_700, "eur": 10_000},
    }


def test_an_account_in_another_currency_has_books_in_both(standin, card_form, mia, paid, webhooks):
    """Sales are in dollars, the provider keeps euros, and the rate changes between a dispute and its end."""
    standin.settle_in("eur", "0.9")
    payment = _buy(card_form, mia, paid)
    assert payment.fee == 216  # of $64.00, not the 194 cents that the provider writes down in euros
    standin.set_fees(refund=90)
    standin.refund(payment.gateway_id, 400)
    dispute = standin.dispute(payment.gateway_id, 3000)["id"]
    webhooks()
    assert night(repairs=False).count(("balance", "differs")) == 3
    assert night() == []
    standin.settle_in("eur", "0.8")
    standin.decide_dispute(dispute, won=True, fee_returned=1500)
    webhooks()
    assert night() == []
    payment.refresh_from_db()
    assert (payment.refunded, payment.charged_back, payment.disputes.get().fee) == (400, 0, 0)
    accounts = balances(["provider", "exchange", "losses", "unexplained", "fees"])
    assert accounts["provider"] == {"usd": 0, "eur": at_provider("eur")}
    assert accounts["exchange"]["eur"] == -at_provider("eur")
    assert accounts["fees"]["usd"] == 216 + 90
    assert "losses" not in accounts
    assert "unexplained" not in accounts
    assert list(problems()) == []


def test_top_ups_and_reserves_are_posted_by_themselves(bought, standin, webhooks):
    standin.top_up(5000)
    standin.hold_reserve(1200)
    webhooks()
    assert night() == []
    assert balances(["bank", "reserves"]) == {"bank": {"usd": -5000}, "reserves": {"usd": 1200}}
    standin.hold_reserve(-1200)
    assert night() == []
    assert balances(["reserves"]) == {"reserves": {"usd": 0}}
    assert agrees()


KINDS = [
    (("payout", "payout", "po_1", -5), "provider_to_bank"),
    (("payout", "payout", "po_1", 5), "bank_to_provider"),  # a negative balance that the bank pays
    (("payout_failure", "payout_reversal", "po_1", 5), "bank_to_provider"),
    (("topup", "topup", "tu_1", 5), "bank_to_provider"),
    (("stripe_fee", "fee", "", -5), "provider_fee"),
    (("stripe_fee", "fee", "", 5), "provider_fee"),
    (("adjustment", "fee", "", 5), "provider_fee"),
    (("adjustment", "dispute", "du_1", -5), None),
    (("adjustment", "fee", "du_1", 5), None),
    (("adjustment", "other_adjustment", "", 5), None),
    (("reserve_hold", "risk_reserved_funds", "", -5), "reserve"),
    (("charge", "charge", "ch_1", 5), None),
    (("transfer", "transfer", "tr_1", -5), None),
    (("something_new", "something_new", "", -5), None),
]


def test_only_what_is_documented_is_posted_by_itself():
    assert [(values, kind_of(*values)) for values, _ in KINDS] == KINDS


def test_a_job_runs_every_night_and_is_planned_again_where_the_chain_broke(standin, time_machine):
    evening = datetime(2027, 1, 10, 22, tzinfo=UTC)
    time_machine.move_to(evening, tick=False)
    for _ in range(2):
        jobs.plan_all(now=evening)
    planned = Job.objects.get(kind="billing.check_books_nightly")
    assert planned.run_at == datetime(2027, 1, 11, 3, 30, tzinfo=UTC)
    assert Job.objects.filter(kind="billing.run_payouts").count() == 1

    time_machine.move_to(planned.run_at + timedelta(seconds=1), tick=False)
    jobs.run_pending("default")
    assert sorted(BooksCheck.objects.values_list("kind", "state", "repairs")) == [
        ("ledger", "done", False),
        ("provider", "done", True),
    ]
    assert Job.objects.get(kind="billing.check_books_nightly", state="queued").run_at.day == 12
    Job.objects.filter(state="queued").delete()
    jobs.plan_all(now=timezone.now())
    assert Job.objects.filter(kind="billing.check_books_nightly", state="queued").count() == 1


def test_a_provider_that_is_down_ends_the_check_and_one_odd_object_does_not(bought, standin, monkeypatch):
    def odd(_id):
        raise PaymentProcessingError from stripe.APIError("500")

    def down(_id):
        raise PaymentProcessingError from stripe.APIConnectionError("nobody")

    standin.dispute(bought.gateway_id)
    monkeypatch.setattr(gateway, "get_dispute", odd)
    assert ("dispute", "differs") in night()
    monkeypatch.setattr(gateway, "get_dispute", down)
    with pytest.raises(PaymentProcessingError):
        night()


@pytest.mark.django_db(transaction=True)
def test_two_reconciliations_at_once_post_once(standin):
    """On SQLite one waits for the other; PostgreSQL runs them side by side."""
    UserFactory(role=Role.ADMIN)
    pay(client(), amount=5000)
    client().v1.payouts.create({"amount": 1000, "currency": "usd"})
    standin.charge_fee(30)
    together, problems_ = threading.Barrier(2), []

    def run():
        try:
            together.wait()
            night()
        except Exception as error:
            problems_.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert not problems_
    assert balances(["provider"])["provider"] == {"usd": at_provider()}
    kinds = LedgerEntry.objects.order_by("kind").values_list("kind", flat=True)
    assert list(kinds) == ["provider_fee", "provider_to_bank", "unexplained"]
    assert Notification.objects.filter(kind="billing.books_differ").count() == 1
    assert Refund.objects.count() == 0


def test_a_movement_that_the_database_refuses_is_said_and_stops_no_other(standin, monkeypatch):
    """For example an amount beyond 64 bits, or a text with NUL or without an end."""
    state = gateway.BalanceTransactionState(
        id="txn_0", type="stripe_fee", category="fee", amount=-1, fee=0, net=-1, currency="usd", source="",
        description="", is_converted=False, created=timezone.now() - DAY,
    )  # fmt: skip
    states = [replace(state, id=f"txn_{number}") for number in range(4)]
    states[1] = replace(states[1], net=2**70)
    if connection.vendor == "postgresql":  # SQLite takes them
        states += [replace(state, id="txn_nul", description="a\0b"), replace(state, id="txn_long", currency="x" * 99)]
    listed = [gateway.Listed(each.id, partial(lambda one: one, each)) for each in states]
    monkeypatch.setattr(gateway, "balance_transactions_page", lambda *, after: (listed, ""))
    monkeypatch.setattr(gateway, "balance_transactions_since", lambda moment: iter(listed))

    refused = {each.id for each in states} - {"txn_0", "txn_2", "txn_3"}
    for _time in range(2):
        check = BooksCheck(kind="provider", repairs=True, days=30, started_at=timezone.now())
        books_checks.run_check(check, now=later())
        said = {each["name"] for each in check.findings if "couldn't be compared" in each["text"]}
        assert said == refused
        assert {each.gateway_id for each in BalanceTransaction.objects.all()} == {"txn_0", "txn_2", "txn_3"}
        assert balances(["fees"]) == {"fees": {"usd": 3}}
