"""What forms and calls say about values that are too large, too long or too precise, in the words of the product.

Django and REST framework say "Ensure this value is less than or equal to 100." Fields with a text of their own, such as
"Enter a whole number from 1 to 100.", keep it.
"""

from typing import Any

from django.core import validators
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy
from rest_framework import serializers

_BOUNDS = {
    "max_value": _("Enter {max_value} or less."),
    "min_value": _("Enter {min_value} or more."),
}


def replace_validation_texts() -> None:
    """Replace the default texts of Django's validators and of REST framework's fields."""
    validators.MaxValueValidator.message = _("Enter %(limit_value)s or less.")
    validators.MinValueValidator.message = _("Enter %(limit_value)s or more.")
    validators.MaxLengthValidator.message = ngettext_lazy(
        "Use at most %(limit_value)d character (it has %(show_value)d).",
        "Use at most %(limit_value)d characters (it has %(show_value)d).",
        "limit_value",
    )
    validators.MinLengthValidator.message = ngettext_lazy(
        "Use at least %(limit_value)d character (it has %(show_value)d).",
        "Use at least %(limit_value)d characters (it has %(show_value)d).",
        "limit_value",
    )
    digits: dict[str, Any] = validators.DecimalValidator.messages  # lazy texts, whatever their stubs say
    digits.update(
        max_digits=ngettext_lazy("Use at most %(max)s digit.", "Use at most %(max)s digits.", "max"),
        max_decimal_places=ngettext_lazy(
            "Use at most %(max)s decimal place.", "Use at most %(max)s decimal places.", "max"
        ),
        max_whole_digits=ngettext_lazy(
            "Use at most %(max)s digit before the decimal point.",
            "Use at most %(max)s digits before the decimal point.",
            "max",
        ),
    )
    serializers.IntegerField.default_error_messages.update(_BOUNDS, invalid=_("Enter a whole number."))
    serializers.FloatField.default_error_messages.update(_BOUNDS, invalid=_("Enter a number."))
    serializers.DecimalField.default_error_messages.update(
        _BOUNDS,
        invalid=_("Enter a number."),
        max_digits=_("Use at most {max_digits} digits."),
        max_decimal_places=_("Use at most {max_decimal_places} decimal places."),
        max_whole_digits=_("Use at most {max_whole_digits} digits before the decimal point."),
    )
    serializers.CharField.default_error_messages.update(
        max_length=_("Use at most {max_length} characters."), min_length=_("Use at least {min_length} characters.")
    )
    serializers.ListField.default_error_messages.update(
        max_length=_("Send at most {max_length}."), min_length=_("Send at least {min_length}.")
    )
