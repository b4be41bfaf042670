"""What pages show of an instructor's connected account."""

from collections.abc import Iterable

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

# What the provider needs, by the beginnings of its names; the first that fits.
# https://docs.stripe.com/api/accounts/object#account_object-requirements-currently_due
_NEEDS: tuple[tuple[tuple[str, ...], Promise], ...] = (
    (("external_account",), _("a bank account for your payouts")),
    (("tos_acceptance",), _("your agreement to the provider's terms")),
    (("individual.verification", "company.verification", "person_"), _("proof of your identity")),
    (("individual.first_name", "individual.last_name", "company.name"), _("your name")),
    (("individual.dob",), _("your date of birth")),
    (("individual.address", "company.address"), _("your address")),
    (("individual.id_number", "individual.ssn_last_4", "company.tax_id"), _("your tax number")),
    (("individual.email", "individual.phone", "company.phone"), _("your contact details")),
    (("business_profile", "business_type"), _("what you teach")),
)
_OTHER = _("more details")


def missing(due: Iterable[str]) -> list[str]:
    """What the provider still needs, in words and each once; what has no words here is "more details"."""
    found = {_words(name) for name in due}
    order = [str(words) for _names, words in _NEEDS] + [str(_OTHER)]
    return [words for words in order if words in found]


def _words(name: str) -> str:
    return str(next((words for starts, words in _NEEDS if name.startswith(starts)), _OTHER))
