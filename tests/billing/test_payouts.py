"""Payouts: what is payable, sent once, resumed after a crash, and returned when it failed."""

import json
import threading
from datetime import UTC, date, datetime, timedelta
from io import StringIO

import pytest
import time_machine
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.utils import timezone

from apps.accounts.models import Notification, Role, User
from apps.billing import services, transfers
from apps.billing.models import Payout, PayoutAccount
from apps.billing.queries.ledger import balances
from apps.billing.queries.payouts import bank_transfers, next_payout_day, payable, sales_until
from apps.billing.transfers import Transfer, TransferFailed
from studyplatform.kit import jobs
from studyplatform.kit.models import Job
from tests.factories.accounts import UserFactory
from tests.factories.billing import sale

pytestmark = [pytest.mark.database, pytest.mark.django_db]
DAY = date(2026, 11, 1)
NOW = datetime(2026, 11, 1, 0, 5, tzinfo=UTC)
OLD = NOW - timedelta(days=30)
IBAN = "DE89370400440532013000"


class Fake:
    """A provider in memory: transfers by key, and every call that was made."""

    def __init__(self):
        self.made, self.calls, self.failure = {}, [], None

    def find(self, key):
        return [self.made[key]] if key in self.made else []

    def send(self, key, *, attempt, amount, currency, destination):
        self.calls.append((key, amount, currency, destination))
        self.attempt = attempt
        if self.failure:
            raise self.failure
        return self.made.setdefault(key, Transfer(f"tr_{len(self.made)}", amount, NOW))

    def close_attempt(self, key, *, attempt, destination):
        pass


@pytest.fixture(autouse=True)
def provider():
    real, fake = transfers.current(), Fake()
    transfers.register(fake)
    yield fake
    transfers.register(real)


@pytest.fixture
def connected(ada):
    services.save_connected_account(user=ada, gateway_id="acct_1", last4="4242", now=OLD)
    return ada


@pytest.fixture
def with_bank(ada):
    services.save_bank_account(user=ada, holder="Ada Byron", number=IBAN, bank_code="", now=OLD)
    return ada


def owed(user):
    return -balances([f"instructor:{user.pk}"]).get(f"instructor:{user.pk}", {}).get("usd", 0)


# --- What is payable ------------------------------------------------------------------------------


def test_sales_in_their_refund_period_wait(ada):
    until = sales_until(DAY)
    sale(ada.pk, 10_000, at=until - timedelta(seconds=1))
    young = sale(ada.pk, 5000, at=until, payment_key="pi_young")

    assert payable(until) == {(ada.pk, "usd"): 7000}
    services.post_refund("re_1", "pi_young", 5000, occurred_at=young.occurred_at)
    assert payable(until, instructor_id=ada.pk) == {(ada.pk, "usd"): 7000}


def test_a_refund_of_an_old_sale_counts_at_once(ada):
    sale(ada.pk, 10_000, at=OLD, payment_key="pi_1")
    services.post_refund("re_1", "pi_1", 5000, occurred_at=NOW)

    assert payable(sales_until(DAY)) == {(ada.pk, "usd"): 3500}


@pytest.mark.parametrize(
    ("today", "expected"),
    [
        (date(2026, 11, 1), date(2026, 12, 1)),
        (date(2026, 12, 31), date(2027, 1, 1)),
        (date(2027, 1, 30), date(2027, 2, 1)),
    ],
)
def test_the_next_payout_day_is_in_the_next_month(today, expected):
    assert next_payout_day(today) == expected


def test_the_payout_day_is_a_setting(settings):
    settings.PAYOUT_DAY = 15
    assert next_payout_day(date(2026, 11, 14)) == date(2026, 11, 15)
    assert next_payout_day(date(2026, 11, 15)) == date(2026, 12, 15)


# --- Sending --------------------------------------------------------------------------------------


def test_a_run_sends_each_amount_once(connected, provider):
    sale(connected.pk, 10_000, at=OLD)

    for _ in range(2):
        services.run_payouts(DAY, now=NOW)

    payout = Payout.objects.get()
    assert (payout.state, payout.amount, payout.gateway_id) == ("sent", 7000, "tr_0")
    assert provider.calls == [(payout.key, 7000, "usd", "acct_1")]
    assert owed(connected) == 0
    assert balances(["provider", "payouts"]) == {"provider": {"usd": 3000}, "payouts": {"usd": 0}}
    assert Notification.objects.filter(user=connected, kind="billing.payout_sent").count() == 1


def test_small_balances_and_users_without_details_wait(ada, eve, provider):
    services.save_connected_account(user=ada, gateway_id="acct_1", last4="", now=OLD)
    sale(ada.pk, 7142, at=OLD)  # a share of $49.99
    sale(eve.pk, 10_000, at=OLD)

    services.run_payouts(DAY, now=NOW)

    assert not provider.calls
    assert {each.instructor_id: each.hindrance for each in services.plan_payouts(DAY)} == {
        ada.pk: "minimum",
        eve.pk: "no_account",
    }
    sale(ada.pk, 2, at=OLD)
    services.run_payouts(DAY, now=NOW)
    assert [amount for _, amount, *_ in provider.calls] == [5000]


def test_a_blocked_instructor_is_not_paid(connected, provider):
    sale(connected.pk, 10_000, at=OLD)
    User.objects.filter(pk=connected.pk).update(is_active=False)

    services.run_payouts(DAY, now=NOW)

    assert not provider.calls


def test_currencies_are_paid_separately(connected, provider):
    sale(connected.pk, 10_000, at=OLD)
    sale(connected.pk, 20_000, at=OLD, currency="eur")

    services.run_payouts(DAY, now=NOW)

    assert sorted((amount, currency) for _, amount, currency, _ in provider.calls) == [(7000, "usd"), (14_000, "eur")]


def test_a_failed_payout_returns_to_the_balance_and_joins_the_next(connected, provider):
    sale(connected.pk, 10_000, at=OLD)
    provider.failure = TransferFailed(Payout.Failure.NOT_READY, "account not enabled")
    services.run_payouts(DAY, now=NOW)

    failed = Payout.objects.get()
    assert (failed.state, failed.failure, failed.failure_detail) == ("failed", "not_ready", "account not enabled")
    assert owed(connected) == 7000
    assert "connected account" in Notification.objects.get(kind="billing.payout_failed").params["reason"]

    provider.failure = None
    sale(connected.pk, 1000, at=OLD)
    services.run_payouts(date(2026, 12, 1), now=NOW + timedelta(days=30))

    assert Payout.objects.get(state="sent").amount == 7700
    assert owed(connected) == 0


def test_what_is_refunded_before_it_is_sent_is_not_paid(connected, provider):
    sale(connected.pk, 10_000, at=OLD, payment_key="pi_1")
    sale(connected.pk, 10_000, at=OLD)
    services.schedule_payouts(DAY, now=NOW)
    services.post_refund("re_1", "pi_1", 5000, occurred_at=NOW)

    services.run_payouts(DAY, now=NOW)

    assert [amount for _, amount, *_ in provider.calls] == [10_500]


def test_a_payout_that_was_refunded_as_a_whole_disappears(connected, provider):
    sale(connected.pk, 10_000, at=OLD, payment_key="pi_1")
    services.schedule_payouts(DAY, now=NOW)
    services.post_refund("re_1", "pi_1", 10_000, occurred_at=NOW)

    services.run_payouts(DAY, now=NOW)

    assert not provider.calls
    assert not Payout.objects.exists()


@pytest.mark.parametrize("was_sent", [False, True])
def test_a_crash_before_or_after_the_transfer_is_resumed(connected, provider, was_sent):
    """The answer is lost: nobody knows whether the provider made the transfer."""
    sale(connected.pk, 10_000, at=OLD)
    provider.failure = ConnectionError()
    _, unknown = services.run_payouts(DAY, now=NOW)
    payout = Payout.objects.get()
    assert (unknown, payout.state, owed(connected)) == (1, "processing", 0)
    if was_sent:
        provider.made[payout.key] = Transfer("tr_before", payout.amount, NOW)
    provider.failure = None

    services.run_payouts(DAY, now=NOW + timedelta(minutes=5))  # perhaps the other attempt is still at it
    assert len(provider.calls) == 1
    services.run_payouts(DAY, now=NOW + timedelta(minutes=20))

    payout.refresh_from_db()
    assert (payout.state, len(provider.made)) == ("sent", 1)
    assert {key for key, *_ in provider.calls} == {payout.key}
    assert len(provider.calls) == (1 if was_sent else 2)
    assert balances(["payouts"])["payouts"]["usd"] == 0


@pytest.mark.django_db(transaction=True)
def test_two_runs_at_once_send_each_amount_once(provider):
    """On SQLite one waits for the other; PostgreSQL runs them side by side."""
    teachers = UserFactory.create_batch(4, role=Role.INSTRUCTOR)
    for user in teachers:
        services.save_connected_account(user=user, gateway_id=f"acct_{user.pk}", last4="", now=OLD)
        sale(user.pk, 10_000, at=OLD)
    together, problems = threading.Barrier(3), []

    def run():
        try:
            together.wait()
            services.run_payouts(DAY, now=timezone.now())
        except Exception as error:
            problems.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=run) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert not problems
    assert sorted(destination for *_, destination in provider.calls) == sorted(f"acct_{user.pk}" for user in teachers)
    assert list(Payout.objects.values_list("state", flat=True)) == ["sent"] * 4
    assert balances()["provider"] == {"usd": 12_000}


@pytest.mark.django_db(transaction=True)
def test_a_refund_that_is_being_posted_is_not_paid_out(connected, provider):
    """On SQLite one waits for the other anyway; on PostgreSQL the payout waits for the instructor's account."""
    sale(connected.pk, 10_000, at=OLD, payment_key="pi_1")
    sale(connected.pk, 10_000, at=OLD)
    services.schedule_payouts(DAY, now=NOW)
    problems = []

    def pay():
        try:
            services.run_payouts(DAY, now=NOW)
        except Exception as error:
            problems.append(error)
        finally:
            connection.close()

    paying = threading.Thread(target=pay)
    with transaction.atomic():
        services.post_refund("re_1", "pi_1", 5000, occurred_at=NOW)
        paying.start()
        paying.join(0.5)  # a payout that does not wait has ended by then
    paying.join()

    assert not problems
    assert [amount for _, amount, *_ in provider.calls] == [10_500]


# --- Bank transfers -------------------------------------------------------------------------------


def test_a_bank_payout_is_processing_until_an_admin_marks_it(with_bank, provider):
    sale(with_bank.pk, 10_050, at=OLD)
    run, _ = services.run_payouts(DAY, now=NOW)
    payout = Payout.objects.get()
    assert (payout.state, payout.last4, provider.calls) == ("processing", "3000", [])

    lines = list(bank_transfers(run.pk))
    assert lines[1].strip() == f"{payout.key},Ada Byron,{IBAN},,70.35,USD"

    services.mark_payout_sent(payout.pk, now=NOW)
    services.mark_payout_sent(payout.pk, now=NOW)
    assert balances(["bank", "payouts"]) == {"bank": {"usd": -7035}, "payouts": {"usd": 0}}
    assert PayoutAccount.objects.get().verified_at == NOW
    assert len(list(bank_transfers(run.pk))) == 1

    services.fail_payout(payout.pk, Payout.Failure.ACCOUNT_CLOSED, now=NOW)
    payout.refresh_from_db()
    assert (payout.state, owed(with_bank)) == ("failed", 7035)
    assert balances(["bank"]) == {"bank": {"usd": 0}}


def test_the_account_number_is_stored_encrypted(with_bank):
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM billing_payoutaccount")
        row = cursor.fetchone()

    assert not any(IBAN in str(value) for value in row)
    assert "3000" in row


def test_an_account_of_formulas_is_harmless_in_a_spreadsheet(ada):
    services.save_bank_account(user=ada, holder="=HYPERLINK(1)", number="12345678", bank_code="021000021", now=OLD)
    sale(ada.pk, 10_000, at=OLD)
    run, _ = services.run_payouts(DAY, now=NOW)

    assert ",'=HYPERLINK(1)," in list(bank_transfers(run.pk))[1]


def test_a_change_of_the_account_is_told_and_the_new_one_is_paid(with_bank, provider):
    sale(with_bank.pk, 10_000, at=OLD)
    services.schedule_payouts(DAY, now=NOW)
    services.save_connected_account(user=with_bank, gateway_id="acct_2", last4="9999", now=NOW)

    services.run_payouts(DAY, now=NOW)

    assert [destination for *_, destination in provider.calls] == ["acct_2"]
    assert Notification.objects.filter(user=with_bank, kind="billing.payout_account").count() == 2


# --- The command and the job ----------------------------------------------------------------------


def command(*options):
    out = StringIO()
    call_command("run_payouts", "--json", *options, stdout=out)
    return json.loads(out.getvalue())


@time_machine.travel(NOW, tick=False)
def test_a_dry_run_sends_nothing(connected, eve, provider):
    sale(connected.pk, 10_000, at=OLD)
    sale(eve.pk, 1000, at=OLD)

    report = command("--dry-run")
    assert [(each["amount"], each["waits"]) for each in report["planned"]] == [(7000, ""), (700, "minimum")]
    assert not provider.calls
    assert not Payout.objects.exists()

    assert [each["state"] for each in command()["payouts"]] == ["sent"]
    assert command()["planned"] == [{"instructor": eve.pk, "amount": 700, "currency": "usd", "waits": "minimum"}]


@time_machine.travel(NOW, tick=False)
def test_the_command_reports_what_is_unknown(connected, provider):
    sale(connected.pk, 10_000, at=OLD)
    provider.failure = ConnectionError()
    out = StringIO()

    with pytest.raises(SystemExit) as end:
        call_command("run_payouts", stdout=out)

    assert end.value.code == 1
    assert "$70 processing" in out.getvalue()
    with pytest.raises(CommandError, match="date"):
        call_command("run_payouts", "--day", "soon")
    with pytest.raises(CommandError, match="future"):
        call_command("run_payouts", "--day", "2026-12-01")


def test_a_sale_plans_the_next_run_which_plans_the_one_after(connected, provider):
    with time_machine.travel(datetime(2026, 10, 20, tzinfo=UTC), tick=False):
        sale(connected.pk, 10_000, at=OLD)
        jobs.run_pending("default")
        assert Job.objects.get(kind="billing.run_payouts").run_at == NOW
    with time_machine.travel(NOW, tick=False):
        jobs.run_pending("default")

    assert [amount for _, amount, *_ in provider.calls] == [7000]
    planned = Job.objects.get(kind="billing.run_payouts", state="queued")
    assert (planned.key, planned.run_at) == ("2026-12-01", datetime(2026, 12, 1, 0, 5, tzinfo=UTC))
