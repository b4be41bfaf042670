"""The page of saved cards."""

import html
from dataclasses import replace
from datetime import UTC, datetime

import pytest
import time_machine

from apps.billing import gateway
from apps.billing.errors import CardInUse, PaymentProcessingError
from apps.billing.models import Card, Customer
from apps.billing.services import customers, premium_care
from apps.billing.services.customers import MAX_CARDS
from tests.factories.selling import CardFactory, SubscriptionFactory

pytestmark = pytest.mark.django_db
PAGE = "/billing/methods"
NOW = datetime(2026, 6, 10, 12, tzinfo=UTC)


@pytest.fixture
def calls(monkeypatch):
    """What the provider was asked to do."""
    made = []
    monkeypatch.setattr(gateway, "set_default_card", lambda **given: made.append(("default", given["card"])))
    monkeypatch.setattr(gateway, "remove_card", lambda card: made.append(("remove", card)))
    return made


@pytest.fixture
def cards(mia):
    Customer.objects.create(user=mia, gateway_id="cus_mia")
    first = CardFactory(user=mia, is_default=True, last4="4417")
    return first, CardFactory(user=mia, brand="mastercard", last4="0082", exp_month=6, exp_year=2026)


def page_of(browser) -> str:
    return browser.get(PAGE).content.decode()


@time_machine.travel(datetime(2026, 6, 10, tzinfo=UTC), tick=False)
def test_the_page_shows_own_cards_with_their_state(browser_of, mia, cards, leo, django_assert_max_num_queries):
    CardFactory(user=leo, last4="9999")
    CardFactory(user=mia, last4="1111", exp_month=5, exp_year=2026)
    CardFactory(user=mia, last4="2222", declined_at=datetime(2026, 6, 9, tzinfo=UTC))
    browser = browser_of(mia)

    with django_assert_max_num_queries(4):
        page = page_of(browser)

    assert page.index("4417") < page.index("0082")
    assert "9999</p>" not in page
    assert [page.count(f">{word}</span>") for word in ("Default", "Expires soon", "Expired", "Declined")] == [1] * 4
    assert "Expires 06/26" in page
    assert "The card ending 2222 was declined" in page


def test_the_default_is_changed_here_and_at_the_provider(browser_of, mia, cards, calls):
    other = cards[1]

    answer = browser_of(mia).post(f"{PAGE}/{other.uid}/default", follow=True)

    assert calls == [("default", other.gateway_id)]
    assert list(mia.cards.filter(is_default=True)) == [other]
    assert "Mastercard ending 0082 is now the default." in answer.content.decode()


def test_a_card_is_removed(browser_of, mia, cards, calls):
    answer = browser_of(mia).post(f"{PAGE}/{cards[1].uid}/remove", follow=True)

    assert calls == [("remove", cards[1].gateway_id)]
    assert "Mastercard ending 0082 was removed." in answer.content.decode()
    assert "0082</p>" not in page_of(browser_of(mia))


def test_the_only_card_that_premium_can_be_charged_to_stays(browser_of, mia, cards, calls):
    SubscriptionFactory(user=mia)
    Card.objects.filter(pk=cards[1].pk).update(exp_year=2020)

    answer = browser_of(mia).post(f"{PAGE}/{cards[0].uid}/remove", follow=True)

    assert calls == []
    assert str(CardInUse.message) in html.unescape(answer.content.decode())
    assert mia.cards.usable().count() == 2


@time_machine.travel(datetime(2026, 6, 10, tzinfo=UTC), tick=False)
def test_another_card_takes_over_before_the_default_is_removed(browser_of, mia, cards, calls):
    SubscriptionFactory(user=mia)
    CardFactory(user=mia, last4="3333", exp_month=5, exp_year=2026)
    browser = browser_of(mia)
    assert "Premium will use Mastercard •••• 0082 from then on." in page_of(browser)

    browser.post(f"{PAGE}/{cards[0].uid}/remove")

    assert calls == [("default", cards[1].gateway_id), ("remove", cards[0].gateway_id)]
    assert list(mia.cards.usable().filter(is_default=True)) == [cards[1]]


def test_the_provider_fails_while_the_default_is_replaced(browser_of, mia, cards, monkeypatch):
    def fails(**_):
        raise PaymentProcessingError

    monkeypatch.setattr(gateway, "set_default_card", fails)

    answer = browser_of(mia).post(f"{PAGE}/{cards[0].uid}/remove", follow=True)

    assert str(PaymentProcessingError.message) in answer.content.decode()
    assert list(mia.cards.usable().filter(is_default=True)) == [cards[0]]


@time_machine.travel(datetime(2026, 6, 10, tzinfo=UTC), tick=False)
def test_the_page_warns_of_the_card_that_premium_is_charged_to(browser_of, mia, cards):
    Card.objects.filter(pk=cards[0].pk).update(exp_month=6, exp_year=2026)
    browser = browser_of(mia)
    assert "expires soon</p>" not in page_of(browser)

    SubscriptionFactory(user=mia)

    assert "The card ending 4417 expires soon</p>" in page_of(browser)


def test_a_saved_card_is_named_and_only_this_page_loads_the_providers_script(browser_of, mia, cards, settings):
    browser = browser_of(mia)

    answer = browser.get(f"{PAGE}?saved={cards[1].uid}")

    assert "Mastercard ending 0082 was saved" in answer.content.decode()
    assert 'data-island="card-form"' in answer.content.decode()
    assert settings.STRIPE_API_HOST in answer["Content-Security-Policy"]
    assert "was saved" not in browser.get(f"{PAGE}?saved=1").content.decode()
    assert settings.STRIPE_API_HOST not in browser.get("/billing/transactions")["Content-Security-Policy"]


def test_there_is_no_form_beyond_the_limit(browser_of, mia):
    CardFactory.create_batch(MAX_CARDS, user=mia)

    page = page_of(browser_of(mia))

    assert "You've saved 10 cards" in page
    assert "card-form" not in page


# --- Cards that expire ----------------------------------------------------------------------------


@pytest.fixture
def expiring(mia):
    """The card that Mia's subscription is charged to, on the last day of June."""
    return CardFactory(user=mia, is_default=True, exp_month=6, exp_year=2026)


def told(mia):
    return [note.params for note in mia.notifications.filter(kind="billing.card_expires")]


def test_an_expiring_card_of_a_subscription_is_told_once(mia, expiring):
    row = SubscriptionFactory(user=mia)

    for day in (datetime(2026, 5, 30, tzinfo=UTC), datetime(2026, 5, 31, 12, tzinfo=UTC), NOW):
        premium_care.tell_owner(row, now=day)
        expiring.refresh_from_db()
        assert (expiring.warned_at is None) == (day.day == 30)

    assert told(mia) == [{"brand": "Visa", "digits": "4242", "date": "30 June 2026"}]


@pytest.mark.parametrize("change", [{"cancels_at_period_end": True}, {"status": "ended"}, {"status": "incomplete"}])
def test_a_card_that_nothing_will_be_charged_to_is_not_told(mia, expiring, change):
    premium_care.tell_owner(SubscriptionFactory(user=mia, **change), now=NOW)

    assert told(mia) == []


def test_another_card_that_expires_is_not_told(mia, expiring):
    Card.objects.update(is_default=False)
    CardFactory(user=mia, is_default=True)

    premium_care.tell_owner(SubscriptionFactory(user=mia), now=NOW)

    assert told(mia) == []


def test_the_new_date_of_a_card_is_told_again(mia, expiring, monkeypatch):
    Customer.objects.create(user=mia, gateway_id="cus_mia")
    Card.objects.update(warned_at=NOW)
    state = gateway.CardState(expiring.gateway_id, "cus_mia", "visa", "4242", exp_month=6, exp_year=2026)
    monkeypatch.setattr(gateway, "get_card", lambda card: state)
    assert customers.sync_card(card=expiring.gateway_id, now=NOW).warned_at == NOW

    state = replace(state, exp_year=2029)

    assert customers.sync_card(card=expiring.gateway_id, now=NOW).warned_at is None


def test_cards_of_others_do_not_exist(browser_of, leo, mia, cards, calls):
    for action in ("default", "remove"):
        assert browser_of(leo).post(f"{PAGE}/{cards[1].uid}/{action}")["Location"] == "/"
    assert calls == []
    assert list(mia.cards.usable().filter(is_default=True)) == [cards[0]]
