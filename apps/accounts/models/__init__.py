"""People, their sessions, what they are told and what they ask for."""

from apps.accounts.models.notices import Notification, NotificationChoice
from apps.accounts.models.people import PROFILE_FIELDS, Role, Style, Theme, User, UserManager
from apps.accounts.models.registration import Joining
from apps.accounts.models.requests import DataExport, TeachingRequest
from apps.accounts.models.signing_in import BrowserSession, EmailProof, HandOver, LoginLock

__all__ = [
    "PROFILE_FIELDS",
    "BrowserSession",
    "DataExport",
    "EmailProof",
    "HandOver",
    "Joining",
    "LoginLock",
    "Notification",
    "NotificationChoice",
    "Role",
    "Style",
    "TeachingRequest",
    "Theme",
    "User",
    "UserManager",
]
