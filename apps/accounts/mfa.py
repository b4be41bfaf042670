"""allauth's hooks for two-factor (MFA_ADAPTER): secrets are encrypted in the database."""

import base64

from allauth.mfa.adapter import DefaultMFAAdapter
from cryptography.fernet import Fernet, MultiFernet
from django.conf import settings
from django.utils.crypto import salted_hmac


class Adapter(DefaultMFAAdapter):
    """Encrypts the secrets of apps and the seeds of recovery codes with a key derived from SECRET_KEY.

    Secrets encrypted under a key of SECRET_KEY_FALLBACKS can still be read.
    """

    def encrypt(self, text: str) -> str:
        return _box().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        """:raises cryptography.fernet.InvalidToken: it was encrypted under a key that is no longer known."""
        return _box().decrypt(encrypted_text.encode()).decode()

    def get_totp_issuer(self) -> str:
        return settings.SITE_NAME


def _box() -> MultiFernet:
    return MultiFernet([_key(secret) for secret in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)])


def _key(secret: str) -> Fernet:
    digest = salted_hmac("accounts.mfa", b"", secret=secret, algorithm="sha256").digest()
    return Fernet(base64.urlsafe_b64encode(digest))
