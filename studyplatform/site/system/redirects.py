"""What this site changes about Django's admin."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_safe

from apps.accounts.guards import administers


@administers
@require_safe
def redirect_to_settings(request: HttpRequest) -> HttpResponse:
    """Replace the admin's own password form: passwords are changed in the settings only."""
    return redirect("accounts:settings")
