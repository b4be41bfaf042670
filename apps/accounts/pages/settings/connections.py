"""Linked identities: link another, unlink one. Each change requires recent authentication."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from apps.accounts import providers, services
from apps.accounts.errors import LastSignIn
from apps.accounts.guards import recently_authenticated, signed_in_user
from apps.accounts.models import User
from apps.accounts.pages import social
from apps.accounts.pages.settings.sections import page, register, saved
from studyplatform.kit.extensions import SettingsSection


def _context(request: HttpRequest) -> dict[str, Any]:
    links = services.identities_of(signed_in_user(request))
    linked = {one.provider for one in links}
    return {
        "links": [{"row": one, "title": providers.title_of(one.provider)} for one in links],
        "open": [one for one in settings.SIGN_IN_PROVIDERS if one.slug not in linked],
        "refusal": None,
    }


def _has_any(user: User) -> bool:
    return bool(settings.SIGN_IN_PROVIDERS) or bool(services.identities_of(user))


register(
    SettingsSection(
        slug="connections",
        order=40,
        title=gettext_lazy("Linked accounts"),
        icon="link",
        context=_context,
        is_for=_has_any,
    )
)


@recently_authenticated
@require_http_methods(["GET", "HEAD", "POST"])
def link(request: HttpRequest, slug: str) -> HttpResponse:
    """To the provider, and back to the settings. A GET comes from a user who has just authenticated."""
    if request.method != "POST":
        return saved("connections")
    return social.go(request, slug, purpose="link", onward="/settings/connections")


@recently_authenticated
@require_http_methods(["GET", "HEAD", "POST"])
def unlink(request: HttpRequest, pk: int) -> HttpResponse:
    if request.method != "POST":
        return saved("connections")
    user = signed_in_user(request)
    row = next((one for one in services.identities_of(user) if one.pk == pk), None)
    if row is None:
        return saved("connections")
    try:
        services.unlink_identity(user=user, pk=pk, title=providers.title_of(row.provider))
    except LastSignIn as refusal:
        return page(request, "connections", refusal=refusal)
    messages.success(request, _("%(provider)s was unlinked.") % {"provider": providers.title_of(row.provider)})
    return saved("connections")
