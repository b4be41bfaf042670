"""The price of a course as it is typed."""

import pytest
from django.core.exceptions import ValidationError

from apps.courses.price_field import price_field


@pytest.mark.parametrize(
    ("currency", "typed", "text"),
    [
        ("usd", "0.4", "Enter a price from $1 to $999,999."),
        ("usd", "1000000", "Enter a price from $1 to $999,999."),
        ("usd", "free", "Enter a price from $1 to $999,999."),
        ("usd", "9.995", "Use at most 2 decimal places."),
        ("jpy", "0", "Enter a price from ¥50 to ¥99,999,999."),
        ("jpy", "900.5", "Enter a price without decimals."),
    ],
)
def test_a_wrong_price_says_what_can_be_entered(currency: str, typed: str, text: str) -> None:
    with pytest.raises(ValidationError) as caught:
        price_field(currency).clean(typed)
    assert caught.value.messages == [text]
