"""Bank details are checked before anything is sent to them."""

import pytest

from apps.billing.forms import PayoutDetails
from tests.cases import all_cases


def errors(**values):
    form = PayoutDetails({"holder": "Ada Byron", "number": "DE89 3704 0044 0532 0130 00", "bank_code": "", **values})
    return {name: found[0] for name, found in form.errors.items()} or form.cleaned_data


@pytest.mark.parametrize(
    ("number", "bank_code", "stored"),
    [
        ("de89 3704 0044 0532 0130 00", "", ("DE89370400440532013000", "")),
        ("GB29 NWBK 6016 1331 9268 19", "nwbkgb2l", ("GB29NWBK60161331926819", "NWBKGB2L")),
        ("000123456789", "021000021", ("000123456789", "021000021")),
        ("1234-5678", "20-00-00", ("12345678", "200000")),
    ],
)
def test_numbers_are_accepted_as_people_write_them(number, bank_code, stored):
    found = errors(number=number, bank_code=bank_code)

    assert (found["number"], found["bank_code"]) == stored


@all_cases(
    "values, field",
    [
        ({"number": "DE89 3704 0044 0532 0130 01"}, "number"),
        ({"number": "DE89 3704"}, "number"),
        ({"number": "XX12345678901234"}, "number"),
        ({"number": "12a4"}, "number"),
        ({"number": ""}, "number"),
        ({"number": "12345678"}, "bank_code"),
        ({"number": "12345678", "bank_code": "021000022"}, "bank_code"),
        ({"bank_code": "NOT-A-BIC"}, "bank_code"),
        ({"holder": ""}, "holder"),
        ({"holder": "\u3164"}, "holder"),
    ],
)
def test_mistyped_numbers_are_refused(values, field):
    assert set(errors(**values)) == {field}
