"""One currency of the site: new prices are in it, and prices in another one are not for sale."""

import pytest
from django.core.checks import run_checks
from django.core.exceptions import ValidationError

from apps.billing import policies
from apps.billing.errors import NotForSale
from apps.courses.forms import CourseForm
from apps.courses.models import Course
from studyplatform.site.public.course import structured_data
from tests.factories.courses import CourseFactory

FORMS = {
    "usd": (["12.5", "1"], ["12.345", "0.5"]),
    "jpy": (["4900", "50"], ["49.5", "49"]),
    "kwd": (["12.25"], ["12.255"]),
    "huf": (["175"], ["100"]),
}


@pytest.fixture
def priced(db):
    return CourseFactory(pricing=Course.Pricing.ONE_TIME, price=4900, currency="usd", status=Course.Status.PUBLISHED)


def test_a_course_in_another_currency_is_named_and_not_for_sale(priced, leo, settings):
    assert policies.buy(leo, priced) is None
    settings.CURRENCY = "isk"

    assert isinstance(policies.buy(leo, priced), NotForSale)
    [warning] = [one for one in run_checks(databases=["default"]) if one.id == "billing.W002"]
    assert f"{priced.slug} (USD)" in warning.msg
    assert CourseForm.initial_of(priced)["price"] is None
    assert Course().currency == "isk"


def test_prices_are_entered_and_published_in_the_decimals_of_the_currency(priced, settings):
    for currency, (accepted, refused) in FORMS.items():
        settings.CURRENCY = currency
        field = CourseForm().fields["price"]
        assert [str(field.clean(text)) for text in accepted] == accepted
        for text in refused:
            with pytest.raises(ValidationError):
                field.clean(text)
    priced.currency = "jpy"
    assert structured_data(priced, "/")["offers"][0]["price"] == "4900"
    assert CourseForm.initial_of(priced)["price"] is None


def test_a_wrong_currency_is_an_error_at_start(settings):
    settings.CURRENCY = "xxx"

    assert "billing.E001" in [one.id for one in run_checks()]
