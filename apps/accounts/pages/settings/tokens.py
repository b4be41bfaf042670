"""Personal tokens: a list, a page that creates one and shows it once, and a page that asks before it revokes one."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_http_methods

from apps.accounts import forms, services
from apps.accounts.errors import PersonalTokenLimitReached
from apps.accounts.guards import recently_authenticated, signed_in, signed_in_user
from apps.accounts.models import PersonalToken, Scope
from apps.accounts.pages.settings.sections import register, saved
from studyplatform.kit.extensions import SettingsSection

_AT_ONCE = 10


def _context(request: HttpRequest) -> dict[str, Any]:
    now = timezone.now()
    rows = PersonalToken.objects.of(signed_in_user(request)).order_by("-created_at", "-pk")
    shown = Paginator(rows, _AT_ONCE).get_page(request.GET.get("page"))
    return {
        "tokens": shown,
        "rows": [{"token": row, "has_expired": row.has_expired(now)} for row in shown],
        "address": request.build_absolute_uri("/mcp"),
    }


register(
    SettingsSection(slug="tokens", order=85, title=gettext_lazy("Assistants and tokens"), icon="bot", context=_context)
)


@recently_authenticated
@never_cache
@sensitive_variables("token")
@require_http_methods(["GET", "HEAD", "POST"])
def create(request: HttpRequest) -> HttpResponse:
    """The form of a new token; its answer shows the token, once."""
    form = forms.NewPersonalToken(request.POST if request.method == "POST" else None)
    refusal: PersonalTokenLimitReached | None = None
    if form.is_valid():
        try:
            row, token = services.create_personal_token(
                user=signed_in_user(request),
                name=form.cleaned_data["name"],
                scopes=form.chosen_scopes,
                lifetime=form.lifetime,
                now=timezone.now(),
            )
        except PersonalTokenLimitReached as error:
            refusal = error
        else:
            return render(request, "accounts/settings/token_created.html", {"row": row, "token": token})
    context = {"form": form, "refusal": refusal, "scopes": list(Scope)}
    status = refusal.status if refusal else 422 if form.errors else 200
    return render(request, "accounts/settings/token_new.html", context, status=status)


@signed_in
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def revoke(request: HttpRequest, uid: UUID) -> HttpResponse:
    """Ask, then revoke. An intruder gains nothing by it, so it needs no recent sign-in."""
    user, now = signed_in_user(request), timezone.now()
    row = PersonalToken.objects.of(user).filter(uid=uid).first()
    if row is None:
        raise Http404
    if request.method == "POST":
        services.revoke_personal_token(user=user, uid=uid, now=now)
        said = _("“%(name)s” was removed.") if row.has_expired(now) else _("“%(name)s” was revoked.")
        messages.success(request, said % {"name": row.name})
        return saved("tokens")
    return render(request, "accounts/settings/token_revoke.html", {"row": row})
