"""How a sign-in at a provider ends."""

from dataclasses import asdict, dataclass
from typing import Any

from allauth.socialaccount.models import SocialAccount

from studyplatform.kit.errors import AppError


@dataclass(frozen=True, kw_only=True)
class Identity:
    """An account at a provider. ``provider`` is the provider's slug, ``uid`` the account's id there."""

    provider: str
    uid: str
    email: str
    is_email_verified: bool
    first_name: str
    last_name: str

    def as_dict(self) -> dict[str, Any]:
        """The fields, for the session."""
        return asdict(self)


@dataclass
class IdentityVerified(Exception):
    """The provider says who the user is. ``account`` is saved if it is linked to a user here.

    ``state`` has what :func:`authorization_url` was given: ``next`` and ``data``.
    """

    identity: Identity
    account: SocialAccount
    state: dict[str, Any]


@dataclass
class SignInFailed(Exception):
    """The provider does not say who the user is; ``refusal`` is the reason."""

    refusal: AppError
