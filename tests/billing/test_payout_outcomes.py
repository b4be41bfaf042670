"""About payouts to connected accounts the provider is asked before anything changes, and nothing goes out twice."""

import threading
from datetime import UTC, date, datetime, timedelta

import pytest
import stripe
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from apps.accounts.models import Notification, Role
from apps.billing import services, transfers
from apps.billing.errors import NothingToReverse, PayoutInProgress, PayoutTransferred, ReversalRefused
from apps.billing.gateway import ProviderTransfers
from apps.billing.gateway.client import client
from apps.billing.models import Payout, PayoutAccount
from apps.billing.queries.ledger import balances
from apps.billing.queries.payout_check import payout_problems
from apps.billing.queries.payouts import bank_transfers
from apps.billing.services import payout_outcomes, payout_reconciliation, payouts
from studyplatform.kit.db.triggers import drop_triggers, install_triggers
from studyplatform.kit.errors import AppError
from tests.billing.standin.test_payouts import balance, onboard, pay
from tests.factories.accounts import UserFactory
from tests.factories.billing import sale

pytestmark = [pytest.mark.database, pytest.mark.django_db]
DAY, NEXT_DAY = date(2026, 11, 1), date(2026, 12, 1)
NOW = datetime(2026, 11, 1, 0, 5, tzinfo=UTC)
LATER = NOW + timedelta(minutes=20)
NEXT = NOW + timedelta(days=30)
IBAN, OTHER_IBAN = "DE89370400440532013000", "GB82WEST12345698765432"
Failure = Payout.Failure


@pytest.fixture
def account(standin, ada):
    """Ada's account at the provider, to which her $70 go."""
    made = client().v1.accounts.create(
        {"type": "express", "email": "ada@example.com", "capabilities": {"transfers": {"requested": True}}}
    )
    onboard(client(), made.id)
    pay(client(), amount=20_000)
    services.save_connected_account(user=ada, gateway_id=made.id, last4="6789", now=NOW)
    sale(ada.pk, 10_000, at=NOW - timedelta(days=30))
    return made.id


@pytest.fixture
def sent(account):
    services.run_payouts(DAY, now=NOW)
    payout = Payout.objects.get()
    assert payout.state == "sent"
    return payout


def owed(user):
    return -balances([f"instructor:{user.pk}"]).get(f"instructor:{user.pk}", {}).get("usd", 0)


def transferred():
    return [(each.amount, each.amount_reversed) for each in client().v1.transfers.list().data]


def state_of(payout):
    payout.refresh_from_db()
    return payout.state, payout.failure, payout.amount_reversed


class LostAnswer(ProviderTransfers):
    """The provider makes the transfer, and its answer is lost."""

    def send(self, key, **values):
        super().send(key, **values)
        raise stripe.APIConnectionError("The connection was lost")


@pytest.fixture
def lost(account):
    """A payout whose transfer was made; the site does not know it."""
    transfers.register(LostAnswer())
    _, unknown = services.run_payouts(DAY, now=NOW)
    transfers.register(ProviderTransfers())
    assert (unknown, Payout.objects.get().state) == (1, "processing")
    return Payout.objects.get()


def test_what_the_provider_has_transferred_cannot_fail_and_is_never_sent_again(ada, sent):
    with pytest.raises(PayoutTransferred, match="transferred"):
        services.fail_payout(sent.pk, Failure.OTHER, now=NOW)
    services.run_payouts(NEXT_DAY, now=NEXT)

    assert state_of(sent) == ("sent", "", 0)
    assert transferred() == [(7000, 0)]
    assert owed(ada) == 0


def test_an_admin_takes_a_payout_back_once_and_it_joins_the_next(ada, sam, sent):
    services.reverse_payout(sent.pk, admin=sam, now=NOW)
    with pytest.raises(NothingToReverse):
        services.reverse_payout(sent.pk, admin=sam, now=NOW)

    assert state_of(sent) == ("failed", "reversed", 7000)
    assert transferred() == [(7000, 7000)]
    assert owed(ada) == 7000
    assert balances(["payouts", "provider"]) == {"payouts": {"usd": 0}, "provider": {"usd": 10_000}}
    assert Notification.objects.get(kind="billing.payout_reversed").params["amount"] == "$70"
    assert list(payout_problems()) == []
    services.run_payouts(NEXT_DAY, now=NEXT)
    assert sorted(transferred()) == [(7000, 0), (7000, 7000)]
    with pytest.raises(AppError):
        services.reverse_payout(sent.pk, admin=ada, now=NOW)


def test_a_reversal_is_refused_while_the_account_has_no_money_and_works_later(ada, sam, account, sent, standin):
    on = {"stripe_account": account}
    client().v1.payouts.create({"amount": 7000, "currency": "usd"}, on)
    for _ in range(2):
        with pytest.raises(ReversalRefused, match="insufficient"):
            services.reverse_payout(sent.pk, admin=sam, now=NOW)
    assert (state_of(sent), owed(ada)) == (("sent", "", 0), 0)

    client().v1.transfers.create({"amount": 8000, "currency": "usd", "destination": account})
    services.reverse_payout(sent.pk, admin=sam, now=NOW)
    assert (state_of(sent), owed(ada)) == (("failed", "reversed", 7000), 7000)


def test_a_part_taken_back_at_the_provider_is_posted_and_the_rest_can_be_taken_back(ada, sam, sent):
    client().v1.transfers.reversals.create(sent.gateway_id, {"amount": 1000})
    for _ in range(2):
        services.sync_payout(sent.pk, now=NOW)
    assert (state_of(sent), owed(ada)) == (("sent", "", 1000), 1000)
    assert list(payout_problems()) == []
    with pytest.raises(PayoutTransferred, match=r"\$60"):
        services.fail_payout(sent.pk, Failure.OTHER, now=NOW)

    client().v1.transfers.reversals.create(sent.gateway_id, {"amount": 500})
    services.reverse_payout(sent.pk, admin=sam, now=NOW)
    assert (state_of(sent), owed(ada)) == (("failed", "reversed", 7000), 7000)
    assert balances(["provider"]) == {"provider": {"usd": 10_000}}
    assert list(payout_problems()) == []


def test_a_payout_whose_answer_was_lost_turns_out_to_be_sent_when_it_is_marked_as_failed(ada, lost):
    with pytest.raises(PayoutInProgress):
        services.fail_payout(lost.pk, Failure.OTHER, now=NOW + timedelta(minutes=5))
    with pytest.raises(PayoutTransferred):
        services.fail_payout(lost.pk, Failure.OTHER, now=LATER)

    assert (state_of(lost)[0], owed(ada)) == ("sent", 0)
    assert transferred() == [(7000, 0)]


def test_a_key_that_the_provider_has_forgotten_sends_nothing_twice(lost, standin):
    standin.clock.advance(days=3)

    services.run_payouts(DAY, now=NOW + timedelta(days=3))

    assert (state_of(lost)[0], transferred()) == ("sent", [(7000, 0)])


def test_no_run_sends_what_an_admin_is_failing(ada, account, standin, monkeypatch):
    """The admin was told that there is no transfer; a run at this moment must not make one."""
    monkeypatch.setattr(ProviderTransfers, "send", LostAnswer().reverse)  # it breaks: nothing is sent
    services.run_payouts(DAY, now=NOW)
    monkeypatch.undo()
    payout = Payout.objects.get()
    find = ProviderTransfers.find

    def find_while_a_run_starts(self, key):
        answer = find(self, key)
        monkeypatch.setattr(ProviderTransfers, "find", find)
        services.run_payouts(DAY, now=LATER + timedelta(seconds=1))
        return answer

    monkeypatch.setattr(ProviderTransfers, "find", find_while_a_run_starts)
    services.fail_payout(payout.pk, Failure.OTHER, now=LATER)

    assert (state_of(payout)[0], transferred(), owed(ada)) == ("failed", [], 7000)


def test_a_process_that_was_held_up_sends_nothing_after_another_took_over(ada, account, monkeypatch):
    payouts_made = []
    find = ProviderTransfers.find

    def find_slowly(self, key):
        if not payouts_made:
            payouts_made.append(key)
            services.run_payouts(DAY, now=LATER)  # another process, 20 minutes later
            return []
        return find(self, key)

    monkeypatch.setattr(ProviderTransfers, "find", find_slowly)
    services.run_payouts(DAY, now=NOW)

    assert transferred() == [(7000, 0)]
    assert (Payout.objects.get().state, owed(ada)) == ("sent", 0)


def held_up_before(name, meanwhile, monkeypatch):
    """Hold up the first call of a method of the provider until others have done ``meanwhile``."""
    real, held_up = getattr(ProviderTransfers, name), []

    def call(self, *args, **values):
        if not held_up:
            held_up.append(name)
            meanwhile()
        return real(self, *args, **values)

    monkeypatch.setattr(ProviderTransfers, name, call)


def fail_and_pay_again():
    services.fail_payout(Payout.objects.get().pk, Failure.OTHER, now=LATER)
    services.run_payouts(NEXT_DAY, now=NEXT)


def be_refused_and_try_again():
    """The refusal leaves no trace at the provider, so that only a closed attempt is refused later."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(ProviderTransfers, "send", Refuses(transfers.TransferDelayed("too little")).send)
        services.run_payouts(DAY, now=LATER)
    services.run_payouts(DAY, now=LATER + timedelta(minutes=20))


def be_refused_for_good_and_pay_again():
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(ProviderTransfers, "send", Refuses(transfers.TransferFailed(Failure.NOT_READY)).send)
        services.run_payouts(DAY, now=LATER)
    services.run_payouts(NEXT_DAY, now=NEXT)


class Refuses:
    def __init__(self, error):
        self.error = error

    def send(self, *args, **values):
        raise self.error


@pytest.mark.parametrize("meanwhile", [fail_and_pay_again, be_refused_and_try_again, be_refused_for_good_and_pay_again])
def test_a_request_that_was_held_up_sends_nothing_after_the_amount_was_sent_otherwise(
    ada, account, monkeypatch, meanwhile
):
    """A virtual machine may stop between the last look at the database and the request."""
    held_up_before("send", meanwhile, monkeypatch)

    services.run_payouts(DAY, now=NOW)

    assert (transferred(), owed(ada)) == ([(7000, 0)], 0)
    assert list(payout_problems()) == []


@pytest.mark.parametrize("held_up", ["admin", "run"])
def test_who_was_held_up_returns_nothing_that_was_sent_meanwhile(ada, account, monkeypatch, held_up):
    """Both have closed the attempt and know that it sent nothing, when another one begins."""
    is_run = held_up == "run"
    error = transfers.TransferFailed(Failure.NOT_READY) if is_run else stripe.APIConnectionError("lost")
    monkeypatch.setattr(ProviderTransfers, "send", Refuses(error).send)
    module = payouts if is_run else payout_outcomes
    returning = module.return_amount

    def return_late(*args, **values):
        monkeypatch.undo()
        for minutes in (20, 40):  # the first finds its attempt closed
            services.run_payouts(DAY, now=LATER + timedelta(minutes=minutes))
        return returning(*args, **values)

    monkeypatch.setattr(module, "return_amount", return_late)
    services.run_payouts(DAY, now=NOW)
    if not is_run:
        with pytest.raises(PayoutTransferred):
            services.fail_payout(Payout.objects.get().pk, Failure.OTHER, now=LATER)

    assert (Payout.objects.get().state, transferred(), owed(ada)) == ("sent", [(7000, 0)], 0)


def test_a_transfer_found_after_a_failure_leaves_the_instructor_overpaid_in_the_books(ada, sam, account, lost):
    payout_outcomes.return_amount(lost.pk, Failure.OTHER, now=LATER)  # as releases before asked nobody
    services.run_payouts(NEXT_DAY, now=NEXT)
    assert transferred() == [(7000, 0), (7000, 0)]

    for _ in range(2):
        services.sync_payout(lost.pk, now=NEXT)

    assert (state_of(lost)[0], owed(ada)) == ("sent", -7000)
    assert Notification.objects.get(user=sam, kind="billing.payout_found").params["amount"] == "$70.00"
    assert balances(["provider", "payouts"]) == {"provider": {"usd": -4000}, "payouts": {"usd": 0}}
    assert list(payout_problems()) == []
    services.reverse_payout(lost.pk, admin=sam, now=NEXT)  # it comes back a second time
    assert Notification.objects.filter(user=sam, kind="billing.payout_not_sent").count() == 2
    assert owed(ada) == 0


def test_two_transfers_of_one_payout_are_both_posted(ada, sam, account, sent):
    made = {"amount": 7000, "currency": "usd", "destination": account, "transfer_group": sent.key}
    client().v1.transfers.create(made)
    services.sync_payout(sent.pk, now=NOW)
    assert (owed(ada), list(payout_problems())) == (-7000, [])
    assert Notification.objects.filter(user=sam, kind="billing.payout_found").count() == 1

    services.reverse_payout(sent.pk, admin=sam, now=NOW)
    assert Notification.objects.filter(user=sam, kind="billing.payout_not_sent").count() == 1
    assert (state_of(sent)[0], owed(ada), list(payout_problems())) == ("failed", 7000, [])


def test_what_the_provider_refuses_for_good_is_told_to_admins_and_tried_again(ada, account, monkeypatch):
    """Reported of Layr-Labs/d-inference (#498): transfers into some countries fail each time, and nobody knows."""

    def refuses(self, key, **values):
        raise transfers.TransferDelayed("Funds can't be sent to accounts located in AU")

    monkeypatch.setattr(ProviderTransfers, "send", refuses)
    for minutes in (0, 20, 40):
        services.run_payouts(DAY, now=NOW + timedelta(minutes=minutes))

    payout = Payout.objects.get()
    assert (payout.state, payout.refusals) == ("processing", 3)
    [found] = payout_reconciliation.unfinished(now=NOW + timedelta(days=1))
    assert "located in AU" in found.text
    monkeypatch.undo()
    found.repair()
    assert not found.is_open()
    assert (state_of(payout)[0], transferred()) == ("sent", [(7000, 0)])


# --- Bank transfers -------------------------------------------------------------------------------


@pytest.mark.parametrize("change", ["connected", "another bank account", "removed"])
def test_a_bank_payout_goes_where_it_started_and_blocks_nothing(ada, standin, change):
    services.save_bank_account(user=ada, holder="Ada Byron", number=IBAN, bank_code="", now=NOW)
    sale(ada.pk, 10_000, at=NOW - timedelta(days=30))
    run, _ = services.run_payouts(DAY, now=NOW)
    payout = Payout.objects.get()
    if change == "connected":
        services.save_connected_account(user=ada, gateway_id="acct_1", last4="9999", now=NOW)
    elif change == "another bank account":
        services.save_bank_account(user=ada, holder="A. Byron", number=OTHER_IBAN, bank_code="", now=NOW)
    else:
        PayoutAccount.objects.all().delete()
    sale(ada.pk, 20_000, at=NOW)

    if change != "removed":
        next_run = services.schedule_payouts(NEXT_DAY, now=NEXT)
        assert [each.amount for each in next_run.payouts.all()] == [14_000]
    assert list(bank_transfers(run.pk))[1].strip() == f"{payout.key},Ada Byron,{IBAN},,70.00,USD"
    services.mark_payout_sent(payout.pk, now=NEXT)
    assert state_of(payout)[0] == "sent"
    services.fail_payout(payout.pk, Failure.ACCOUNT_CLOSED, now=NEXT)
    assert (state_of(payout)[0], owed(ada)) == ("failed", 21_000)
    assert not PayoutAccount.objects.filter(verified_at=NEXT).exists()


def test_a_number_that_cannot_be_decrypted_hides_no_other_transfer(ada, eve, settings):
    for user in (ada, eve):
        services.save_bank_account(user=user, holder=user.username, number=IBAN, bank_code="", now=NOW)
        sale(user.pk, 10_000, at=NOW - timedelta(days=30))
    run, _ = services.run_payouts(DAY, now=NOW)
    Payout.objects.filter(instructor=ada).update(encrypted_number="of another key")

    lines = list(bank_transfers(run.pk))

    assert [line.split(",")[2] for line in lines[1:]] == ["…3000", IBAN]


def test_a_deleted_account_leaves_no_account_number_behind(ada):
    services.save_bank_account(user=ada, holder="Ada Byron", number=IBAN, bank_code="", now=NOW)
    sale(ada.pk, 10_000, at=NOW - timedelta(days=30))
    services.run_payouts(DAY, now=NOW)
    services.forget_payout_data(user_id=ada.pk, now=timezone.now())

    assert list(Payout.objects.values_list("holder", "encrypted_number", "bank_code")) == [("", "", "")]


# --- At the same time -----------------------------------------------------------------------------


def at_once(*works):
    """Run the works in threads with connections of their own; return what they raised."""
    together, problems = threading.Barrier(len(works)), []

    def run(work):
        try:
            together.wait()
            work()
        except Exception as error:
            problems.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=[work]) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return problems


@pytest.mark.django_db(transaction=True)
def test_two_admins_and_a_run_at_once_take_a_payout_back_once(standin):
    """On SQLite one waits for the other; PostgreSQL runs them side by side."""
    ada, admin = UserFactory(role=Role.INSTRUCTOR), UserFactory(role=Role.ADMIN)
    made = client().v1.accounts.create({"type": "express", "capabilities": {"transfers": {"requested": True}}}).id
    onboard(client(), made)
    pay(client(), amount=20_000)
    services.save_connected_account(user=ada, gateway_id=made, last4="6789", now=NOW)
    sale(ada.pk, 10_000, at=NOW - timedelta(days=30))
    services.run_payouts(DAY, now=NOW)
    payout, now = Payout.objects.get(), timezone.now()

    problems = at_once(
        lambda: services.reverse_payout(payout.pk, admin=admin, now=now),
        lambda: services.reverse_payout(payout.pk, admin=admin, now=now),
        lambda: services.fail_payout(payout.pk, Failure.OTHER, now=now),
        lambda: services.run_payouts(DAY, now=now),
    )

    assert all(isinstance(each, AppError) for each in problems), problems
    assert (state_of(payout)[0], transferred(), owed(ada)) == ("failed", [(7000, 7000)], 7000)
    assert balance(client(), made) == 0
    assert list(payout_problems()) == []


# --- Pages ----------------------------------------------------------------------------------------


def test_the_page_and_the_admin_screen_ask_the_provider(browser_of, ada, sam, account, sent):
    admin = browser_of(sam)
    page, screen = "/dashboard/admin/payouts", "/admin/billing/payout/"
    failed = admin.post(f"{page}/{sent.uid}/mark", {"outcome": "other", "state": "sent"}, follow=True).content.decode()
    assert "has transferred $70 of this payout" in failed
    on_screen = {"action": "fail_other", "_selected_action": [sent.pk]}
    assert "has transferred $70" in admin.post(screen, on_screen, follow=True).content.decode()
    assert state_of(sent)[0] == "sent"

    client().v1.payouts.create({"amount": 7000, "currency": "usd"}, {"stripe_account": account})
    refused = admin.post(f"{page}/{sent.uid}/reverse", follow=True).content.decode()
    assert "take the transfer back" in refused
    assert "insufficient" in refused
    browser_of(ada).post(f"{page}/{sent.uid}/reverse")
    client().v1.transfers.create({"amount": 7000, "currency": "usd", "destination": account})
    taken = admin.post(f"{page}/{sent.uid}/reverse", follow=True).content.decode()
    assert "The provider took $70.00 back" in taken
    assert state_of(sent) == ("failed", "reversed", 7000)
    assert (
        "Nothing was changed"
        in admin.post(f"{page}/{sent.uid}/mark", {"outcome": "other", "state": "sent"}, follow=True).content.decode()
    )


@pytest.mark.parametrize(
    ("what", "values"),
    [("mark", {"outcome": "other", "state": "sent"}), pytest.param("reverse", {}, marks=pytest.mark.long)],
)
def test_a_provider_that_does_not_answer_changes_nothing(browser_of, sam, sent, settings, what, values):
    settings.STRIPE_API_HOST = "http://127.0.0.1:9"
    answer = browser_of(sam).post(f"/dashboard/admin/payouts/{sent.uid}/{what}", values, follow=True)
    assert "be reached" in answer.content.decode()
    assert state_of(sent)[0] == "sent"


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_payouts_on_their_way_get_the_account_that_is_still_theirs_and_can_go_back():
    executor = MigrationExecutor(connection)
    newest = executor.loader.graph.leaf_nodes()
    drop_triggers(plan=newest)  # as `manage.py migrate` does
    before = [("billing", "0008_plan_change_claim"), *(leaf for leaf in newest if leaf[0] != "billing")]
    try:
        executor.migrate(before)
        old = executor.loader.project_state(before).apps
        run = old.get_model("billing", "PayoutRun").objects.create(day=DAY, created_at=NOW)
        for name, last4 in (("same", "3000"), ("other", "9999")):
            user = old.get_model("accounts", "User").objects.create(email=f"{name}@example.com", username=name)
            old.get_model("billing", "PayoutAccount").objects.create(
                user=user, method="bank", holder=name, encrypted_number="secret", last4="3000", changed_at=NOW
            )
            old.get_model("billing", "Payout").objects.create(
                run=run, instructor=user, amount=5, currency="usd", sales_until=NOW, method="bank", last4=last4,
                state="processing", created_at=NOW,
            )  # fmt: skip

        executor = MigrationExecutor(connection)
        executor.migrate(newest)
        rows = executor.loader.project_state(newest).apps.get_model("billing", "Payout").objects
        assert set(rows.values_list("holder", "encrypted_number")) == {("same", "secret"), ("", "")}
        assert sorted(line.split(",")[1:3] for line in list(bank_transfers(run.pk))[1:]) == [
            ["", "…9999"],
            ["same", "…3000"],
        ]

        executor = MigrationExecutor(connection)
        executor.migrate(before)
        assert executor.loader.project_state(before).apps.get_model("billing", "Payout").objects.count() == 2
    finally:
        MigrationExecutor(connection).migrate(newest)
        install_triggers()
