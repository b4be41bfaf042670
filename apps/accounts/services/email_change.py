"""Another email for an account: used once its owner has shown that it reaches them."""

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
    """Send a link to the new email; until it is opened, everything stays as it is.

    Whether somebody else has that email is said to nobody but its owner. The password is asked for, because
    whoever may change the email may soon change the password.

    :raises WrongPassword: the password is not right.
    :raises AccountLocked: five failures in a row.
    :raises RateLimitExceeded: a mail was sent within the last minute.
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
    """The link to the new address, and a word to the old one."""
    user = User.objects.filter(pk=user_id, is_active=True).first()
    if user is None or pending_email(user) != email:
        return
    if owner := User.objects.with_email(email):
        mail.send("email-in-use", to=email, user=owner, link="/auth/login")
        return
    key = signing.dumps([str(user.uid), user.email, email], salt=_SALT)
    mail.send("change-email", to=email, valid_for=VALID_FOR, user=user, link=f"/settings/email/confirm?key={key}")
    mail.send("change-email-asked", to=user.email, user=user, email=email, link="/settings/#password")


def pending_email(user: User) -> str:
    """The new email that waits for its proof, or nothing."""
    proof = EmailVerification.objects.filter(user=user).exclude(email=user.email).first()
    return proof.email if proof else ""


def cancel_email_change(*, user: User) -> None:
    """Keep the email as it is; a link under way no longer works."""
    EmailVerification.objects.filter(user=user).exclude(email=user.email).delete()


def email_change_of_key(key: str) -> tuple[User, str] | None:
    """Whose email a link changes, and to what; None if it has ended or another one was asked for since."""
    try:
        uid, old, new = signing.loads(key, salt=_SALT, max_age=VALID_FOR)
    except (signing.BadSignature, TypeError, ValueError):
        return None
    user = User.objects.filter(uid=uid, email=old, is_active=True, email_verification__email=new).first()
    return (user, new) if user else None


def change_email(*, by: User, key: str, now: datetime) -> User | None:
    """The user whose email is another one now; None if the link has ended or somebody else has it by now.

    ``by`` is who is signed in, and only the account itself changes its email: a person who opens the link although
    they did not ask for it would otherwise give their email to somebody else's account.
    """
    found = email_change_of_key(key)
    if found is None or found[0] != by:
        return None
    user, email = found
    old, user.email, user.email_verified_at = user.email, email, now
    try:
        with transaction.atomic():
            # What was found may be gone meanwhile: pressed twice, blocked, a new password set, or the account deleted.
            same = User.objects.select_for_update().filter(pk=user.pk, email=old, is_active=True)
            if not same.exists() or not EmailVerification.objects.filter(user=user, email=email).delete()[0]:
                return None
            same.update(email=email, email_verified_at=now)
            # The mail goes to the old address: whoever lost it in this way still reads it.
            notify("account.email_changed", user, "/settings/#profile", to=old, email=email)
    except IntegrityError:
        return None
    return user
