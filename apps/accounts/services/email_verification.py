"""Verifying that an email belongs to its user: by a link, or by a code of six digits."""

import secrets
from datetime import datetime, timedelta

from django.core import signing
from django.db import transaction
from django.utils import timezone
from django.utils.crypto import constant_time_compare, salted_hmac

from apps.accounts.models import EmailVerification, User
from studyplatform.kit import jobs, mail

VALID_FOR = timedelta(minutes=30)
BETWEEN_MAILS = timedelta(seconds=60)
TRIES = 5  # wrong codes; then a new one is needed
_SALT = "accounts.email"


def request_email_verification(*, user: User, now: datetime) -> int:
    """Send a new link and code. Returns 0, or the seconds until another email can be requested."""
    if user.email_verified_at:
        return 0
    wait = seconds_until_verification_email(user, now=now)
    if wait == 0:
        jobs.enqueue("accounts.send_email_proof", key=str(user.pk), user_id=user.pk)
    return wait


def seconds_until_verification_email(user: User, *, now: datetime) -> int:
    """Seconds until another email can be requested; 0 if now."""
    proof = EmailVerification.objects.filter(user=user).first()
    if proof is None:
        return 0
    left = proof.sent_at + BETWEEN_MAILS - now
    return max(0, -(-left // timedelta(seconds=1)))


def send_verification_email(*, user_id: int) -> None:
    """Create a new code, which replaces the earlier one, and send it with a link."""
    user = User.objects.filter(pk=user_id, is_active=True).first()
    if user is None or user.email_verified_at:
        return
    code = f"{secrets.randbelow(10**6):06}"
    EmailVerification.objects.update_or_create(
        user=user,
        defaults={"email": user.email, "code_hash": _hash(user, code), "tries": 0, "sent_at": timezone.now()},
    )
    key = signing.dumps([str(user.uid), user.email], salt=_SALT)
    link = f"/auth/verify-email?key={key}"
    mail.send("verify-email", to=user.email, valid_for=VALID_FOR, user=user, code=code, link=link)


def user_of_verification_key(key: str) -> User | None:
    """The user whose email the link verifies; None if it has expired."""
    try:
        uid, email = signing.loads(key, salt=_SALT, max_age=VALID_FOR)
    except (signing.BadSignature, TypeError, ValueError):
        return None
    return User.objects.filter(uid=uid, email=email, is_active=True).first()


def verify_email_by_key(*, key: str, now: datetime) -> User | None:
    """The user whose email is verified now; None if the link has expired."""
    user = user_of_verification_key(key)
    if user is not None:
        _verified(user, now)
    return user


def verify_email_by_code(*, user: User, code: str, now: datetime) -> bool:
    """Whether the code is right. It expires after five wrong ones, even if they arrive in parallel."""
    with transaction.atomic():
        proof = EmailVerification.objects.select_for_update().filter(user=user, email=user.email).first()
        if proof is None or proof.tries >= TRIES or proof.sent_at < now - VALID_FOR:
            return False
        if not constant_time_compare(proof.code_hash, _hash(user, code)):
            proof.tries += 1
            proof.save(update_fields=["tries"])
            return False
        _verified(user, now)
        return True


def _verified(user: User, now: datetime) -> None:
    with transaction.atomic():
        if user.email_verified_at is None:
            user.email_verified_at = now
            user.save(update_fields=["email_verified_at"])
        EmailVerification.objects.filter(user=user).delete()


def _hash(user: User, code: str) -> str:
    return salted_hmac(_SALT, f"{user.pk}:{user.email}:{code}", algorithm="sha256").hexdigest()
