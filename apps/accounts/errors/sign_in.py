"""Refusals while signing in."""

from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from studyplatform.kit.errors import Action, AppError


class InvalidCredentials(AppError):
    code = "AUTH_INVALID_CREDENTIALS"
    status = 401
    title = _("Incorrect email or password")
    message = _(
        "The email or password you entered is incorrect. Check both and try again. "
        "After 5 failed attempts, the account is locked for 15 minutes."
    )
    action = Action(_("Reset password"), href="/auth/forgot-password")


class AccountLocked(AppError):
    code = "AUTH_ACCOUNT_LOCKED"
    status = 423
    title = _("Account locked")
    message = _("The account is locked after 5 failed attempts. Try again in 15 minutes, or reset your password.")
    icon = "lock"
    action = Action(_("Reset password"), href="/auth/forgot-password")


class SessionExpired(AppError):
    code = "AUTH_SESSION_EXPIRED"
    status = 401
    title = _("You were signed out")
    message = _("Your session has ended, so you were signed out. Sign in to continue where you left off.")
    severity = "warning"
    icon = "clock"
    action = Action(_("Sign in"), href="/auth/login")


class EmailNotVerified(AppError):
    code = "AUTH_EMAIL_NOT_VERIFIED"
    status = 403
    title = _("Verify your email first")
    message = _("We sent you a link to verify your email address. Open it, then try again.")
    severity = "warning"
    icon = "mail"
    action = Action(_("Resend email"), handler="resend_verification")


class SecondStepRequired(AppError):
    """The password was right; the browser is not signed in. It has five minutes for the second step."""

    code = "AUTH_SECOND_STEP_REQUIRED"
    status = 403
    title = _("One more step")
    message = _("This account requires a second step after the password. Complete it on the sign-in page.")
    severity = "info"
    icon = "shield-check"
    action = Action(_("Go to the second step"), href="/auth/second-step")
    leads_to = "/auth/second-step"


class SecondStepLocked(AppError):
    code = "AUTH_SECOND_STEP_LOCKED"
    status = 423
    title = _("Codes are locked")
    message = _("After five wrong codes in a row, no codes are accepted for 15 minutes. Try again then.")
    icon = "lock"
    action = Action(_("Back to sign in"), href="/auth/login")
    help_text = _("If you didn't enter them, someone knows your password. Change it.")


class WrongCode(AppError):
    code = "AUTH_CODE_WRONG"
    status = 401
    title = _("Incorrect code")
    message = _("The code is wrong or was already used. Wait for the next code and enter it.")


class PasskeyRefused(AppError):
    """Says nothing about why: a forged answer learns nothing from it."""

    code = "AUTH_PASSKEY_REFUSED"
    status = 401
    title = _("The passkey wasn't accepted")
    message = _("We couldn't verify the passkey, or it belongs to another account. Try again, or use another method.")
    icon = "fingerprint"


class TooManyPasskeys(AppError):
    code = "AUTH_PASSKEYS_FULL"
    status = 409
    title = _("Passkey limit reached")
    message = _("An account can have up to 20 passkeys. Remove one you don't use, then add this one.")
    severity = "warning"


class AccountBlocked(AppError):
    """Told only to those who have proved that the account is theirs."""

    code = "AUTH_ACCOUNT_BLOCKED"
    status = 403
    title = _("This account is blocked")
    message = _("The operator of this site has blocked the account. Contact us if you think this is a mistake.")
    icon = "lock"
    action = Action(_("Go to the home page"), href="/")


@dataclass(eq=False, kw_only=True)
class RoleRequired(AppError):
    code = "ROLE_REQUIRED"
    status = 403
    title = _("Not available to your role")
    message = _("Only %(role)s accounts can open this area.")
    icon = "lock"
    action = Action(_("Go to the home page"), href="/")
    leads_to = "/"

    role: str
