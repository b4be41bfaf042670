"""Passwords as they are hashed: in one Unicode normalization, whatever keyboard typed them.

macOS types decomposed letters where Windows types composed ones. NIST SP 800-63B, section 3.1.1.2, asks for NFKC or
NFKD.
"""

import unicodedata
from typing import Any

from django import forms
from django.contrib.auth.hashers import check_password, make_password


def normalize_password(password: str) -> str:
    """Return the password in the form that is hashed, and whose code points its length counts."""
    return unicodedata.normalize("NFKC", password)


def hash_password(password: str) -> str:
    """Return the hash of a new password. As slow as checking one."""
    return make_password(normalize_password(password))


def spellings_of(password: str) -> list[str]:
    """Return what a stored hash may have been made of: the normalized password, then older forms of it.

    Passwords in ASCII have one spelling. Hashes made before passwords were normalized are of any.
    """
    forms = (unicodedata.normalize(form, password) for form in ("NFC", "NFD"))
    return list(dict.fromkeys([normalize_password(password), password, *forms]))


def is_password(password: str, encoded: str) -> bool:
    """Return whether a hash is that of this password, in any normalization."""
    return any(check_password(spelling, encoded) for spelling in spellings_of(password))


class PasswordField(forms.CharField):
    """A password as it was typed. Its length is that of the normalized password, in code points."""

    def __init__(self, **options: Any) -> None:
        super().__init__(strip=False, **options)

    def run_validators(self, value: Any) -> None:
        super().run_validators(normalize_password(value) if isinstance(value, str) else value)
