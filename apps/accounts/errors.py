"""Refusals at the door."""

from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from studyplatform.kit.errors import Action, AppError


class InvalidCredentials(AppError):
    code = "AUTH_INVALID_CREDENTIALS"
    status = 401
    title = _("That did not match")
    message = _(
        "The email or password you entered is incorrect. Check both and try again. "
        "After 5 failed attempts the account is locked for 15 minutes."
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
    message = _("Your session has ended, so you were signed out. Sign in to go on where you were.")
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
    action = Action(_("Send it again"), handler="resend_verification")


class PictureUnreadable(AppError):
    code = "PICTURE_UNREADABLE"
    status = 422
    title = _("This picture cannot be used")
    message = _(
        "Choose a PNG, JPEG or WebP picture of at most 5 MB. A photo may have 50 megapixels, any other picture 12."
    )
    icon = "image-off"


class TeachingAlreadyAsked(AppError):
    code = "TEACHING_ALREADY_ASKED"
    status = 409
    title = _("Your request is in")
    message = _("You teach already, your request waits for its answer, or it was declined less than a week ago.")
    severity = "info"
    icon = "graduation-cap"


class TeachingAlreadyDecided(AppError):
    code = "TEACHING_ALREADY_DECIDED"
    status = 409
    title = _("Already decided")
    message = _("Another admin has answered this request.")
    severity = "info"
    icon = "info"


class ExportUnderWay(AppError):
    code = "EXPORT_UNDER_WAY"
    status = 409
    title = _("Your archive is being prepared")
    message = _("Wait for the one under way; we tell you when it is ready.")
    severity = "info"
    icon = "clock"


class LastAdmin(AppError):
    code = "LAST_ADMIN"
    status = 409
    title = _("You are the only admin")
    message = _("Make somebody else an admin first: without one, nobody could run the site.")
    icon = "lock"
    action = Action(_("People"), href="/dashboard/admin/people")


class SecondStepRequired(AppError):
    """The password was right; the browser is not signed in. It has five minutes for the second step."""

    code = "AUTH_SECOND_STEP_REQUIRED"
    status = 403
    title = _("One more step")
    message = _("This account asks for a second step after the password. Do it on the sign-in page.")
    severity = "info"
    icon = "shield-check"
    action = Action(_("Go to the second step"), href="/auth/second-step")
    leads_to = "/auth/second-step"


class SecondStepLocked(AppError):
    code = "AUTH_SECOND_STEP_LOCKED"
    status = 423
    title = _("Codes are locked")
    message = _("Five codes in a row were wrong, so no code is checked for 15 minutes. Try again then.")
    icon = "lock"
    action = Action(_("Back to sign in"), href="/auth/login")
    help_text = _("If it was not you who typed them, somebody knows your password: change it.")


class WrongCode(AppError):
    code = "AUTH_CODE_WRONG"
    status = 401
    title = _("That code did not match")
    message = _("That code is not right, or it was used already. Wait for the next one and type it.")


class PasskeyRefused(AppError):
    """Says nothing about why: a forged answer learns nothing from it."""

    code = "AUTH_PASSKEY_REFUSED"
    status = 401
    title = _("The passkey was not accepted")
    message = _("The passkey could not be checked, or it belongs to another account. Try again, or use another way.")
    icon = "fingerprint"


class TooManyPasskeys(AppError):
    code = "AUTH_PASSKEYS_FULL"
    status = 409
    title = _("No more passkeys")
    message = _("An account has at most 20 passkeys. Remove one that you do not use, then add this one.")
    severity = "warning"


@dataclass(eq=False, kw_only=True)
class ProviderDeclined(AppError):
    code = "AUTH_PROVIDER_DECLINED"
    status = 403
    title = _("Nothing was changed")
    message = _("You did not let %(provider)s tell us who you are, so you are not signed in.")
    severity = "info"
    icon = "info"
    action = Action(_("Back to sign in"), href="/auth/login")

    provider: str


@dataclass(eq=False, kw_only=True)
class ProviderUnavailable(AppError):
    code = "AUTH_PROVIDER_UNAVAILABLE"
    status = 503
    title = _("The provider does not answer")
    message = _("%(provider)s could not be reached, so it could not tell us who you are. Try again in a little while.")
    severity = "warning"
    icon = "cloud-off"
    action = Action(_("Back to sign in"), href="/auth/login")
    help_text = _("If your account has a password, you can sign in with it meanwhile.")

    provider: str


@dataclass(eq=False, kw_only=True)
class ProviderAnswerRefused(AppError):
    """Says nothing about why: a forged answer learns nothing from it."""

    code = "AUTH_PROVIDER_REFUSED"
    status = 400
    title = _("That answer could not be used")
    message = _(
        "The answer of %(provider)s was too old, was used before, or was not meant for this browser. Start again."
    )
    action = Action(_("Back to sign in"), href="/auth/login")

    provider: str


@dataclass(eq=False, kw_only=True)
class IdentityTaken(AppError):
    code = "AUTH_IDENTITY_TAKEN"
    status = 409
    title = _("Linked to another account")
    message = _("This account of %(provider)s signs in to another account here. Unlink it there first.")
    action = Action(_("Open the settings"), href="/settings/#connections")

    provider: str


class LastSignIn(AppError):
    code = "AUTH_LAST_SIGN_IN"
    status = 409
    title = _("That is your only way in")
    message = _("Without it you could not sign in any more. Set a password first, then unlink it.")
    severity = "warning"
    icon = "lock"
    action = Action(_("Set a password"), href="/auth/forgot-password")


class AccountBlocked(AppError):
    """Told only to those who have proved that the account is theirs."""

    code = "AUTH_ACCOUNT_BLOCKED"
    status = 403
    title = _("This account is blocked")
    message = _("Whoever runs this site has blocked the account. Write to us if you think that is a mistake.")
    icon = "lock"
    action = Action(_("Go to the home page"), href="/")


@dataclass(eq=False, kw_only=True)
class RoleRequired(AppError):
    code = "ROLE_REQUIRED"
    status = 403
    title = _("Not open to your role")
    message = _("This area is open to %(role)s accounts only.")
    icon = "lock"
    action = Action(_("Go to the home page"), href="/")
    leads_to = "/"

    role: str


class NotificationNotFound(AppError):
    code = "NOTIFICATION_NOT_FOUND"
    status = 404
    title = _("No such notification")
    message = _("This notification is not there any more.")
    action = Action(_("See all notifications"), href="/notifications")
