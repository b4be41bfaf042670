"""The form that orders seats: what for, how many, how to pay, and who pays."""

from typing import Any
from uuid import uuid4

from django import forms
from django.utils.translation import gettext_lazy as _

from apps.billing.buyer_form import BuyerForm
from apps.billing.models import Order
from apps.billing.seat_prices import MAX_SEATS_OF_TEAM
from apps.billing.tax import needs_country

MAX_SEARCH_LENGTH = 100
PREMIUM, COURSE = "premium", "course"


class SeatOrderForm(BuyerForm):
    """A buyer who names a company buys for it; an invoice needs one. ``fixed``: what is bought can't be chosen."""

    what = forms.ChoiceField(choices=[(PREMIUM, _("Premium")), (COURSE, _("One course"))], required=False)
    course = forms.SlugField(max_length=80, required=False)
    q = forms.CharField(label=_("Search courses"), max_length=MAX_SEARCH_LENGTH, required=False)
    seats = forms.IntegerField(
        label=_("Seats"),
        min_value=1,
        max_value=MAX_SEATS_OF_TEAM,
        error_messages={
            "required": _("Enter how many seats you need."),
            "invalid": _("Enter how many seats you need."),
            "min_value": _("Order at least one seat."),
            "max_value": _("For more than %(limit_value)s seats, write to us."),
        },
    )
    method = forms.ChoiceField(choices=Order.Method.choices, error_messages={"required": _("Choose how to pay.")})
    email = forms.EmailField(
        label=_("Invoice goes to"), max_length=254, error_messages={"required": _("Enter an email address.")}
    )
    agrees = forms.BooleanField(error_messages={"required": _("Check this box to continue.")})
    total = forms.IntegerField(widget=forms.HiddenInput)
    currency = forms.CharField(max_length=3, widget=forms.HiddenInput)
    key = forms.UUIDField(widget=forms.HiddenInput)

    def __init__(self, *args: Any, is_fixed: bool = False, **options: Any) -> None:
        super().__init__(*args, **options)
        self.is_fixed = is_fixed
        self.fields["name"].label = _("Company")
        self.fields["reference"].label = _("Your order number")

    def clean(self) -> dict[str, Any]:
        given = self.cleaned_data
        is_invoice = given.get("method") == Order.Method.TRANSFER
        given["is_company"] = is_invoice or bool(given.get("name"))
        given = super().clean()
        if needs_country() and not given.get("country") and "country" not in self.errors:
            self.add_error("country", _("Choose a country."))
        if (
            not self.is_fixed
            and given.get("what") == COURSE
            and not given.get("course")
            and "course" not in self.errors
        ):
            self.add_error("q", _("Choose a course."))
        return given


def new_request_key() -> str:
    """Return the key of one order: the form that is sent twice has the same."""
    return str(uuid4())
