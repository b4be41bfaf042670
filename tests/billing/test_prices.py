"""What something costs: discount and tax."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.billing.prices import quote, tax_in
from apps.billing.tax import Tax, TaxTreatment
from studyplatform.settings import env


@pytest.mark.parametrize(
    ("total", "rate", "tax"),
    [(5760, 2550, 1170), (0, 2550, 0), (100, 0, 0), (119, 1900, 19), (1, 2550, 0), (10_000_000, 10_000, 5_000_000)],
)
def test_a_price_contains_the_tax_of_the_country(total, rate, tax):
    assert tax_in(total, rate) == tax


@settings(deadline=None)
@given(st.integers(0, 10_000_000), st.integers(0, 9_999))
def test_the_tax_is_the_rate_of_the_rest_to_the_nearest_cent(total, rate):
    tax = tax_in(total, rate)

    assert 0 <= tax <= total
    assert abs(tax - (total - tax) * rate / 10_000) <= 0.5 * (1 + rate / 10_000) + 1e-6


def test_a_discount_takes_off_at_most_the_price():
    price = quote(list_price=900, discount=1_000, currency="usd", tax=Tax(2550, TaxTreatment.STANDARD, "FI"))

    assert (price.discount, price.total, price.tax, price.tax_rate) == (900, 0, 0, 2550)


def test_rates_are_read_from_the_environment(monkeypatch):
    monkeypatch.setenv("TAX_RATES", "FI=25.5,DE=19")

    assert env.rates("TAX_RATES") == {"FI": 2550, "DE": 1900}


@pytest.mark.parametrize("text", ["FI", "FI=-1", "FI=200", "fi=3", "FI=1.234", "FI=x"])
def test_wrong_rates_are_refused(monkeypatch, text):
    monkeypatch.setenv("TAX_RATES", text)

    with pytest.raises(env.ImproperlyConfigured):
        env.rates("TAX_RATES")
