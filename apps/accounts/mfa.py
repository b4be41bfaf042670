"""allauth's hooks for two-factor (MFA_ADAPTER): secrets are encrypted in the database."""

from allauth.mfa.adapter import DefaultMFAAdapter
from django.conf import settings

from studyplatform.kit import encryption

_PURPOSE = "accounts.mfa"


class Adapter(DefaultMFAAdapter):
    """Encrypts the secrets of apps and the seeds of recovery codes with a key derived from SECRET_KEY.

    Secrets encrypted under a key of SECRET_KEY_FALLBACKS can still be read.
    """

    def encrypt(self, text: str) -> str:
        return encryption.encrypt(text, purpose=_PURPOSE)

    def decrypt(self, encrypted_text: str) -> str:
        """:raises cryptography.fernet.InvalidToken: it was encrypted under a key that is no longer known."""
        return encryption.decrypt(encrypted_text, purpose=_PURPOSE)

    def get_totp_issuer(self) -> str:
        return settings.SITE_NAME
