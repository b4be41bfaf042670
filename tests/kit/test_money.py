"""Amounts of money as text, and lines of CSV files."""

import re

import pytest
from django.utils.translation import override

from apps.billing.prices import quote
from apps.billing.provider_amounts import from_provider, to_provider
from apps.billing.tax import Tax, TaxTreatment
from studyplatform.kit.text.csv_lines import csv_line
from studyplatform.kit.text.money import (
    minor_units,
    money,
    plain_amount,
    read_currency,
    scaled_price,
    short_amount,
    smallest_charge,
    units_of_a_dollar,
)


@pytest.mark.parametrize(
    ("amount", "currency", "expected", "plain"),
    [
        (4900, "usd", "$49", "49.00"),
        (1250, "EUR", "€12.50", "12.50"),
        (-1250, "usd", "−$12.50", "-12.50"),
        (-5, "usd", "−$0.05", "-0.05"),
        (1000, "jpy", "¥1,000", "1000"),
        (4900, "isk", "ISK\u00a04,900", "4900"),
        (900, "xof", "F\u202fCFA\u00a0900", "900"),
        (12500, "kwd", "KWD\u00a012.500", "12.500"),
        (49000, "kwd", "KWD\u00a049", "49.000"),
        (123456700, "huf", "HUF\u00a01,234,567", "1234567.00"),
    ],
)
def test_amounts_are_written_with_their_sign(amount, currency, expected, plain):
    assert money(amount, currency) == expected
    assert plain_amount(amount, currency) == plain


def test_columns_of_amounts_have_cents():
    assert [money(amount, "usd", cents=True) for amount in (4900, -1250, 0)] == ["$49.00", "−$12.50", "$0.00"]
    assert money(1000, "jpy", cents=True) == "¥1,000"


def test_some_currencies_have_no_cents():
    assert (minor_units("usd"), minor_units("JPY"), minor_units("kwd"), minor_units("isk")) == (100, 1, 1000, 1)


def test_amounts_follow_the_language_of_the_page():
    with override("de"):
        assert money(123450, "eur") == "1.234,50\u00a0€"
    with override("hi"):
        assert money(12345600, "inr") == "₹1,23,456"


def test_only_currencies_in_use_can_be_set():
    assert [read_currency(text) for text in ("USD", " jpy ", "kwd")] == ["usd", "jpy", "kwd"]
    for text in ("", "dem", "xau", "xxx", "btc", "dollar", "mga"):
        with pytest.raises(ValueError, match="is not the code of a currency"):
            read_currency(text)


def test_the_provider_counts_some_currencies_in_its_own_way():
    assert [to_provider(4900, code) for code in ("usd", "jpy", "isk", "ugx", "kwd")] == [
        4900,
        4900,
        490000,
        490000,
        4900,
    ]
    assert [from_provider(490000, code) for code in ("usd", "isk")] == [490000, 4900]


def test_prices_stay_in_steps_and_above_the_least_that_can_be_charged():
    assert (smallest_charge("usd"), smallest_charge("jpy"), smallest_charge("huf")) == (50, 50, 17500)
    assert [scaled_price(4900, code) for code in ("usd", "jpy", "kwd", "huf")] == [4900, 4900, 49000, 1715000]
    price = quote(list_price=9990, discount=3333, currency="kwd", tax=Tax(0, TaxTreatment.STANDARD))
    assert (price.total, price.total + price.discount) == (6650, 9990)


def test_round_sums_fit_the_currency():
    codes = ("usd", "eur", "kwd", "sek", "inr", "jpy", "isk", "huf", "krw", "vnd")
    assert [units_of_a_dollar(code) for code in codes] == [1, 1, 1, 10, 100, 100, 100, 1000, 1000, 10_000]
    amounts = [(99_900, "usd"), (123_450, "usd"), (4_900, "jpy"), (15_000_000, "idr"), (12_345, "kwd")]
    assert [short_amount(*each) for each in amounts] == ["999", "1.2K", "4.9K", "150K", "12"]


def test_no_cell_is_a_formula():
    formulas = (
        "\n=1", "\r\n@x", " =1", "\u00a0+1", "\ufeff=1", "\u200b-x", "\x00=1", "\uff1d1", "\uff0b1", "\uff0d1",
        "\uff20x", "\ufe631", "\t1", "-\u0661",
    )  # fmt: skip
    assert [text for text in formulas if not csv_line([text]).lstrip('"').startswith("'")] == []
    texts = ("a=1", "1-2", "", " ", "x@y", "2026-11-26", "-5", "\u22125")
    assert [text for text in texts if "'" in csv_line([text])] == []
    assert csv_line(["=1+1", "@x", "-12.50", "-x", 'a, "b"']) == '\'=1+1,\'@x,-12.50,\'-x,"a, ""b"""\r\n'


def test_what_follows_a_separator_is_no_formula_either():
    """Excel separates cells by semicolons in most of Europe, and LibreOffice by what it finds (OWASP)."""
    dangerous = ["d;=1+1", "d; @x", 'd;"=1', "d;'\u200b＝1", "d\t+1", "d\n-1", "=1;=2", "a;b;\r\n=1"]
    for text in dangerous:
        for cell in re.split(r"[;\t\r\n]", csv_line([text])):
            assert cell.strip(" \"'\u200b") == "" or cell.strip(' "\u200b')[0] not in "=+-@＝", text
    assert [text for text in ("a; b", "it's '-5'", "1;2", 'say "=";') if "''" in csv_line([text])] == []
    assert csv_line(["it's -5; b = c"]) == "it's -5; b = c\r\n"
