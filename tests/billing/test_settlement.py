"""Amounts of an account that is settled in another currency than payments."""

from types import SimpleNamespace

import pytest

from apps.billing.gateway.settlement import fee_of, movements_of_dispute


def row(amount, *, fee=0, rate=None, currency="usd"):
    return SimpleNamespace(amount=amount, fee=fee, exchange_rate=rate, currency=currency)


@pytest.mark.parametrize(("currency", "rate"), [("eur", 0.9137), ("jpy", 1.5012), ("kwd", 3.07), ("eur", 0.0061)])
@pytest.mark.parametrize("amount", [500, 6400, 999_999])
def test_a_dispute_that_is_won_after_the_rate_changed_is_won_in_full(currency, rate, amount):
    later = rate * 0.93
    rows = [
        row(-round(amount * rate), fee=round(1500 * rate), rate=rate, currency=currency),
        row(round(amount * later), rate=later, currency=currency),
    ]
    moved, fees = movements_of_dispute(rows, amount=amount, currency="usd")
    assert moved == [-amount, amount]
    assert fees[0] == pytest.approx(1500, abs=1 / rate + 1500 / round(amount * rate) + 1)


def test_a_part_that_comes_back_stays_a_part():
    rows = [row(-9000, rate=0.9, currency="eur"), row(2400, rate=0.8, currency="eur")]
    assert movements_of_dispute(rows, amount=10_000, currency="usd")[0] == [-10_000, 3000]


def test_nothing_is_exchanged_in_the_same_currency():
    rows = [row(-10_000, fee=1500), row(4000, fee=-700)]
    assert movements_of_dispute(rows, amount=10_000, currency="usd") == ([-10_000, 4000], [1500, -700])
    assert fee_of(row(6400, fee=216), amount=6400, currency="usd") == 216
    assert fee_of(row(5760, fee=194, rate=0.9, currency="eur"), amount=6400, currency="usd") == 216
    assert fee_of(row(0, fee=0, rate=0.001, currency="eur"), amount=1, currency="usd") == 0


def test_what_the_provider_counts_in_hundredths_is_rounded_at_the_end():
    rows = [row(-3300, rate=0.0067, currency="eur")]
    assert movements_of_dispute(rows, amount=490_000, currency="isk")[0] == [-4900]
