"""Creating an account: anyone may request one, it is created when the email is verified (docs/adr/0009).

No response depends on whether the email already has an account: either way a row is created and an email sent, and
only the email, which its owner alone reads, tells the difference.

The browser that registered has proved nothing but that it knows the email. The password or identity chosen there
counts only once the owner of the email confirms it in that browser, by the code or the link. If the link is opened in
another browser, the owner chooses a password there, and the first choice is discarded.
"""

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from allauth.socialaccount.models import SocialAccount
from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.core import signing
from django.db import IntegrityError, transaction
from django.utils.crypto import constant_time_compare, salted_hmac

from apps.accounts.errors import IdentityTaken
from apps.accounts.models import Registration, User, UserManager
from apps.accounts.services.email_verification import BETWEEN_MAILS, TRIES, VALID_FOR
from apps.accounts.services.notifications import notify
from studyplatform.kit import jobs, mail
from studyplatform.kit.passwords import hash_password
from studyplatform.kit.web import rate_limits

KEPT_FOR = timedelta(days=1)
_SALT = "accounts.joining"


class EmailTaken(Exception):
    """Another account has this email."""


@dataclass(frozen=True, kw_only=True)
class NewAccount:
    """The fields of a new account. ``password`` is a hash, empty for users of a provider."""

    email: str
    first_name: str
    last_name: str
    password: str = ""
    provider: str = ""
    provider_uid: str = ""


def request_registration(
    *,
    email: str,
    first_name: str,
    last_name: str,
    password: str = "",
    provider: str = "",
    provider_uid: str = "",
    now: datetime,
) -> Registration:
    """Save the request and enqueue its email. The caller has validated the fields.

    :raises RateLimitExceeded: too many emails were sent to this address.
    """
    email = UserManager.normalize_email(email)
    rate_limits.consume("mail-to-one", email, now=now)
    row = Registration(email=email, first_name=first_name, last_name=last_name, asked_at=now)
    row.password = hash_password(password) if password else ""
    row.provider, row.provider_uid = provider, provider_uid
    with transaction.atomic():
        row.save()
        jobs.enqueue("accounts.send_join_mail", key=str(row.uid), uid=str(row.uid))
    return row


def resend_registration_email(*, row: Registration, now: datetime) -> int:
    """Send a new link and code. Returns 0, or the seconds until another email can be requested.

    :raises RateLimitExceeded: too many emails were sent to this address.
    """
    wait = seconds_until_registration_email(row, now=now)
    if wait == 0:
        rate_limits.consume("mail-to-one", row.email, now=now)
        row.asked_at, row.code_hash = now, ""
        row.save(update_fields=["asked_at", "code_hash"])
        jobs.enqueue("accounts.send_join_mail", key=str(row.uid), uid=str(row.uid))
    return wait


def seconds_until_registration_email(row: Registration, *, now: datetime) -> int:
    """Seconds until another email can be requested; 0 if now."""
    left = row.asked_at + BETWEEN_MAILS - now
    return max(0, -(-left // timedelta(seconds=1)))


def send_registration_email(*, uid: str) -> None:
    """Send a link and a code, or that there is an account already."""
    row = Registration.objects.filter(uid=uid).first()
    if row is None:
        return
    owner = User.objects.with_email(row.email)
    if owner is not None:
        if owner.is_active:
            mail.send("already-here", to=row.email, user=owner, link="/auth/login")
        return
    if row.user_id is not None:  # the account exists and has another email by now
        return
    code = f"{secrets.randbelow(10**6):06}"
    Registration.objects.filter(pk=row.pk).update(code_hash=_hash(row, code), tries=0)
    key = signing.dumps(str(row.uid), salt=_SALT)
    mail.send("join", to=row.email, valid_for=VALID_FOR, code=code, link=f"/auth/verify-email?key={key}")


def find_registration(uid: UUID | str) -> Registration | None:
    """The registration with this uid; None if it does not exist or has been deleted."""
    return Registration.objects.select_related("user").filter(uid=uid).first()


def registration_of_key(key: str, *, now: datetime) -> Registration | None:
    """The registration that the emailed link is for; None if the link has expired."""
    try:
        uid = UUID(signing.loads(key, salt=_SALT, max_age=VALID_FOR))
    except (signing.BadSignature, TypeError, ValueError, AttributeError):
        return None
    row = find_registration(uid)
    return row if row is not None and row.asked_at > now - KEPT_FOR else None


def complete_registration_by_key(*, key: str, now: datetime) -> User | None:
    """The new account, with what was chosen at registration: only for the browser that registered.

    None if the link has expired or the account exists already.

    :raises EmailTaken: meanwhile another account has this email.
    """
    row = registration_of_key(key, now=now)
    return _join(row.pk, now=now) if row is not None else None


def complete_registration_elsewhere(
    *, key: str, first_name: str, last_name: str, password: str, now: datetime
) -> User | None:
    """The new account, with what is chosen now: for any other browser in which the link is opened.

    The password and provider of the registration are discarded. None if the link has expired or the account exists
    already. The caller has validated the fields.

    :raises EmailTaken: meanwhile another account has this email.
    """
    row = registration_of_key(key, now=now)
    if row is None or row.user_id is not None:
        return None
    chosen = NewAccount(email=row.email, first_name=first_name, last_name=last_name, password=hash_password(password))
    return _join(row.pk, chosen=chosen, now=now)


def complete_registration_by_code(*, uid: UUID | str, code: str, now: datetime) -> User | None:
    """The new account; None if the code is wrong or expired. It expires after five wrong ones, even in parallel.

    :raises EmailTaken: meanwhile another account has this email.
    """
    with transaction.atomic():
        row = Registration.objects.select_for_update().filter(uid=uid, user=None).first()
        if row is None or not row.code_hash or row.tries >= TRIES or row.asked_at < now - VALID_FOR:
            return None
        if not constant_time_compare(row.code_hash, _hash(row, code)):
            row.tries += 1
            row.save(update_fields=["tries"])
            return None
    return _join(row.pk, now=now)


def _join(pk: int, *, chosen: NewAccount | None = None, now: datetime) -> User | None:
    """The account of a registration, or of what was ``chosen`` instead; None if it exists already."""
    with transaction.atomic():
        row = Registration.objects.select_for_update().filter(pk=pk, user=None).first()
        if row is None:
            return None
        wished = NewAccount(
            email=row.email,
            first_name=row.first_name,
            last_name=row.last_name,
            password=row.password,
            provider=row.provider,
            provider_uid=row.provider_uid,
        )
        row.user = create_account(chosen or wished, now=now)
        row.password = row.code_hash = ""
        row.save()
        return row.user


def create_account(account: NewAccount, *, now: datetime) -> User:
    """Create the account of a user whose email is verified; a constraint decides whether the email is free.

    :raises EmailTaken: an account with this email exists.
    :raises IdentityTaken: the identity is linked to another account here.
    """
    email = UserManager.normalize_email(account.email)
    while True:
        try:
            with transaction.atomic():
                user = User(email=email, username=User.objects.free_username(email.split("@")[0]))
                user.first_name, user.last_name = account.first_name, account.last_name
                user.password = account.password or make_password(None)
                user.terms_accepted_at = user.email_verified_at = now
                user.save()
                if account.provider:
                    SocialAccount.objects.create(
                        user=user,
                        provider=account.provider,
                        uid=account.provider_uid,
                        extra_data={"email": email},
                    )
                notify("account.welcome", user, "/courses/", key="welcome", site=settings.SITE_NAME)
                return user
        except IntegrityError:
            # The email or the identity is taken, or two users got the same username at the same moment.
            if User.objects.with_email(email):
                raise EmailTaken from None
            if SocialAccount.objects.filter(provider=account.provider, uid=account.provider_uid).exists():
                raise IdentityTaken(provider=account.provider.capitalize()) from None


def delete_expired_registrations(*, now: datetime) -> None:
    """Delete the registrations that were not completed in time."""
    Registration.objects.filter(asked_at__lt=now - KEPT_FOR).delete()


def _hash(row: Registration, code: str) -> str:
    return salted_hmac(_SALT, f"{row.uid}:{code}", algorithm="sha256").hexdigest()
