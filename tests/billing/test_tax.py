"""Which tax is in a price, and which VAT numbers pass."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest
import time_machine

from apps.billing.checks import seller_can_issue_invoices, tax_rates_are_decided
from apps.billing.countries import EU_VAT_AREA, country_codes
from apps.billing.eu_vat_rates import CHECKED_ON, are_rates_old
from apps.billing.tax import Seller, TaxTreatment, decide_tax, find_conflicts
from apps.billing.vat_ids import WrongVatId, check_vat_id
from studyplatform.settings import env

DAY = date(2026, 6, 1)
GERMAN, FRENCH = "DE136695976", "FR83404833048"
RATES = {"FI": 2550, "DE": 1900, "FR": 2000, "NO": 2500}
FINNISH = Seller(country="FI", exemption="", rates=RATES, rate_changes=[("DE", 2000, date(2027, 1, 1))])


@pytest.mark.parametrize(
    ("country", "vat_id", "on", "expected"),
    [
        ("FI", "", DAY, (2550, "standard")),
        ("FI", "FI12345671", DAY, (2550, "standard")),  # at home
        ("DE", "", DAY, (1900, "standard")),
        ("DE", "", date(2027, 1, 1), (2000, "standard")),
        ("DE", GERMAN, DAY, (0, "reverse_charge")),
        ("DE", "de 136 695-976", DAY, (0, "reverse_charge")),
        ("DE", "DE136695977", DAY, (1900, "standard")),  # the check digit is wrong
        ("DE", FRENCH, DAY, (1900, "standard")),  # of another country
        ("MC", FRENCH, DAY, (0, "reverse_charge")),
        ("MC", "", DAY, (2000, "standard")),
        ("GR", "EL094259216", DAY, (0, "reverse_charge")),
        ("GB", "XI980780684", DAY, (0, "outside_eu")),  # Northern Ireland is in the area for goods alone
        ("NO", "NO995525828MVA", DAY, (2500, "standard")),  # registered there
        ("US", "", DAY, (0, "outside_eu")),
        ("AX", "", DAY, (0, "outside_eu")),
        ("SE", "", DAY, (0, "standard")),  # without the Union's rates
        ("", "", DAY, (2550, "standard")),  # unknown: the seller's
        ("ZZ", "", DAY, (2550, "standard")),
        ("AA", GERMAN, DAY, (2550, "standard")),
        ("EL", "", DAY, (0, "standard")),
    ],
)
def test_one_function_decides_the_tax(country, vat_id, on, expected):
    found = decide_tax(country=country, vat_id=vat_id, on=on, seller=FINNISH)

    assert (found.rate, found.treatment) == expected


def test_an_unknown_buyer_is_in_the_country_of_the_seller_only_where_it_is_taxed():
    untaxed = Seller(country="FI", exemption="", rates={})

    assert decide_tax(country="", on=DAY, seller=FINNISH).country == "FI"
    assert decide_tax(country="", on=DAY, seller=untaxed).country == ""


def test_other_sellers_decide_otherwise(settings):
    exempt = Seller(country="DE", exemption="Kein Ausweis von Umsatzsteuer, § 19 UStG", rates=RATES)
    american = Seller(country="US", exemption="", rates=RATES)
    unknown = Seller(country="", exemption="", rates={})

    assert decide_tax(country="FR", vat_id=FRENCH, on=DAY, seller=exempt).treatment == TaxTreatment.EXEMPT
    assert decide_tax(country="DE", on=DAY, seller=american).rate == 1900
    assert decide_tax(country="DE", vat_id=GERMAN, on=DAY, seller=american).treatment == TaxTreatment.REVERSE_CHARGE
    assert decide_tax(country="US", on=DAY, seller=american).treatment == TaxTreatment.STANDARD
    assert decide_tax(country="US", on=DAY, seller=unknown).treatment == TaxTreatment.STANDARD
    settings.TAX_EXEMPTION = "§ 19 UStG"
    assert decide_tax(country="DE", on=DAY).wording == "§ 19 UStG"


@pytest.mark.parametrize(
    ("country", "postal_code", "expected"),
    [
        ("ES", "28001", (2100, "standard")),
        ("ES", "35001", (0, "outside_eu")),  # the Canary Islands
        ("ES", " E-38 400", (0, "outside_eu")),
        ("ES", "51001", (0, "outside_eu")),  # Ceuta
        ("ES", "52001", (650, "standard")),  # Melilla
        ("DE", "D-78266", (0, "outside_eu")),  # Büsingen
        ("DE", "27498", (0, "outside_eu")),
        ("DE", "78267", (1900, "standard")),
        ("IT", "23041", (0, "outside_eu")),
        ("GR", "63086", (0, "outside_eu")),
        ("FR", "97400", (850, "standard")),
        ("FR", "97200", (0, "outside_eu")),
        ("PT", "1000-001", (2300, "standard")),
        ("PT", "9000-082", (2200, "standard")),
        ("PT", "9500-100", (1600, "standard")),
        ("AT", "6691", (1900, "standard")),
    ],
)
def test_parts_of_countries_outside_the_vat_area_are_told_by_postal_code(country, postal_code, expected):
    rates = {"RE": 850, "EA": 650} if postal_code in {"97400", "52001"} else {}
    seller = Seller(country="DE", exemption="", rates=rates, has_eu_rates=True)
    spanish = "ESA13585625"

    found = decide_tax(country=country, postal_code=postal_code, on=DAY, seller=seller)

    assert (found.rate, found.treatment) == expected
    if expected[1] == "outside_eu":  # a number of the country doesn't bring it back
        assert decide_tax(country=country, vat_id=spanish, postal_code=postal_code, on=DAY, seller=seller) == found


def test_the_union_has_a_rate_for_each_country_on_each_day():
    german = Seller(country="DE", exemption="", rates={"FR": 850}, rate_changes=[("EE", 2600, DAY)], has_eu_rates=True)

    def rate(country, on=DAY, seller=german):
        return decide_tax(country=country, on=on, seller=seller).rate

    assert all(1500 <= rate(country) <= 2700 for country in EU_VAT_AREA - {"FR"})
    assert (rate("FR"), rate("MC"), rate("US"), rate("")) == (850, 850, 0, 1900)  # own rates come first
    assert (rate("EE", date(2025, 6, 30)), rate("EE", date(2025, 7, 1)), rate("EE")) == (2200, 2400, 2600)
    assert (rate("RO", date(2025, 7, 31)), rate("RO", date(2025, 8, 1))) == (1900, 2100)
    abroad = replace(german, country="US", rates={}, rate_changes=[])
    assert rate("FR", seller=abroad) == 0  # perhaps not registered there
    assert rate("EE", seller=replace(abroad, rates={"DE": 1900})) == 2400
    assert rate("FR", seller=replace(german, exemption="§ 19 UStG")) == 0
    assert are_rates_old(CHECKED_ON + timedelta(days=400))
    assert not are_rates_old(CHECKED_ON)


@pytest.mark.parametrize(
    ("facts", "found"),
    [
        ({"SELLER_COUNTRY": "FI"}, []),
        ({}, []),  # nothing is decided yet
        ({"SELLER_COUNTRY": "FI", "EU_TAX_RATES": False}, ["billing.W006"]),
        ({"SELLER_COUNTRY": "US"}, ["billing.W006"]),
        ({"SELLER_COUNTRY": "US", "TAX_EXEMPTION": "No tax"}, []),
        ({"SELLER_COUNTRY": "FI", "TAX_RATES": {"RO": 1900}}, ["billing.W007"]),
        ({"SELLER_COUNTRY": "FI", "TAX_RATES": {"XX": 1900}}, ["billing.E004"]),
        ({"SELLER_COUNTRY": "FI", "TAX_RATES": {"IC": 700}}, []),
    ],
)
def test_countries_without_a_rate_and_other_rates_are_reported(settings, facts, found):
    for name, value in facts.items():
        setattr(settings, name, value)

    with time_machine.travel(datetime(2026, 11, 28, tzinfo=UTC), tick=False):
        assert [each.id for each in tax_rates_are_decided(None)] == found
    with time_machine.travel(datetime(2028, 1, 1, tzinfo=UTC), tick=False):
        is_charged = facts == {"SELLER_COUNTRY": "FI"}
        assert ("billing.W008" in [each.id for each in tax_rates_are_decided(None)]) >= is_charged


NUMBERS = """
AT ATU13585627|BE BE 0428.759.497|BG BG 175 074 752|CY CY-10259033P|CZ CZ 25123891|DE DE 136,695 976|DK DK 13585628
EE EE 100 931 558|ES ES B58378431|FI FI 20774740|FR Fr 40 303 265 045|GB GB 980 7806 84|GR EL 094259216|HR HR33392005961
HU HU-12892312|IE IE 6433435F|IT IT 00743110157|LT LT 119511515|LU LU 150 274 42|LV LV 4000 3521 600|MT MT 1167-9112
NL NL4495445B01|PL PL 8567346215|PT PT 501 964 843|RO RO 185 472 90|SE SE 123456789701|SI SI 5022 3054
SK SK 202 274 96 19
NO NO 995 525 828 MVA|CH CHE-107.787.577 IVA|IM GB 980780684|GB XI980780684|ES X2482300W|DE 136695976|GR GR094259216
FR 83404833048|DE ＤＥ１３６６９５９７６
"""


def test_numbers_of_all_countries_pass_their_check():
    pairs = [pair.split(" ", 1) for line in NUMBERS.split("\n") for pair in line.split("|") if pair]
    checked = {country: check_vat_id(text, country) for country, text in pairs}

    assert len(checked) == 31
    assert {text for text in checked.values() if not text.isalnum()} == set()
    assert (checked["GR"], checked["NO"], checked["DE"]) == ("EL094259216", "NO995525828MVA", GERMAN)
    assert all(check_vat_id(text, country) == text for country, text in checked.items())


@pytest.mark.parametrize(
    ("text", "country"),
    [("DE136695977", "DE"), ("", "DE"), ("DE", "DE"), ("EU372000063", "DE"), ("GB980780685", "GB"), ("x" * 40, "US"),
     ("NO995525829MVA", "NO"), ("CHE107787578MWST", "CH"), ("ДЕ136695976", "DE"), ("", "US"), ("a\x00b", "US")],
)  # fmt: skip
def test_wrong_numbers_are_refused(text, country):
    with pytest.raises(WrongVatId):
        check_vat_id(text, country)


def test_other_numbers_are_kept_as_they_are_written():
    assert check_vat_id(" 51 824  753 556 ", "AU") == "51 824 753 556"


def test_sources_that_name_another_country_are_conflicts():
    seen = {"declared": "FR", "card": "MC", "browser": "DE", "network": ""}

    assert find_conflicts(seen) == ["browser"]
    assert find_conflicts({**seen, "declared": ""}) == []
    assert find_conflicts({**seen, "declared": "", "taxed": "DE"}) == ["card"]
    assert find_conflicts({**seen, "address": "IT"}) == ["address", "browser"]


@pytest.mark.parametrize("text", ["EL=24", "UK=20", "de=19", "DE", "DE=19,FR"])
def test_rates_are_of_iso_codes(monkeypatch, text):
    monkeypatch.setenv("TAX_RATES", text)
    with pytest.raises(env.ImproperlyConfigured):
        env.rates("TAX_RATES")


@pytest.mark.parametrize("text", ["EE=24", "EE=24@2025", "24@2025-07-01", "EE=24@x"])
def test_changed_rates_need_a_date(monkeypatch, text):
    monkeypatch.setenv("TAX_RATE_CHANGES", "EE=24@2025-07-01,SK=23@2025-01-01")
    assert env.rate_changes("TAX_RATE_CHANGES")[0] == ("EE", 2400, date(2025, 7, 1))

    monkeypatch.setenv("TAX_RATE_CHANGES", text)
    with pytest.raises(env.ImproperlyConfigured):
        env.rate_changes("TAX_RATE_CHANGES")


def test_the_country_of_the_seller_is_an_iso_code(monkeypatch):
    for text in ("EL", "UK", "Germany", "1"):
        monkeypatch.setenv("SELLER_COUNTRY", text)
        with pytest.raises(env.ImproperlyConfigured):
            env.country("SELLER_COUNTRY")


def test_the_checkout_offers_all_countries():
    assert len(country_codes()) == 250
    assert {"DE", "XK", "MC", "GB"} <= country_codes()


@pytest.mark.parametrize(
    ("country", "vat_id", "found"),
    [("", "", []), ("US", "", []), ("FI", "FI12345671", []), ("QQ", "", ["billing.E002"]),
     ("FI", "", ["billing.W003"]), ("FI", "FI12345678", ["billing.W004"])],
)  # fmt: skip
def test_a_seller_is_warned_of_what_invoices_lack(settings, country, vat_id, found):
    settings.SELLER_COUNTRY, settings.SELLER_VAT_ID = country, vat_id

    assert [each.id for each in seller_can_issue_invoices(None)] == found
    settings.TAX_RATES = {"FI": 2550}
    assert [each.id for each in seller_can_issue_invoices(None)] == (found if country else ["billing.W005"])
