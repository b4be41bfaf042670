"""Name, picture, email and time zone."""

from datetime import datetime
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from apps.accounts import forms, services
from apps.accounts.errors import PictureUnreadable
from apps.accounts.guards import confirms_identity, open_to_everyone, signed_in, signed_in_user
from apps.accounts.models import User
from apps.accounts.pages.responses import without_referrer
from apps.accounts.pages.settings.sections import page, posts_from, register, saved
from apps.accounts.policies import be_signed_in
from apps.accounts.services.pictures import MOST_BYTES
from apps.accounts.sessions import known_browsers
from studyplatform.kit.errors import AppError
from studyplatform.kit.extensions import SettingsSection
from studyplatform.kit.web.body_limits import accepts_large_body
from studyplatform.kit.web.printing import warn_of_unprintable


def _context(request: HttpRequest) -> dict[str, Any]:
    user = signed_in_user(request)
    return {
        "form": forms.Profile(user=user),
        "email_form": forms.ChangeEmail(auto_id="email-%s", user=user),
        "picture_form": forms.ProfilePicture(),
        "refusal": None,
        "pending_email": services.pending_email(user),
        "zones": _zones(timezone.now()),
    }


register(SettingsSection(slug="profile", order=10, title=gettext_lazy("Profile"), icon="user-round", context=_context))


@cache
def _places() -> list[tuple[str, str, ZoneInfo]]:
    """Region, place and zone of each time zone. ZoneInfo caches only eight zones and would read all others for each
    page.
    """
    places = []
    for name in forms.time_zones():
        region, _slash, place = name.partition("/")
        places.append((region, (place or region).replace("_", " ").replace("/", ", "), ZoneInfo(name)))
    return places


def _zones(now: datetime) -> list[tuple[str, list[tuple[str, str]]]]:
    """Regions with their zones: name, and its place and time of day in words."""
    regions: dict[str, list[tuple[str, str]]] = {}
    for region, place, zone in _places():
        regions.setdefault(region, []).append((zone.key, f"{place}, {now.astimezone(zone):%H:%M}"))
    return list(regions.items())


@signed_in
@require_POST
def save(request: HttpRequest) -> HttpResponse:
    user = signed_in_user(request)
    form = forms.Profile(request.POST, user=user)
    if form.is_valid():
        try:
            services.save_profile(user=user, changes=form.cleaned_data, now=timezone.now())
        except services.UsernameTaken:
            form.add_error("username", _("This username is taken."))
        else:
            warn_of_unprintable(request, user.display_name)
            return saved("profile")
    return page(request, "profile", form=form)


@accepts_large_body(MOST_BYTES, by=be_signed_in)
@signed_in
@posts_from("profile")
def save_picture(request: HttpRequest) -> HttpResponse:
    form = forms.ProfilePicture(request.POST, request.FILES)
    if not form.is_valid():
        return page(request, "profile", picture_form=form)
    place = [form.cleaned_data[name] for name in ("x", "y", "size")]
    crop = None if None in place else services.Crop(*place)
    try:
        services.set_picture(user=signed_in_user(request), file=form.cleaned_data["picture"], crop=crop)
    except PictureUnreadable as error:
        form.add_error("picture", error.detail)
        return page(request, "profile", picture_form=form)
    return saved("profile")


@signed_in
@require_POST
def remove_picture(request: HttpRequest) -> HttpResponse:
    services.remove_picture(user=signed_in_user(request))
    return saved("profile")


@confirms_identity
@never_cache
@sensitive_post_parameters()
@posts_from("profile")
def change_email(request: HttpRequest) -> HttpResponse:
    user = signed_in_user(request)
    form = forms.ChangeEmail(request.POST, auto_id="email-%s", user=user)
    refusal: AppError | None = None
    if form.is_valid():
        try:
            services.request_email_change(
                user=user,
                email=form.cleaned_data["email"],
                password=form.cleaned_data.get("password", ""),
                browser=known_browsers.browser_id(request, user.email),
                now=timezone.now(),
            )
        except services.WrongPassword:
            form.add_error("password", _("Current password is incorrect"))
        except AppError as error:
            refusal = error
        else:
            sent = _("We sent a link to %(email)s. Open it within one day. Your email won't change until you do.")
            messages.success(request, sent % {"email": form.cleaned_data["email"]})
            return redirect("accounts:settings-profile")
    return page(request, "profile", email_form=form, refusal=refusal)


@signed_in
@require_POST
def cancel_email_change(request: HttpRequest) -> HttpResponse:
    services.cancel_email_change(user=signed_in_user(request))
    return saved("profile")


@open_to_everyone
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def confirm_email(request: HttpRequest) -> HttpResponse:
    """The emailed link. It requires a click, as programs follow links too, and the account that requested it:
    everyone else is asked to sign in, without learning which account that is.
    """
    key = request.POST.get("key") or request.GET.get("key") or ""
    user = request.user if isinstance(request.user, User) else None
    found = services.email_change_of_key(key)
    is_known = False
    if found is None:
        state = "ended"
    elif user != found[0]:
        state = "other account" if user else "visitor"
    elif request.method == "POST":
        is_known = known_browsers.browser_id(request, user.email) != ""
        state = "done" if services.change_email(by=user, key=key, now=timezone.now()) else "ended"
    else:
        state = "press"
    status = 410 if state == "ended" else 403 if request.method == "POST" and state != "done" else 200
    email = found[1] if found else ""
    context = {"state": state, "email": email, "key": key}
    response = render(request, "accounts/confirm_email.html", context, status=status)
    if state == "done" and is_known:  # by the old email: the user's own browser is no new device
        known_browsers.remember(request, email)
    return without_referrer(response)
