"""Numbers as people write them, read by the server; assets/shared/questions/numbers.test.ts checks the same table."""

import json
from fractions import Fraction

import pytest

from studyplatform.kit.text.numbers import NotANumber, NumberFormat, format_of_languages, number_format, read_number
from tests.suite import ROOT

TABLE = json.loads((ROOT / "tests/data/numbers.json").read_text(encoding="utf-8"))
FORMATS = {name: NumberFormat(**row) for name, row in TABLE["formats"].items()}


def test_every_notation_of_the_table_is_read():
    for case in TABLE["cases"]:
        writing, unit = FORMATS[case["format"]], case.get("unit", "")
        if case["value"] is None:
            with pytest.raises(NotANumber):
                read_number(case["text"], writing, unit=unit)
            continue
        read = read_number(case["text"], writing, unit=unit)
        assert (read.value, read.shown, read.other) == (
            Fraction(case["value"]),
            case["shown"],
            case.get("other", ""),
        ), case


@pytest.mark.parametrize(
    ("accepted", "name"),
    [
        ("", "en"),
        ("de-DE,de;q=0.9,en;q=0.8", "de"),
        ("en;q=0.4, fr-FR;q=0.9", "fr"),
        ("hi", "hi"),
        ("de-CH", "de-CH"),
        ("tlh, de;q=0.5", "de"),
        ("*, x;q=much", "en"),
        (",;,=" * 200, "en"),
    ],
)
def test_the_number_format_is_that_of_the_learners_language(accepted, name):
    with format_of_languages(accepted):
        assert number_format() == FORMATS[name]
