"""A guest list that the server keeps: validate, save, redirect, say what happened."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from apps.accounts.guards import open_to_everyone
from studyplatform.kit.errors import NotFound
from studyplatform.kit.web import rate_limits
from studyplatform.samples import services
from studyplatform.samples.catalog import sample_page
from studyplatform.samples.errors import GuestAlreadyListed
from studyplatform.samples.forms.guest import Entry, Guest
from studyplatform.samples.models import SampleEntry
from studyplatform.samples.queries import entries_of
from studyplatform.samples.visitors import remember, visitor_of

GUEST = SampleEntry.Kind.GUEST


@open_to_everyone
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def server_functions(request: HttpRequest) -> HttpResponse:
    """The list, a form that adds a guest, and a button that removes one."""
    if "entry" in request.POST:
        return _remove(request)
    form = Guest(request.POST if request.method == "POST" else None)
    now = timezone.now()
    visitor = visitor_of(request, now=now)
    if form.is_valid():
        rate_limits.consume_for_address(request, "sample", now=now)
        try:
            guest = services.add_entry(visitor=visitor, kind=GUEST, text=form.cleaned_data["guest"], now=now)
        except GuestAlreadyListed as refusal:
            form.add_error("guest", refusal.detail)
        else:
            messages.success(request, _("“%s” is on the guest list.") % guest.text)
            response = redirect("samples:server-functions")
            remember(response, visitor, now=now)
            return response
    guests = entries_of(visitor.known_browser, GUEST)
    context = {"form": form, "guests": guests}
    return sample_page(request, "server-functions", context, status=422 if form.errors else 200)


def _remove(request: HttpRequest) -> HttpResponse:
    now = timezone.now()
    visitor = visitor_of(request, now=now)
    form = Entry(request.POST)
    if not form.is_valid():
        raise NotFound
    rate_limits.consume_for_address(request, "sample", now=now)
    services.delete_entry(visitor=visitor, kind=GUEST, uid=form.cleaned_data["entry"], now=now)
    messages.success(request, _("The guest was removed from the list."))
    response = redirect("samples:server-functions")
    remember(response, visitor, now=now)
    return response
