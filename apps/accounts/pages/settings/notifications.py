"""How to be notified of what: each choice is saved as it is made; without scripts, by a button."""

from itertools import groupby
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST

from apps.accounts import queries, services
from apps.accounts.guards import signed_in, signed_in_user
from apps.accounts.kinds import GROUPS, Mail, kinds_for
from apps.accounts.pages.settings.sections import page, register, saved
from studyplatform.kit.extensions import SettingsSection


def _context(request: HttpRequest) -> dict[str, Any]:
    user = signed_in_user(request)
    chosen = queries.choices_of(user)
    kinds = kinds_for(user)
    rows = [(kind, *chosen[kind.name]) for kind in kinds if not kind.is_security]
    return {
        "groups": [(GROUPS[name], list(of)) for name, of in groupby(rows, key=lambda row: row[0].group)],
        "safety": list(dict.fromkeys(str(kind.title) for kind in kinds if kind.is_security)),
        "ways": Mail.choices,
        "is_verified": bool(user.email_verified_at),
        "refused": False,
    }


register(SettingsSection(slug="notifications", order=60, title=_("Notifications"), icon="bell", context=_context))


@signed_in
@require_POST
def save(request: HttpRequest) -> HttpResponse:
    """Saves the kinds that the form names and no others: a script sends one row at a time."""
    names = request.POST.getlist("kind")
    choices = {name: (f"site.{name}" in request.POST, request.POST.get(f"mail.{name}", "")) for name in names}
    try:
        services.save_notification_choices(user=signed_in_user(request), choices=choices)
    except ValueError:
        return page(request, "notifications", refused=True)
    if request.headers.get("Accept") == "application/json":
        return HttpResponse(status=204)
    return saved("notifications")
