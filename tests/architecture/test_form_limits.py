"""Every form limits what it reads: each text has a maximum, each list of choices a bound."""

from collections.abc import Iterator

import pytest
from django import forms
from django.conf import settings
from django.core.validators import MaxLengthValidator
from django.urls import get_resolver

from apps.forum import text
from apps.forum.forms import SourceField
from apps.forum.message_forms import MAX_UIDS, Uids
from tests.architecture.test_form_messages import project_forms

MAX_VALUES = 1000  # of all fields together; Django refuses a form with more before any of them is read
LIMITED_BY_TYPE = (
    forms.BooleanField,
    forms.IntegerField,  # and its subclasses for floats and decimals: Python refuses numbers of thousands of digits
    forms.DateField,
    forms.DateTimeField,
    forms.ModelChoiceField,  # also of several: one query for at most `MAX_VALUES` keys
    forms.ChoiceField,  # also of several: at most `MAX_VALUES` of its choices
    forms.UUIDField,
    forms.FileField,  # a part of the body, which has a limit
    Uids,  # at most `MAX_UIDS`
)


def unlimited(form: type[forms.BaseForm]) -> Iterator[str]:
    """The fields of the form that accept values of any length."""
    for name, field in form.base_fields.items():  # type: ignore[attr-defined]
        if isinstance(field, LIMITED_BY_TYPE):
            continue
        limits = [one for one in field.validators if isinstance(one, MaxLengthValidator)]
        if not limits:
            yield f"{form.__module__}.{form.__name__}.{name}: {type(field).__name__} without a maximum"


def test_every_field_of_a_form_has_a_maximum():
    assert get_resolver().url_patterns  # imports the pages, and those the forms
    found = set(project_forms())

    assert len(found) > 60
    assert [fault for form in found for fault in unlimited(form)] == []


def test_a_form_has_at_most_so_many_values():
    assert settings.DATA_UPLOAD_MAX_NUMBER_FIELDS <= MAX_VALUES
    with pytest.raises(forms.ValidationError, match="fewer"):
        Uids().clean(["5b1ef1cc-9f0c-4b0a-8b5e-000000000000"] * (MAX_UIDS + 1))


def test_texts_that_are_counted_in_another_way_have_a_limit_on_what_is_counted():
    assert SourceField().clean("a" * text.MOST)
    with pytest.raises(forms.ValidationError, match="too long"):
        SourceField().clean("a" * (text.MOST + 1))
    with pytest.raises(forms.ValidationError, match="at most"):
        SourceField().clean("a" * 1_000_000)


@pytest.mark.parametrize(
    ("field", "is_limited"),
    [
        (forms.CharField(), False),
        (forms.CharField(widget=forms.Textarea), False),
        (forms.CharField(max_length=5), True),
        (forms.CharField(validators=[MaxLengthValidator(5)]), True),
        (forms.JSONField(), False),
        (forms.Field(), False),
        (forms.IntegerField(), True),
    ],
)
def test_the_rule_itself(field, is_limited):
    form = type("Form", (forms.Form,), {"field": field, "__module__": "tests"})

    assert (list(unlimited(form)) == []) is is_limited
