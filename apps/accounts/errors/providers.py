"""Refusals while signing in with a provider, or linking one."""

from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from studyplatform.kit.errors import Action, AppError


@dataclass(eq=False, kw_only=True)
class ProviderDeclined(AppError):
    code = "AUTH_PROVIDER_DECLINED"
    is_for_scripts = False
    status = 403
    title = _("Nothing was changed")
    message = _("You didn't allow %(provider)s to tell us who you are, so you aren't signed in.")
    severity = "info"
    icon = "info"
    action = Action(_("Back to sign in"), href="/auth/login")

    provider: str


@dataclass(eq=False, kw_only=True)
class ProviderUnavailable(AppError):
    code = "AUTH_PROVIDER_UNAVAILABLE"
    is_for_scripts = False
    status = 503
    title = _("The provider isn't responding")
    message = _("We couldn't reach %(provider)s to confirm who you are. Try again in a few minutes.")
    severity = "warning"
    icon = "cloud-off"
    action = Action(_("Back to sign in"), href="/auth/login")
    help_text = _("If your account has a password, you can sign in with that instead.")

    provider: str


@dataclass(eq=False, kw_only=True)
class ProviderResponseRefused(AppError):
    """Says nothing about why: a forged answer learns nothing from it."""

    code = "AUTH_PROVIDER_REFUSED"
    is_for_scripts = False
    status = 400
    title = _("Sign-in couldn't be completed")
    message = _(
        "The response from %(provider)s was too old, was already used, or was meant for another browser. Start over."
    )
    action = Action(_("Back to sign in"), href="/auth/login")

    provider: str


@dataclass(eq=False, kw_only=True)
class IdentityTaken(AppError):
    code = "AUTH_IDENTITY_TAKEN"
    status = 409
    title = _("Linked to another account")
    message = _("This %(provider)s account is linked to another account here. Unlink it there first.")
    action = Action(_("Open settings"), href="/settings/connections")

    provider: str


class LastSignIn(AppError):
    code = "AUTH_LAST_SIGN_IN"
    status = 409
    title = _("This is your only way to sign in")
    message = _("Without it, you could no longer sign in. Set a password first, then unlink it.")
    severity = "warning"
    icon = "lock"
    action = Action(_("Set a password"), href="/settings/password")
