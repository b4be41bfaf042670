"""Amounts of money as text, and lines of CSV files."""

import pytest

from studyplatform.kit.text.csv_lines import csv_line
from studyplatform.kit.text.money import minor_units, money, plain_amount


@pytest.mark.parametrize(
    ("amount", "currency", "expected", "plain"),
    [
        (4900, "usd", "$49", "49.00"),
        (1250, "EUR", "€12.50", "12.50"),
        (-1250, "usd", "−$12.50", "-12.50"),
        (-5, "usd", "−$0.05", "-0.05"),
        (1000, "jpy", "¥1,000", "1000"),
    ],
)
def test_amounts_are_written_with_their_sign(amount, currency, expected, plain):
    assert money(amount, currency) == expected
    assert plain_amount(amount, currency) == plain


def test_columns_of_amounts_have_cents():
    assert [money(amount, "usd", cents=True) for amount in (4900, -1250, 0)] == ["$49.00", "−$12.50", "$0.00"]
    assert money(1000, "jpy", cents=True) == "¥1,000"


def test_some_currencies_have_no_cents():
    assert (minor_units("usd"), minor_units("JPY")) == (100, 1)


def test_no_cell_is_a_formula():
    assert csv_line(["=1+1", "@x", "-12.50", "-x", 'a, "b"']) == '\'=1+1,\'@x,-12.50,\'-x,"a, ""b"""\r\n'
