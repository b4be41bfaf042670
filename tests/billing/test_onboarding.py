"""The way of an instructor's payouts to an account at the payment provider, against the stand-in and its pages."""

import html
import re
import urllib.error
import urllib.parse
import urllib.request
from datetime import UTC, datetime
from urllib.parse import urlsplit

import pytest

from apps.billing import gateway, services
from apps.billing.gateway.client import client as provider_client
from apps.billing.models import ConnectedAccount, PayoutAccount
from apps.billing.queries.connected import missing
from tests.accounts.test_reauthentication import recently_authenticated
from tests.billing.standin.test_payouts import Stay

pytestmark = [pytest.mark.database, pytest.mark.django_db]
EARNINGS = "/dashboard/instructor/earnings/"
DETAILS, CONNECT, CONNECTED = (f"{EARNINGS}{name}" for name in ("details", "details/connect", "details/connected"))
NOW = datetime(2026, 11, 23, 9, tzinfo=UTC)
BANK = {"account_number": "000123456789", "routing_number": "110000000"}


@pytest.fixture
def adas(browser_of, ada, standin):
    return recently_authenticated(browser_of(ada))


def at_provider(address, **given):
    """Fill in the provider's page as a browser does; returns the address to which it leads."""
    with urllib.request.urlopen(address) as page:  # noqa: S310
        assert b"Where should payouts go?" in page.read()
    form = urllib.parse.urlencode({"first_name": "Ada", "last_name": "Byron", "agrees": "on", **given}).encode()
    with pytest.raises(urllib.error.HTTPError) as sent:
        urllib.request.build_opener(Stay).open(address, form)
    assert sent.value.code == 303
    return urlsplit(sent.value.headers["Location"])


def text_of(answer):
    return html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.content.decode())))


def begin(adas):
    answer = adas.post(CONNECT)
    assert answer.status_code == 302
    return answer["Location"]


def test_an_instructor_gives_the_details_at_the_provider_and_payouts_go_there(adas, ada, standin):
    assert standin.address in adas.get(DETAILS)["Content-Security-Policy"].partition("form-action")[2]
    address = begin(adas)
    assert address.startswith(f"{standin.address}/onboarding/")
    assert not PayoutAccount.objects.exists()

    back = at_provider(address, **BANK)

    assert back.path == CONNECTED
    page = text_of(adas.get(back.path, follow=True))
    assert "Your payouts go to your account at the payment provider." in page
    account = PayoutAccount.objects.get(user=ada)
    row = ConnectedAccount.objects.get(user=ada)
    assert (account.method, account.gateway_id, account.last4) == ("connected", row.gateway_id, "6789")
    assert (row.details_submitted, row.payouts_enabled, row.due, row.is_wanted) == (True, True, [], False)
    assert ada.notifications.filter(kind="billing.payout_account").count() == 1
    details = text_of(adas.get(DETAILS))
    assert "In use" in details
    assert "bank account ending in 6789" in details


def test_what_is_missing_is_shown_and_the_bank_account_is_used_until_then(adas, ada):
    services.save_bank_account(user=ada, holder="Ada", number="DE89370400440532013000", bank_code="", now=NOW)

    back = at_provider(begin(adas), later="1")

    page = text_of(adas.get(back.path, follow=True))
    assert "Your payment provider account isn't ready yet" in page
    assert (
        "It still needs a bank account for your payouts, your agreement to the provider's terms, "
        "what you teach." in page
    )
    assert "Until then, your payouts go to the account ending in 3000." in page
    assert "Continue on the provider's site" in page
    assert "isn't ready yet" in text_of(adas.get(EARNINGS))
    assert PayoutAccount.objects.get().last4 == "3000"

    adas.get(at_provider(begin(adas), **BANK).path)

    assert (PayoutAccount.objects.get().method, ConnectedAccount.objects.count()) == ("connected", 1)
    assert "isn't ready yet" not in text_of(adas.get(EARNINGS))


def test_the_providers_event_is_enough_if_the_browser_never_returns(adas, ada, webhooks):
    at_provider(begin(adas), **BANK)

    assert webhooks() > 0
    assert PayoutAccount.objects.get(user=ada).last4 == "6789"

    ConnectedAccount.objects.update(payouts_enabled=False)
    account = ConnectedAccount.objects.get()
    provider_client().v1.accounts.external_accounts.create(
        account.gateway_id, {"external_account": "btok_us_noAccount"}
    )
    webhooks()

    assert PayoutAccount.objects.get(user=ada).last4 == "1116"
    account.refresh_from_db()
    assert account.payouts_enabled


def test_a_bank_account_that_was_entered_later_stays(adas, ada, webhooks):
    address = begin(adas)
    adas.post(DETAILS, {"holder": "Ada", "number": "DE89370400440532013000", "bank_code": ""})
    at_provider(address, **BANK)

    webhooks()

    assert PayoutAccount.objects.get().method == "bank"
    assert "Use the account ending in 6789" in text_of(adas.get(DETAILS))
    answer = adas.post(CONNECT)
    assert answer["Location"] == EARNINGS
    assert PayoutAccount.objects.get().method == "connected"


def test_two_tabs_begin_one_account(adas, monkeypatch):
    begin(adas)
    begin(adas)

    assert len(provider_client().v1.accounts.list().data) == 1


def test_an_account_that_was_closed_at_the_provider_is_forgotten(adas, ada):
    begin(adas)
    ConnectedAccount.objects.update(gateway_id="acct_gone", payouts_enabled=True)

    answer = adas.get(CONNECTED)

    assert answer["Location"] == DETAILS
    assert not ConnectedAccount.objects.exists()


def test_an_answer_that_was_overtaken_is_not_written(adas, ada, monkeypatch):
    begin(adas)
    row = ConnectedAccount.objects.get()
    real, answers = gateway.get_account, []

    def slow(account):
        state = real(account)
        if not answers:  # someone else writes while the first answer is on its way
            ConnectedAccount.objects.update(version=row.version + 5, payouts_enabled=True)
        answers.append(state)
        return state

    monkeypatch.setattr(gateway, "get_account", slow)
    services.sync_connected_account(gateway_id=row.gateway_id, now=NOW)

    assert len(answers) == 2
    row.refresh_from_db()
    assert not row.payouts_enabled


def test_a_provider_that_cannot_be_reached_changes_nothing(adas, ada, settings):
    address = begin(adas)
    at_provider(address, **BANK)
    settings.STRIPE_API_HOST = "http://127.0.0.1:9"

    page = text_of(adas.get(CONNECTED, follow=True))

    assert "The payment provider can't be reached." in page
    assert not PayoutAccount.objects.exists()
    assert adas.post(CONNECT)["Location"] == DETAILS


# --- Guards ---------------------------------------------------------------------------------------


def test_only_instructors_who_proved_their_identity_begin(browser_of, ada, mia, standin):
    assert browser_of(ada).post(CONNECT)["Location"].startswith("/auth/prove")
    assert recently_authenticated(browser_of(mia)).post(CONNECT)["Location"] == "/"
    assert browser_of(mia).get(CONNECTED)["Location"] == "/"
    assert recently_authenticated(browser_of(ada)).get(CONNECT)["Location"] == DETAILS
    assert not ConnectedAccount.objects.exists()
    assert provider_client().v1.accounts.list().data == []


def test_the_return_address_reads_the_own_account_alone(adas, browser_of, ada, eve):
    at_provider(begin(adas), **BANK)

    assert browser_of(eve).get(CONNECTED)["Location"] == DETAILS
    assert not PayoutAccount.objects.exists()


@pytest.mark.parametrize(
    ("due", "words"),
    [
        ([], []),
        (["individual.dob.day", "individual.dob.year"], ["your date of birth"]),
        (["something.new", "external_account"], ["a bank account for your payouts", "more details"]),
    ],
)
def test_what_is_missing_is_said_in_words(due, words):
    assert missing(due) == words


def test_an_account_that_was_closed_at_the_provider_is_replaced_the_same_day(adas, ada, standin):
    """Reported of Layr-Labs/d-inference (#498): every call fails for ever with "No such destination"."""
    begin(adas)
    first = ConnectedAccount.objects.get().gateway_id
    with standin.working() as work:
        work.remove(work.get(first, "account"))

    assert begin(adas).startswith(f"{standin.address}/onboarding/")

    again = ConnectedAccount.objects.get()
    assert again.gateway_id != first
    assert again.is_wanted
