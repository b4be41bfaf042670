"""Two-factor sign-in: an authenticator app (TOTP, RFC 6238), recovery codes, and a user's passkeys.

The rows are allauth's; the secrets in them are encrypted (apps/accounts/mfa.py). With an app or a passkey, two-factor
is on: the password alone no longer signs in. The user is notified of every change by email.
"""

import base64
import secrets
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from allauth.mfa.models import Authenticator
from allauth.mfa.utils import decrypt, encrypt
from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.twofactor.hotp import HOTP
from django.db import transaction

from apps.accounts.errors import SecondStepLocked, WrongCode
from apps.accounts.models import LoginLock, User
from apps.accounts.services.notifications import notify
from apps.accounts.services.password_check import count_attempt, lock_key

APP, CODES, PASSKEY = Authenticator.Type.TOTP, Authenticator.Type.RECOVERY_CODES, Authenticator.Type.WEBAUTHN
STEP = 30  # seconds that a code is valid
DIGITS = 6  # of a code of the app
SECRET_BYTES = 20  # of an app's secret: the length of a SHA-1 hash (RFC 4226, section 4)
SEED_BYTES = 40  # of the seed of recovery codes, as allauth makes it
DRIFT = 1  # steps that a phone's clock may differ


@dataclass(frozen=True)
class Factors:
    """What one user signs in with besides the password: rows of allauth's Authenticator."""

    app: Any
    codes: Any
    passkeys: list[Any]

    @property
    def is_on(self) -> bool:
        return self.app is not None or bool(self.passkeys)

    @property
    def codes_left(self) -> int:
        return len(self.codes.wrap().get_unused_codes()) if self.codes else 0


def factors_of(user: User) -> Factors:
    """The user's factors, in one query."""
    rows = list(Authenticator.objects.filter(user=user).order_by("created_at", "pk"))
    single = {row.type: row for row in rows}
    return Factors(single.get(APP), single.get(CODES), [row for row in rows if row.type == PASSKEY])


def has_second_factor(user: User) -> bool:
    return bool(Authenticator.objects.filter(user=user, type__in=[APP, PASSKEY]).exists())


# --- The app ---------------------------------------------------------------------------------------


def generate_app_secret() -> str:
    """A new secret for an app that is being set up, encrypted."""
    return str(encrypt(base64.b32encode(secrets.token_bytes(SECRET_BYTES)).decode()))


def decrypt_secret(secret: str) -> str:
    """The secret in base32, as the user types it into the app."""
    return str(decrypt(secret))


def set_up_app(*, user: User, secret: str, code: str, now: datetime) -> list[str]:
    """Require this app's codes from now on, instead of those of an earlier app. The code proves that the app is set
    up.

    Returns the recovery codes if they were created too, else an empty list.

    :raises WrongCode: the app shows another code.
    """
    step = _matching_step(decrypt_secret(secret), code, after=-1, now=now)
    if step is None:
        raise WrongCode
    with transaction.atomic():
        lock_user(user)
        replaced, _ = Authenticator.objects.filter(user=user, type=APP).delete()
        Authenticator.objects.create(user=user, type=APP, data={"secret": secret, "used": step}, created_at=now)
        notify_security_change(user, "app_replaced" if replaced else "two_factor_on")
        return create_missing_recovery_codes(user)


def remove_app(*, user: User) -> None:
    """Stop asking for the app's codes."""
    with transaction.atomic():
        lock_user(user)
        removed, _ = Authenticator.objects.filter(user=user, type=APP).delete()
        if removed:
            if has_second_factor(user):
                notify_security_change(user, "app_removed")
            delete_recovery_codes_without_factor(user)


def turn_off_two_factor(*, user: User, by_admin: bool = False) -> bool:
    """Remove app, passkeys and recovery codes, so that the password alone signs in again. Whether there were any."""
    with transaction.atomic():
        lock_user(user)
        removed, _ = Authenticator.objects.filter(user=user).delete()
        LoginLock.objects.filter(key=_key(user, "")).delete()
        if removed:
            notify_security_change(user, "second_step_reset" if by_admin else "two_factor_off")
    return bool(removed)


# --- Recovery codes --------------------------------------------------------------------------------


def replace_recovery_codes(*, user: User) -> list[str]:
    """Ten new recovery codes instead of the old ones; an empty list for a user without app and passkey."""
    with transaction.atomic():
        lock_user(user)
        if not has_second_factor(user):
            return []
        Authenticator.objects.filter(user=user, type=CODES).delete()
        notify_security_change(user, "recovery_codes_made")
        return create_missing_recovery_codes(user)


def create_missing_recovery_codes(user: User) -> list[str]:
    """Recovery codes for a user who has none; they are never shown again. Else an empty list."""
    if Authenticator.objects.filter(user=user, type=CODES).exists():
        return []
    seed = encrypt(secrets.token_hex(SEED_BYTES))
    row = Authenticator.objects.create(user=user, type=CODES, data={"seed": seed, "used_mask": 0})
    codes: list[str] = row.wrap().generate_codes()
    return [f"{code[:4]}-{code[4:]}" for code in codes]


def delete_recovery_codes_without_factor(user: User) -> None:
    """Delete the recovery codes of a user without app and passkey, where they would be a second password."""
    if not has_second_factor(user):
        Authenticator.objects.filter(user=user, type=CODES).delete()
        notify_security_change(user, "two_factor_off")


def notify_security_change(user: User, what: str, **params: Any) -> None:
    """Notify the user of a change to how their account is signed in to."""
    notify(f"account.{what}", user, "/settings/security", **params)


def lock_user(user: User) -> None:
    """Let changes to a user's factors wait for each other, until the transaction ends."""
    User.objects.select_for_update().get(pk=user.pk)


# --- The proof -------------------------------------------------------------------------------------


def verify_second_step_code(*, user: User, code: str, browser: str = "", now: datetime) -> None:
    """Accept a code of the app or a recovery code. Each works once, in any number of processes.

    Wrong codes are counted exactly, as passwords are (services/password_check.py).

    :raises WrongCode: neither, or used already.
    :raises SecondStepLocked: five failures in a row; the code was not checked.
    :raises RateLimitExceeded: too many codes of this account are being checked at this moment.
    """
    attempt = None
    try:
        with count_attempt(_key(user, browser), now=now, refusal=SecondStepLocked) as attempt:
            if not (_app_accepts(user, code, now) or _codes_accept(user, code, now)):
                raise WrongCode
            attempt.proved = True
    except WrongCode:
        if attempt and attempt.locked:
            # Anyone who enters codes here knows the password.
            notify_security_change(user, "codes_locked")
        raise


def _key(user: User, browser: str) -> str:
    return lock_key(f"second-step|{user.uid}", browser)


def _app_accepts(user: User, code: str, now: datetime) -> bool:
    with transaction.atomic():
        row = Authenticator.objects.select_for_update().filter(user=user, type=APP).first()
        if row is None:
            return False
        step = _matching_step(decrypt_secret(row.data["secret"]), code, after=row.data.get("used", -1), now=now)
        if step is None:
            return False
        row.data["used"], row.last_used_at = step, now
        row.save(update_fields=["data", "last_used_at"])
        return True


def _codes_accept(user: User, code: str, now: datetime) -> bool:
    with transaction.atomic():
        row = Authenticator.objects.select_for_update().filter(user=user, type=CODES).first()
        codes = row.wrap() if row else None
        if codes is None or not codes.validate_code(code):
            return False
        Authenticator.objects.filter(pk=row.pk).update(last_used_at=now)
        notify_security_change(user, "recovery_code_used", left=len(codes.get_unused_codes()))
        return True


def _matching_step(secret: str, code: str, *, after: int, now: datetime) -> int | None:
    """The time step that this code belongs to; None for a wrong code, and for steps up to ``after``, which were
    used.
    """
    # Not every secret that was imported has the 128 bits of RFC 4226, so the length is not enforced.
    hotp = HOTP(base64.b32decode(secret, casefold=True), DIGITS, SHA1(), enforce_key_length=False)  # noqa: S303
    present = int(now.timestamp()) // STEP
    for step in range(present - DRIFT, present + DRIFT + 1):
        if step > after and secrets.compare_digest(hotp.generate(step), code.encode()):
            return step
    return None
