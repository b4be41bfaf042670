"""Signed-in browsers, with device, address and time; ended one by one, or all others."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from apps.accounts import services, sessions
from apps.accounts.guards import signed_in, signed_in_user
from apps.accounts.models import BrowserSession
from apps.accounts.pages.settings.sections import register, saved
from apps.accounts.sessions import devices
from studyplatform.kit.extensions import SettingsSection

_AT_ONCE = 10


def _context(request: HttpRequest) -> dict[str, Any]:
    user, now = signed_in_user(request), timezone.now()
    here = sessions.session_uid(request)
    rows = BrowserSession.objects.of(user).live(now).defer("session_data").order_by("-last_seen_at", "pk")
    shown = Paginator(rows, _AT_ONCE).get_page(request.GET.get("page"))
    return {
        "browsers": shown,
        "rows": [
            {
                "session": row,
                "device": devices.device_name(row.user_agent),
                "icon": devices.device_icon(row.user_agent),
                "is_here": row.uid == here,
            }
            for row in shown
        ],
        "others": shown.paginator.count > 1,
    }


register(
    SettingsSection(
        slug="sessions", order=50, title=gettext_lazy("Where you're signed in"), icon="laptop", context=_context
    )
)


@signed_in
@require_POST
def end(request: HttpRequest, uid: UUID) -> HttpResponse:
    """Sign out one browser; its tokens are refused from then on. One that is gone already is no error."""
    if services.end_other_session(user=signed_in_user(request), uid=uid):
        messages.success(request, _("That browser was signed out."))
    return saved("sessions")


@signed_in
@require_POST
def end_others(request: HttpRequest) -> HttpResponse:
    services.end_sessions(user=signed_in_user(request), but=sessions.session_uid(request))
    messages.success(request, _("All other browsers were signed out."))
    return saved("sessions")
