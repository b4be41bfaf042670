"""The refusals of accounts, by topic."""

from apps.accounts.errors.account import (
    ExportUnderWay,
    LastAdmin,
    NotificationNotFound,
    PictureUnreadable,
    TeachingAlreadyDecided,
    TeachingAlreadyRequested,
)
from apps.accounts.errors.personal_tokens import (
    PersonalTokenExpired,
    PersonalTokenInvalid,
    PersonalTokenLimitReached,
    PersonalTokenRevoked,
    ScopeMissing,
)
from apps.accounts.errors.providers import (
    IdentityTaken,
    LastSignIn,
    ProviderDeclined,
    ProviderResponseRefused,
    ProviderUnavailable,
)
from apps.accounts.errors.sign_in import (
    AccountBlocked,
    AccountLocked,
    EmailNotVerified,
    InvalidCredentials,
    PasskeyRefused,
    RoleRequired,
    SecondStepLocked,
    SecondStepRequired,
    SessionExpired,
    TooManyPasskeys,
    WrongCode,
)

__all__ = [
    "AccountBlocked",
    "AccountLocked",
    "EmailNotVerified",
    "ExportUnderWay",
    "IdentityTaken",
    "InvalidCredentials",
    "LastAdmin",
    "LastSignIn",
    "NotificationNotFound",
    "PasskeyRefused",
    "PersonalTokenExpired",
    "PersonalTokenInvalid",
    "PersonalTokenLimitReached",
    "PersonalTokenRevoked",
    "PictureUnreadable",
    "ProviderDeclined",
    "ProviderResponseRefused",
    "ProviderUnavailable",
    "RoleRequired",
    "ScopeMissing",
    "SecondStepLocked",
    "SecondStepRequired",
    "SessionExpired",
    "TeachingAlreadyDecided",
    "TeachingAlreadyRequested",
    "TooManyPasskeys",
    "WrongCode",
]
