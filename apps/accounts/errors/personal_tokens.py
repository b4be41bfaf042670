"""Refusals of personal tokens. Programs read them; the site's own pages show only the limit."""

from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from studyplatform.kit.errors import Action, AppError

_SETTINGS = Action(_("Open your tokens"), href="/settings/tokens")


class PersonalTokenRequired(AppError):
    code = "AUTH_TOKEN_REQUIRED"
    status = 401
    title = _("A personal token is needed")
    message = _("Create a personal token in your settings, and send it in the Authorization header. There is no OAuth.")
    icon = "key-round"
    action = _SETTINGS
    is_for_scripts = False


class PersonalTokenInvalid(AppError):
    code = "AUTH_TOKEN_INVALID"
    status = 401
    title = _("This token doesn't work")
    message = _("This token is unknown or was deleted. Create one in your settings.")
    icon = "key-round"
    action = _SETTINGS
    is_for_scripts = False


class PersonalTokenExpired(AppError):
    code = "AUTH_TOKEN_EXPIRED"
    status = 401
    title = _("This token has expired")
    message = _("The token has expired. Create a new one in your settings.")
    icon = "key-round"
    action = _SETTINGS
    is_for_scripts = False


class PersonalTokenRevoked(AppError):
    code = "AUTH_TOKEN_REVOKED"
    status = 401
    title = _("This token was revoked")
    message = _("The token was revoked. Create a new one in your settings.")
    icon = "key-round"
    action = _SETTINGS
    is_for_scripts = False


@dataclass(eq=False, kw_only=True)
class ScopeMissing(AppError):
    code = "AUTH_SCOPE_MISSING"
    status = 403
    title = _("The token doesn't allow this")
    message = _("This needs a token with the scope %(scope)s. Create one in your settings.")
    icon = "key-round"
    action = _SETTINGS
    is_for_scripts = False

    scope: str = ""


@dataclass(eq=False, kw_only=True)
class PersonalTokenLimitReached(AppError):
    code = "PERSONAL_TOKEN_LIMIT_REACHED"
    status = 409
    title = _("You have too many tokens")
    message = _("You can have up to %(limit)s tokens. Revoke one you no longer use, then try again.")
    severity = "warning"
    icon = "key-round"
    is_for_scripts = False

    limit: int = 0
