"""The password rules of the specification, as validators of Django, and how passwords are hashed."""

from django.contrib.auth.hashers import Argon2PasswordHasher
from django.contrib.auth.password_validation import MinimumLengthValidator
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from studyplatform.kit.concurrency import ConcurrencyLimit

_hashing = ConcurrencyLimit(2)  # each takes 100 MB while it lasts, a fraction of a second


class Length(MinimumLengthValidator):
    """Django's rule, worded like the others."""

    def get_error_message(self) -> str:
        return _("Use at least %(count)s characters.") % {"count": self.min_length}


class CharacterRules:
    """At least one uppercase letter, one lowercase letter and one number."""

    def validate(self, password: str, user: object = None) -> None:
        """:raises ValidationError: a kind of character is missing."""
        missing = []
        if not any(c.isupper() for c in password):
            missing.append(ValidationError(_("Use at least one uppercase letter."), code="password_no_upper"))
        if not any(c.islower() for c in password):
            missing.append(ValidationError(_("Use at least one lowercase letter."), code="password_no_lower"))
        if not any(c.isdigit() for c in password):
            missing.append(ValidationError(_("Use at least one number."), code="password_no_number"))
        if missing:
            raise ValidationError(missing)

    def get_help_text(self) -> str:
        return _("Use uppercase and lowercase letters and at least one number.")


class QueuedArgon2(Argon2PasswordHasher):
    """Django's hasher, two at a time: when many sign in at once they wait a moment, and memory stays bounded."""

    def encode(self, password: str, salt: str) -> str:
        with _hashing.slot():
            return super().encode(password, salt)

    def verify(self, password: str, encoded: str) -> bool:
        with _hashing.slot():
            return super().verify(password, encoded)
