"""The page of saved cards."""

from datetime import UTC, datetime

import pytest
import time_machine

from apps.billing import gateway
from apps.billing.errors import CardInUse
from apps.billing.models import Customer
from tests.factories.selling import CardFactory, SubscriptionFactory

pytestmark = pytest.mark.django_db
PAGE = "/billing/methods"


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
    assert "9999" not in page
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
    assert "0082" not in page_of(browser_of(mia))


def test_the_card_that_premium_is_charged_to_stays(browser_of, mia, cards, calls):
    SubscriptionFactory(user=mia)

    answer = browser_of(mia).post(f"{PAGE}/{cards[0].uid}/remove", follow=True)

    assert calls == []
    assert str(CardInUse.message) in answer.content.decode()
    assert mia.cards.usable().count() == 2


def test_cards_of_others_do_not_exist(browser_of, leo, mia, cards, calls):
    for action in ("default", "remove"):
        assert browser_of(leo).post(f"{PAGE}/{cards[1].uid}/{action}")["Location"] == "/"
    assert calls == []
    assert list(mia.cards.usable().filter(is_default=True)) == [cards[0]]
