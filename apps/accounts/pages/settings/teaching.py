"""Requesting to become an instructor, and the state of the request."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST

from apps.accounts import forms, services
from apps.accounts.guards import signed_in, signed_in_user
from apps.accounts.models import TeachingRequest
from apps.accounts.pages.settings.sections import page, register, saved
from studyplatform.kit.errors import AppError
from studyplatform.kit.extensions import SettingsSection


def _context(request: HttpRequest) -> dict[str, Any]:
    user = signed_in_user(request)
    return {
        "form": forms.RequestToTeach(),
        "refusal": None,
        "last": TeachingRequest.objects.filter(user=user).order_by("-created_at").first(),
        "can_request_to_teach": services.can_request_to_teach(user, timezone.now()),
    }


register(
    SettingsSection(
        slug="teaching",
        order=90,
        title=_("Teaching"),
        icon="graduation-cap",
        context=_context,
        is_for=lambda user: not user.can_teach,
    )
)


@signed_in
@require_POST
def ask(request: HttpRequest) -> HttpResponse:
    form = forms.RequestToTeach(request.POST)
    refusal: AppError | None = None
    if form.is_valid():
        try:
            services.request_to_teach(
                user=signed_in_user(request), reason=form.cleaned_data["reason"], now=timezone.now()
            )
        except AppError as error:
            refusal = error
        else:
            return saved("teaching")
    return page(request, "teaching", form=form, refusal=refusal)
