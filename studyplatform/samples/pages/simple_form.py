"""One field, validated by one form in two places: while it is typed, and when it is sent."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from apps.accounts.guards import open_to_everyone
from studyplatform.samples.catalog import sample_page
from studyplatform.samples.forms.nickname import Nickname


@open_to_everyone
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def simple_form(request: HttpRequest) -> HttpResponse:
    form = Nickname(request.POST if request.method == "POST" else None)
    if form.is_valid():
        messages.success(
            request, _("Hello, %s. The form is correct, and nothing was saved.") % form.cleaned_data["nickname"]
        )
        return redirect("samples:form-simple")
    return sample_page(request, "form-simple", {"form": form}, status=422 if form.errors else 200)


@open_to_everyone
@never_cache
@require_POST
def check_simple_form(request: HttpRequest) -> JsonResponse:
    """What is wrong with each field so far, for the script that asks while somebody types."""
    return JsonResponse(Nickname(request.POST).errors)
