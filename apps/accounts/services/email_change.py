"""Changing an account's email: the new one is used once its owner has verified it."""

from datetime import datetime, timedelta

from django.core import signing
from django.db import IntegrityError, transaction

from apps.accounts.models import EmailVerification, User, UserManager
from apps.accounts.services.email_verification import seconds_until_verification_email
from apps.accounts.services.notifications import notify
from apps.accounts.services.settings import confirm_password
from studyplatform.kit import jobs, mail
from studyplatform.kit.errors import RateLimitExceeded

VALID_FOR = timedelta(hours=24)
_SALT = "accounts.email.change"


def request_email_change(*, user: User, email: str, password: str = "", browser: str, now: datetime) -> None:
    """Send a link to the new email; the account keeps its email until the link is opened.

    Only the email's owner learns if another account has it. The password is required, because anyone who can change
    the email can soon change the password.

    :raises WrongPassword: the password is wrong.
    :raises AccountLocked: five failures in a row.
    :raises RateLimitExceeded: an email was sent within the last minute.
    """
    if wait := seconds_until_verification_email(user, now=now):
        raise RateLimitExceeded(wait=wait)
    confirm_password(user=user, password=password, browser=browser, now=now)
    email = UserManager.normalize_email(email)
    with transaction.atomic():
        EmailVerification.objects.update_or_create(
            user=user, defaults={"email": email, "code_hash": "", "tries": 0, "sent_at": now}
        )
        jobs.enqueue("accounts.send_email_change", user_id=user.pk, email=email)


def send_email_change(*, user_id: int, email: str) -> None:
    """Send the link to the new address, and a notice to the old one."""
    user = User.objects.filter(pk=user_id, is_active=True).first()
    if user is None or pending_email(user) != email:
        return
    if owner := User.objects.with_email(email):
        mail.send("email-in-use", to=email, user=owner, link="/auth/login")
        return
    key = signing.dumps([str(user.uid), user.email, email], salt=_SALT)
    mail.send("change-email", to=email, valid_for=VALID_FOR, user=user, link=f"/settings/email/confirm?key={key}")
    mail.send("change-email-asked", to=user.email, user=user, email=email, link="/settings/password")


def pending_email(user: User) -> str:
    """The new email that is not verified yet, or an empty string."""
    proof = EmailVerification.objects.filter(user=user).exclude(email=user.email).first()
    return proof.email if proof else ""


def cancel_email_change(*, user: User) -> None:
    """Keep the email; a link that was sent no longer works."""
    EmailVerification.objects.filter(user=user).exclude(email=user.email).delete()


def email_change_of_key(key: str) -> tuple[User, str] | None:
    """The user and new email that a link is for; None if it has expired or a newer one was requested."""
    try:
        uid, old, new = signing.loads(key, salt=_SALT, max_age=VALID_FOR)
    except (signing.BadSignature, TypeError, ValueError):
        return None
    user = User.objects.filter(uid=uid, email=old, is_active=True, email_verification__email=new).first()
    return (user, new) if user else None


def change_email(*, by: User, key: str, now: datetime) -> User | None:
    """The user with their new email; None if the link has expired or another account has the email by now.

    Only the account itself (``by``, the signed-in user) can change its email: otherwise a user who opens a link that
    they did not request would give their email to someone else's account.
    """
    found = email_change_of_key(key)
    if found is None or found[0] != by:
        return None
    user, email = found
    old, user.email, user.email_verified_at = user.email, email, now
    try:
        with transaction.atomic():
            # Meanwhile the link may have been used, the user blocked, the password changed or the account deleted.
            same = User.objects.select_for_update().filter(pk=user.pk, email=old, is_active=True)
            if not same.exists() or not EmailVerification.objects.filter(user=user, email=email).delete()[0]:
                return None
            same.update(email=email, email_verified_at=now)
            # The email goes to the old address, which the rightful owner still reads.
            notify("account.email_changed", user, "/settings/profile", to=old, email=email)
    except IntegrityError:
        return None
    return user
