"""Secrets that are encrypted in the database, with a key derived from SECRET_KEY for each purpose.

What was encrypted under a key of SECRET_KEY_FALLBACKS can still be read.
"""

import base64

from cryptography.fernet import Fernet, MultiFernet
from django.conf import settings
from django.utils.crypto import salted_hmac


def encrypt(text: str, *, purpose: str) -> str:
    """The text, encrypted for a purpose such as "accounts.mfa"; differs each time."""
    return _box(purpose).encrypt(text.encode()).decode()


def decrypt(encrypted: str, *, purpose: str) -> str:
    """The text that was encrypted.

    :raises cryptography.fernet.InvalidToken: it was encrypted for another purpose, or under a key that is no longer
        known.
    """
    return _box(purpose).decrypt(encrypted.encode()).decode()


def _box(purpose: str) -> MultiFernet:
    return MultiFernet([_key(purpose, secret) for secret in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)])


def _key(purpose: str, secret: str) -> Fernet:
    digest = salted_hmac(purpose, b"", secret=secret, algorithm="sha256").digest()
    return Fernet(base64.urlsafe_b64encode(digest))
