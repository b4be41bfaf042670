"""Forms and calls say in the words of the product what is too large, too long or too precise."""

from decimal import Decimal

import pytest
from django import forms
from django.core.exceptions import ValidationError
from rest_framework import serializers

PRICE = {"max_digits": 5, "decimal_places": 2}


@pytest.mark.parametrize(
    ("field", "value", "text"),
    [
        (forms.IntegerField(max_value=100), 101, "Enter 100 or less."),
        (forms.FloatField(min_value=0.5), 0.1, "Enter 0.5 or more."),
        (forms.CharField(max_length=1), "abc", "Use at most 1 character (it has 3)."),
        (forms.CharField(min_length=3), "a", "Use at least 3 characters (it has 1)."),
        (forms.DecimalField(**PRICE), Decimal("1.234"), "Use at most 2 decimal places."),
        (forms.DecimalField(**PRICE), Decimal(123456), "Use at most 5 digits."),
        (forms.DecimalField(**PRICE), Decimal(1234), "Use at most 3 digits before the decimal point."),
        (serializers.IntegerField(max_value=100), 101, "Enter 100 or less."),
        (serializers.IntegerField(), "1.5", "Enter a whole number."),
        (serializers.FloatField(min_value=1), 0, "Enter 1 or more."),
        (serializers.DecimalField(**PRICE, max_value=9), 10, "Enter 9 or less."),
        (serializers.DecimalField(**PRICE), "1.234", "Use at most 2 decimal places."),
        (serializers.CharField(max_length=3), "abcd", "Use at most 3 characters."),
        (serializers.CharField(min_length=3), "a", "Use at least 3 characters."),
        (serializers.ListField(max_length=1), [1, 2], "Send at most 1."),
    ],
)
def test_a_value_out_of_bounds_is_explained(field, value, text):
    with pytest.raises((ValidationError, serializers.ValidationError)) as caught:
        field.run_validation(value) if isinstance(field, serializers.Field) else field.clean(value)
    error = caught.value
    texts = error.messages if isinstance(error, ValidationError) else error.detail
    assert [str(one) for one in texts] == [text]
