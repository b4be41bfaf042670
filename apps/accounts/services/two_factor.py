"""Two-factor sign-in: an authenticator app (TOTP), recovery codes, and what a person has of these and of passkeys.

The rows are allauth's; the secrets in them are encrypted (apps/accounts/mfa.py). Whoever has an app or a
passkey has two-factor on: the password alone signs them in no more. Every change is told to them by mail.
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
STEP = 30  # seconds a code of the app stands
DIGITS = 6  # of a code of the app
SECRET_BYTES = 20  # of an app's secret: the length of a SHA-1 hash (RFC 4226, section 4)
SEED_BYTES = 40  # of the seed of recovery codes, as allauth makes it
DRIFT = 1  # steps that a telephone's clock may be early or late


@dataclass(frozen=True)
class Factors:
    """What one person signs in with beside the password."""

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
    """In one query."""
    rows = list(Authenticator.objects.filter(user=user).order_by("created_at", "pk"))
    single = {row.type: row for row in rows}
    return Factors(single.get(APP), single.get(CODES), [row for row in rows if row.type == PASSKEY])


def has_second_factor(user: User) -> bool:
    return bool(Authenticator.objects.filter(user=user, type__in=[APP, PASSKEY]).exists())


# --- The app ---------------------------------------------------------------------------------------


def generate_app_secret() -> str:
    """A secret for an app that is being set up, encrypted as it is kept meanwhile."""
    return str(encrypt(base64.b32encode(secrets.token_bytes(SECRET_BYTES)).decode()))


def decrypt_secret(secret: str) -> str:
    """The secret as the person types it into the app."""
    return str(decrypt(secret))


def set_up_app(*, user: User, secret: str, code: str, now: datetime) -> list[str]:
    """Ask for this app's codes from now on, in the place of the app before; the code proves that it was set up.

    Returns the recovery codes if they were made along, else nothing.

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
    """Ask for the app's codes no more."""
    with transaction.atomic():
        lock_user(user)
        removed, _ = Authenticator.objects.filter(user=user, type=APP).delete()
        if removed:
            if has_second_factor(user):
                notify_security_change(user, "app_removed")
            delete_recovery_codes_without_factor(user)


def turn_off_two_factor(*, user: User, by_admin: bool = False) -> bool:
    """Remove app, passkeys and recovery codes: the password alone signs in again. Whether there were any."""
    with transaction.atomic():
        lock_user(user)
        removed, _ = Authenticator.objects.filter(user=user).delete()
        LoginLock.objects.filter(key=_key(user, "")).delete()
        if removed:
            notify_security_change(user, "second_step_reset" if by_admin else "two_factor_off")
    return bool(removed)


# --- Recovery codes --------------------------------------------------------------------------------


def replace_recovery_codes(*, user: User) -> list[str]:
    """Ten recovery codes in the place of those before; none for who has nothing to recover."""
    with transaction.atomic():
        lock_user(user)
        if not has_second_factor(user):
            return []
        Authenticator.objects.filter(user=user, type=CODES).delete()
        notify_security_change(user, "recovery_codes_made")
        return create_missing_recovery_codes(user)


def create_missing_recovery_codes(user: User) -> list[str]:
    """Recovery codes for who has none yet; nobody sees them a second time."""
    if Authenticator.objects.filter(user=user, type=CODES).exists():
        return []
    seed = encrypt(secrets.token_hex(SEED_BYTES))
    row = Authenticator.objects.create(user=user, type=CODES, data={"seed": seed, "used_mask": 0})
    codes: list[str] = row.wrap().generate_codes()
    return [f"{code[:4]}-{code[4:]}" for code in codes]


def delete_recovery_codes_without_factor(user: User) -> None:
    """Recovery codes stand in for something; without it they would be a second password."""
    if not has_second_factor(user):
        Authenticator.objects.filter(user=user, type=CODES).delete()
        notify_security_change(user, "two_factor_off")


def notify_security_change(user: User, what: str, **params: Any) -> None:
    """Tell a person what has changed about the way into their account."""
    notify(f"account.{what}", user, "/settings/#security", **params)


def lock_user(user: User) -> None:
    """Let one change of a person's factors wait for the other, until the transaction ends."""
    User.objects.select_for_update().get(pk=user.pk)


# --- The proof -------------------------------------------------------------------------------------


def verify_second_step_code(*, user: User, code: str, browser: str = "", now: datetime) -> None:
    """Accept a code of the app or a recovery code; either works once, whichever process it reaches.

    Wrong ones are counted exactly, as passwords are (apps/accounts/services/password_check.py).

    :raises WrongCode: neither, or used already.
    :raises SecondStepLocked: five failures in a row; says nothing about the code.
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
            # Who types codes here has typed the password before.
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
    """The step of time whose code this is; not one that was used, nor one before it."""
    # Not every secret that was imported has the 128 bits of RFC 4226, so the length is not enforced.
    hotp = HOTP(base64.b32decode(secret, casefold=True), DIGITS, SHA1(), enforce_key_length=False)  # noqa: S303
    present = int(now.timestamp()) // STEP
    for step in range(present - DRIFT, present + DRIFT + 1):
        if step > after and secrets.compare_digest(hotp.generate(step), code.encode()):
            return step
    return None
