"""An address form whose rules are those of the chosen country."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from apps.accounts.guards import open_to_everyone
from studyplatform.samples.catalog import sample_page
from studyplatform.samples.forms.address import Address


@open_to_everyone
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def address_form(request: HttpRequest) -> HttpResponse:
    form = Address(request.POST if request.method == "POST" else None)
    if form.is_valid():
        messages.success(request, _("The address is complete. Nothing was saved."))
        return redirect("samples:form-address")
    return sample_page(request, "form-address", {"form": form}, status=422 if form.errors else 200)
