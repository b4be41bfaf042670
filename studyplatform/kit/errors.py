"""Refusals: each is an exception class with a code. The registry of these classes is the error catalog.

``make contract`` exports the catalog to TypeScript; the API returns refusals as RFC 9457 problem details.
Codes and their behavior come from section 8 of the specification.
"""

import re
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Literal

from django.conf import settings
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from studyplatform.kit.text.durations import waiting_time

Severity = Literal["error", "warning", "info"]
Text = str | Promise

REGISTRY: dict[str, type["AppError"]] = {}

# As in assets/shared/api/errors.ts. Not the % operator: it takes the "% o" of "90% of the video" for a conversion.
_PLACE = re.compile(r"%\((\w+)\)s")
_PARAM = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class Action:
    """What the user can do about it: a link, or a named handler of the page that shows the error.

    ``href`` may contain ``{param}`` placeholders, filled from the error's params.
    Handlers that the islands implement: ``retry``, ``reload``, ``resume``, ``resend_verification``.
    """

    label: Text
    href: str = ""
    handler: str = ""


# Not frozen: contextlib assigns __traceback__ while an exception passes through it.
@dataclass(eq=False, kw_only=True)
class AppError(Exception):
    """An expected refusal. Each subclass is one reason; its dataclass fields are its params."""

    code: ClassVar[str] = ""
    status: ClassVar[int] = 400
    title: ClassVar[Text] = ""
    message: ClassVar[Text] = ""
    severity: ClassVar[Severity] = "error"
    icon: ClassVar[str] = "circle-alert"
    action: ClassVar[Action | None] = None
    help_text: ClassVar[Text] = ""
    retry_delay: ClassVar[int | None] = None  # seconds until it is retried automatically
    leads_to: ClassVar[str] = ""  # the page to redirect to instead of an error page
    durations: ClassVar[tuple[str, ...]] = ()  # params in seconds that the message says in words
    is_for_scripts: ClassVar[bool] = True  # false: only pages show it, so browsers need not download its texts

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if not cls.code:
            return
        if REGISTRY.setdefault(cls.code, cls).__qualname__ != cls.__qualname__:
            raise TypeError(f"error code {cls.code!r} is already taken")
        REGISTRY[cls.code] = cls

    def __str__(self) -> str:
        return self.detail

    @property
    def params(self) -> dict[str, Any]:
        """The values of this refusal's fields, by name."""
        return {one.name: getattr(self, one.name) for one in fields(self)}

    @property
    def detail(self) -> str:
        """The message with its params filled in."""
        params = self.params
        shown = params | {name: waiting_time(params[name]) for name in self.durations}
        return _PLACE.sub(lambda place: str(shown[place[1]]), str(self.message))

    @property
    def action_href(self) -> str:
        """The URL of the action; "" without an action, or if a param of its URL is missing."""
        params = self.params
        href = self.action.href if self.action else ""
        return href.format(**params) if set(_PARAM.findall(href)) <= params.keys() else ""

    def __reduce__(self) -> tuple[Any, ...]:
        # Keyword-only exceptions do not survive pickling, which celery needs.
        return _rebuild, (type(self), self.params)


def _rebuild(cls: type[AppError], params: dict[str, Any]) -> AppError:
    return cls(**params)


# --- Codes that belong to no single app ------------------------------------------------------------


class VideoLoadFailed(AppError):
    code = "VIDEO_LOAD_FAILED"
    status = 502
    title = _("The video didn't load")
    message = _("The video couldn't be loaded. Your place is saved.")
    action = Action(_("Try again"), handler="reload")
    help_text = _("If it keeps failing, choose a lower quality or the audio version.")
    retry_delay = 5


class VideoNetworkError(AppError):
    code = "VIDEO_NETWORK_ERROR"
    status = 503
    title = _("The connection dropped")
    message = _("The connection dropped while the video was loading. Your progress is saved.")
    severity = "warning"
    icon = "wifi-off"
    action = Action(_("Resume"), handler="resume")
    retry_delay = 3


class VideoFormatUnsupported(AppError):
    code = "VIDEO_FORMAT_UNSUPPORTED"
    status = 415
    title = _("This browser can't play the video")
    message = _("Your browser can't play this video's format. You can listen to the lesson instead.")
    action = Action(_("Open the audio version"), href="/audio-fallback?lesson={lesson}")


class VideoQualityDegraded(AppError):
    code = "VIDEO_QUALITY_DEGRADED"
    status = 200
    title = _("Quality lowered")
    message = _(
        "Your connection slowed, so the quality was lowered automatically. It rises again when the connection improves."
    )
    severity = "info"
    icon = "wifi"


class VideoDrmError(AppError):
    code = "VIDEO_DRM_ERROR"
    status = 403
    title = _("Playback permission couldn't be checked")
    message = _("We couldn't check your permission to play this video. Refresh the page to get a new one.")
    action = Action(_("Refresh page"), handler="reload")


class NetworkOffline(AppError):
    code = "NETWORK_OFFLINE"
    status = 503
    title = _("You're offline")
    message = _("You can keep using what's open; your progress will sync when you're back.")
    severity = "warning"
    icon = "wifi-off"
    action = Action(_("What works offline"), href="/offline")


class NetworkFailed(AppError):
    code = "NETWORK_FAILED"
    status = 503
    title = _("The server can't be reached")
    message = _("This device is online, but the server isn't responding. Your progress is saved.")
    severity = "warning"
    icon = "cloud-off"
    action = Action(_("Try again"), handler="retry")
    retry_delay = 5


@dataclass(eq=False, kw_only=True)
class NetworkTimeout(AppError):
    code = "NETWORK_TIMEOUT"
    status = 504
    title = _("The response is taking too long")
    message = _("The server didn't respond within %(seconds)s seconds. Your progress is saved.")
    severity = "warning"
    icon = "clock"
    action = Action(_("Try again"), handler="retry")
    retry_delay = 5

    seconds: int = 30


class NetworkSlow(AppError):
    code = "NETWORK_SLOW"
    status = 200
    title = _("Slow connection")
    message = _("Your connection is slow, so this is taking longer than usual.")
    severity = "info"
    icon = "wifi"


class ConnectionRestored(AppError):
    code = "CONNECTION_RESTORED"
    status = 200
    title = _("Connection restored")
    message = _("You're back online.")
    severity = "info"
    icon = "wifi"


@dataclass(eq=False, kw_only=True)
class ServerError(AppError):
    code = "SERVER_ERROR"
    status = 500
    title = _("Something went wrong on our side")
    message = _("The server couldn't complete your request. Nothing you entered was lost, and it will be tried again.")
    icon = "cloud-off"
    action = Action(_("Try again"), handler="retry")
    help_text = _("If you contact support, include this reference.")
    retry_delay = 10

    reference: str = ""


@dataclass(eq=False, kw_only=True)
class RateLimitExceeded(AppError):
    code = "RATE_LIMIT_EXCEEDED"
    status = 429
    title = _("Too many requests")
    message = _("You've sent more requests than we can take at once. Wait %(wait)s, then try again.")
    severity = "warning"
    icon = "clock"
    durations = ("wait",)

    wait: int = 60


class StoreUnavailable(AppError):
    code = "STORE_UNAVAILABLE"
    status = 503
    title = _("File storage is unavailable")
    message = _("Videos and files can't be reached right now. Nothing is lost. Try again in a few minutes.")
    severity = "warning"
    icon = "cloud-off"
    action = Action(_("Try again"), handler="retry")
    retry_delay = 10


class StoreFull(AppError):
    code = "STORE_FULL"
    status = 507
    title = _("The server is out of storage space")
    message = _("The server has no space to save this right now. Nothing you already saved is lost. Try again later.")
    severity = "warning"
    icon = "hard-drive"
    action = Action(_("Try again"), handler="retry")
    help_text = _("If this keeps happening, contact support.")
    retry_delay = 60


def _status_url() -> str:
    return str(settings.STATUS_URL)


@dataclass(eq=False, kw_only=True)
class MaintenanceMode(AppError):
    code = "MAINTENANCE_MODE"
    status = 503
    title = _("Maintenance")
    message = _("The platform is down for maintenance. This usually takes 15 to 30 minutes.")
    severity = "info"
    icon = "wrench"
    action = Action(_("See the status page"), href="{status_url}")

    status_url: str = field(default_factory=_status_url)


@dataclass(eq=False, kw_only=True)
class UnknownError(AppError):
    code = "UNKNOWN_ERROR"
    status = 500
    title = _("Something went wrong")
    message = _("An unexpected error occurred. Our team has been notified and is working on it.")
    action = Action(_("Reload page"), handler="reload")

    reference: str = ""


class FeatureComingSoon(AppError):
    code = "FEATURE_COMING_SOON"
    status = 404
    title = _("Not available yet")
    message = _("We haven't opened this part of the site yet.")
    severity = "info"
    icon = "info"


class NotAuthenticated(AppError):
    code = "NOT_AUTHENTICATED"
    status = 401
    title = _("Sign in first")
    message = _("User is not authenticated")
    icon = "lock"
    action = Action(_("Sign in"), href="/auth/login")


@dataclass(eq=False, kw_only=True)
class CookiesMissing(AppError):
    code = "COOKIES_MISSING"
    status = 403
    title = _("Allow cookies to continue")
    message = _("Your browser sent no cookies of this site, so nothing was changed.")
    severity = "warning"
    icon = "lock"
    action = Action(_("Open the page again"), href="{back}")
    help_text = _("Signing in and forms need them. Allow this site's cookies in your browser, then try again.")
    back: str = "/"


@dataclass(eq=False, kw_only=True)
class FormOutdated(AppError):
    code = "FORM_OUTDATED"
    status = 403
    title = _("This page was out of date")
    message = _("Someone signed in or out in this browser after this page was opened, so nothing was changed.")
    severity = "warning"
    icon = "clock"
    action = Action(_("Open the page again"), href="{back}")
    help_text = _("If it happens again, allow this site's cookies in your browser.")
    back: str = "/"


class PermissionRefused(AppError):
    code = "PERMISSION_DENIED"
    status = 403
    title = _("You don't have access")
    message = _("Your account doesn't have permission to do this.")
    icon = "lock"
    action = Action(_("Go to your dashboard"), href="/dashboard")


class NotFound(AppError):
    code = "NOT_FOUND"
    status = 404
    title = _("Not Found")
    message = _("The page you're looking for doesn't exist or has been moved.")


@dataclass(eq=False, kw_only=True)
class ValidationFailed(AppError):
    """``in_fields`` lists the errors by field path: {path: [{"code", "message"}]}."""

    code = "VALIDATION_FAILED"
    status = 400
    title = _("Some fields need attention")
    message = _("Check the marked fields.")

    in_fields: dict[str, list[dict[str, str]]] = field(default_factory=dict)


@dataclass(eq=False, kw_only=True)
class RequestTooLarge(AppError):
    code = "REQUEST_TOO_LARGE"
    status = 413
    title = _("The request is too large")
    message = _("The request is larger than %(limit)s, so it wasn't accepted and nothing was changed.")

    limit: str = ""


class RequestStalled(AppError):
    code = "REQUEST_STALLED"
    status = 408
    title = _("The request was interrupted")
    message = _("The connection was lost partway through, so nothing was changed. Send it again.")
    severity = "warning"
    icon = "wifi-off"


class Conflict(AppError):
    code = "CONFLICT"
    status = 409
    title = _("This has changed")
    message = _("This was changed somewhere else in the meantime. Reload to see the latest version.")
    severity = "warning"
    action = Action(_("Reload page"), handler="reload")


class MethodRefused(AppError):
    code = "METHOD_NOT_ALLOWED"
    status = 405
    title = _("That can't be done here")
    message = _("This address doesn't accept that kind of request.")
