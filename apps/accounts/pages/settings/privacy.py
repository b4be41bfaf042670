"""Who sees the email, the data archive, and deleting the account."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from apps.accounts import forms, services, sessions
from apps.accounts.guards import confirms_identity, recently_authenticated_from, signed_in, signed_in_user
from apps.accounts.models import DataExport
from apps.accounts.pages.settings.sections import page, posts_from, register, saved
from apps.accounts.sessions import known_browsers
from studyplatform.kit.errors import AppError
from studyplatform.kit.extensions import SettingsSection


def _context(request: HttpRequest) -> dict[str, Any]:
    user = signed_in_user(request)
    exports = DataExport.objects.filter(user=user)
    form = forms.EmailSharing(initial={"shares_email": user.shares_email})
    return {"export": exports.order_by("-created_at").first(), "refusal": None, "form": form}


register(SettingsSection(slug="privacy", order=100, title=gettext_lazy("Privacy"), icon="eye", context=_context))


@signed_in
@require_POST
def save(request: HttpRequest) -> HttpResponse:
    """Save whether instructors see the email."""
    form = forms.EmailSharing(request.POST)
    if not form.is_valid():
        return page(request, "privacy", form=form)
    services.set_email_sharing(user=signed_in_user(request), **form.cleaned_data)
    return saved("privacy")


@recently_authenticated_from("/settings/privacy")
@posts_from("privacy")
def export(request: HttpRequest) -> HttpResponse:
    try:
        services.request_export(user=signed_in_user(request), now=timezone.now())
    except AppError as refusal:
        return page(request, "privacy", refusal=refusal)
    return saved("privacy")


@recently_authenticated_from("/settings/privacy")
@never_cache
@require_safe
def download(request: HttpRequest, uid: UUID) -> FileResponse:
    """The archive, for its user alone."""
    found = DataExport.objects.filter(
        uid=uid, user=signed_in_user(request), state=DataExport.State.READY, expires_at__gt=timezone.now()
    ).first()
    if found is None:
        raise Http404
    name = f"study-platform-{found.created_at:%Y-%m-%d}.zip"
    return FileResponse(found.file.open("rb"), as_attachment=True, filename=name, content_type="application/zip")


@confirms_identity
@never_cache
@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def delete(request: HttpRequest) -> HttpResponse:
    """Shows what is deleted and what stays, and deletes the account."""
    user = signed_in_user(request)
    form = forms.DeleteAccount(request.POST or None, user=user)
    refusal: AppError | None = services.deletion_hindrance(user)
    if form.is_valid() and refusal is None:
        try:
            services.delete_account(
                user=user,
                password=form.cleaned_data.get("password", ""),
                browser=known_browsers.browser_id(request, user.email),
                now=timezone.now(),
            )
        except services.WrongPassword:
            form.add_error("password", _("Current password is incorrect"))
        except AppError as error:
            refusal = error
        else:
            sessions.sign_out(request)
            messages.success(request, _("Your account has been deleted. Thank you for learning with us."))
            return redirect("/")
    status = 422 if form.is_bound else 200
    return render(request, "accounts/delete_account.html", {"form": form, "refusal": refusal}, status=status)
