"""Forms about bank transfers: what arrived, what goes back, and why an order is given up."""

import uuid
from decimal import Decimal
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from apps.billing.books_forms import MAX_DIGITS
from studyplatform.kit.names import VisibleTextField
from studyplatform.kit.text.money import minor_units

MAX_REASON_LENGTH = 200
_ONE_LINE = RegexValidator(r"\A[^\x00-\x1f]*\Z", _("Enter it on one line."))
_DAY_ERRORS = {"required": _("Enter the date."), "invalid": _("Enter a date such as 2026-11-30.")}


def _refuse_future(day: Any) -> Any:
    if day > timezone.localdate():
        raise ValidationError(_("The date is in the future."))
    return day


class RecordTransfer(forms.Form):
    """What the bank statement says. ``uid``: of what is recorded, so that a form sent twice records once.

    ``keeps``: the admin has read that the amount differs. ``bears``: banks kept what is missing, and the platform
    bears it.
    """

    uid = forms.UUIDField(widget=forms.HiddenInput, initial=uuid.uuid4)
    keeps = forms.BooleanField(required=False, widget=forms.HiddenInput)
    bears = forms.BooleanField(required=False, widget=forms.HiddenInput)
    amount = forms.DecimalField(
        label=_("Amount received"),
        min_value=Decimal("0.001"),
        max_digits=MAX_DIGITS,
        decimal_places=3,
        error_messages={"required": _("Enter an amount."), "min_value": _("Enter an amount above zero.")},
    )
    day = forms.DateField(
        label=_("Received on"), help_text=_("The day on your bank statement."), error_messages=_DAY_ERRORS
    )

    def __init__(self, *args: Any, currency: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._currency = currency

    def clean_day(self) -> Any:
        return _refuse_future(self.cleaned_data["day"])

    def clean(self) -> dict[str, Any]:
        """The amount in minor units, as ``minor_amount``."""
        values = super().clean() or {}
        if "amount" in values:
            amount = values["amount"] * minor_units(self._currency)
            if amount % 1:
                self.add_error("amount", _("This currency has fewer decimals."))
            elif amount >= 2**31:
                self.add_error("amount", _("The amount is too large."))
            values["minor_amount"] = int(amount)
        return values


class BearCharges(forms.Form):
    """What is missing of an order, in minor units, as the admin saw it."""

    missing = forms.IntegerField(min_value=1, max_value=2**31 - 1, widget=forms.HiddenInput)


class ConfirmReturn(forms.Form):
    """The day on which an amount was transferred back."""

    day = forms.DateField(label=_("Transferred on"), error_messages=_DAY_ERRORS)

    def clean_day(self) -> Any:
        return _refuse_future(self.cleaned_data["day"])


class RejectDeposit(forms.Form):
    """The day on which the bank sent a returned amount back."""

    day = forms.DateField(label=_("Came back on"), error_messages=_DAY_ERRORS)

    def clean_day(self) -> Any:
        return _refuse_future(self.cleaned_data["day"])


class TransferReason(forms.Form):
    """Why an order or a refund is given up, or what the bank said."""

    reason = VisibleTextField(
        label=_("Reason"),
        max_length=MAX_REASON_LENGTH,
        validators=[_ONE_LINE],
        error_messages={"required": _("Enter a reason.")},
    )


class RejectReturn(TransferReason, RejectDeposit):
    """What the bank said when it sent a refund back, and on which day."""
