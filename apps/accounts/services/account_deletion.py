"""Deleting an account: personal data is deleted; what others rely on stays without a name.

The row remains as a tombstone: certificates stay verifiable (they carry the name as issued), public posts are by a
"deleted user", and ledgers keep what the law requires. Other apps subscribe to ``AccountDeleted``.
"""

import secrets
from collections.abc import Callable
from datetime import datetime

from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.db import transaction
from django.db.models import Q

from apps.accounts.errors import LastAdmin
from apps.accounts.events import AccountDeleted
from apps.accounts.models import (
    PROFILE_FIELDS,
    BrowserSession,
    EmailVerification,
    Notification,
    NotificationChoice,
    PersonalToken,
    Registration,
    Role,
    SignInToken,
    TeachingRequest,
    User,
)
from apps.accounts.services.data_export import delete_exports
from apps.accounts.services.people import require_another_admin
from apps.accounts.services.pictures import remove_picture
from apps.accounts.services.settings import confirm_password
from studyplatform.kit import jobs, mail
from studyplatform.kit.errors import AppError
from studyplatform.kit.events import publish
from studyplatform.kit.policies import Verdict, enforce

_OWN_CHOICES = ("theme", "style", "daily_minutes", "weekly_lessons", "former_zone", "former_zone_until", "shares_email")
_hindrances: list[Callable[[User], Verdict]] = []


def register_hindrance(policy: Callable[[User], Verdict]) -> Callable[[User], Verdict]:
    """Add an app's policy on whether a user may delete their account; the refusal says what to do first."""
    _hindrances.append(policy)
    return policy


def deletion_hindrance(user: User) -> AppError | None:
    """The refusal that says what the user must settle first, or None."""
    others = User.objects.filter(role=Role.ADMIN, is_active=True).exclude(pk=user.pk)
    if user.is_admin and not others.exists():
        return LastAdmin()
    return next((verdict for policy in _hindrances if (verdict := policy(user)) is not None), None)


def delete_account(*, user: User, password: str = "", browser: str, now: datetime) -> None:
    """Delete the account.

    :raises WrongPassword: the password is wrong.
    :raises AccountLocked: five failures in a row.
    :raises AppError: something must be settled first.
    """
    confirm_password(user=user, password=password, browser=browser, now=now)
    email, name = user.email, user.first_name or user.username
    with transaction.atomic():
        if user.is_admin:
            require_another_admin(besides=user)
        user = User.objects.select_for_update().get(pk=user.pk)
        enforce(deletion_hindrance(user))
        remove_picture(user=user)
        delete_exports(user=user)
        for kind in (
            Notification,
            NotificationChoice,
            TeachingRequest,
            EmailVerification,
            SignInToken,
            PersonalToken,
            BrowserSession,
        ):
            kind.objects.filter(user=user).delete()
        Authenticator.objects.filter(user=user).delete()
        SocialAccount.objects.filter(user=user).delete()
        Registration.objects.filter(Q(user=user) | Q(email=user.email)).delete()
        _empty(user, now)
        jobs.enqueue("accounts.send_goodbye", user_id=user.pk, email=email, name=name)


def _empty(user: User, now: datetime) -> None:
    """Remove from the row everything that names or reaches the user."""
    shell = f"deleted-{secrets.token_hex(6)}"
    blank = User()
    for name in (*PROFILE_FIELDS, *_OWN_CHOICES):
        setattr(user, name, getattr(blank, name))
    user.username, user.email = shell, f"{shell}@deleted.invalid"
    user.email_verified_at = user.terms_accepted_at = user.last_login = user.blocked_at = None
    user.block_reason = ""
    user.role, user.is_active, user.deleted_at = Role.STUDENT, False, now
    user.set_unusable_password()
    user.save()


def send_goodbye(*, user_id: int, email: str, name: str) -> None:
    """The last email: that the account is deleted, and whom to ask if the user did not want that.

    The event is published here, in a job, so that a process killed after the commit does not lose it.
    """
    publish(AccountDeleted(user_id=user_id))
    mail.send("goodbye", to=email, greeting=name)
