"""People, their sessions, what they are told and what they ask for."""

from apps.accounts.models.notifications import Notification, NotificationChoice
from apps.accounts.models.personal_tokens import PersonalToken, Scope
from apps.accounts.models.registration import Registration
from apps.accounts.models.requests import DataExport, TeachingRequest
from apps.accounts.models.signing_in import BrowserSession, EmailVerification, LoginLock, SignInToken
from apps.accounts.models.users import PROFILE_FIELDS, Role, Style, Theme, User, UserManager

__all__ = [
    "PROFILE_FIELDS",
    "BrowserSession",
    "DataExport",
    "EmailVerification",
    "LoginLock",
    "Notification",
    "NotificationChoice",
    "PersonalToken",
    "Registration",
    "Role",
    "Scope",
    "SignInToken",
    "Style",
    "TeachingRequest",
    "Theme",
    "User",
    "UserManager",
]
