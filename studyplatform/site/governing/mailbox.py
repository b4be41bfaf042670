"""The emails of a site without a mail server, for admins to read. With a mail server, these pages are not found."""

from collections.abc import Callable
from functools import wraps

from csp.decorators import csp_exempt
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.http import require_safe

from apps.accounts.guards import administers
from studyplatform.kit.errors import NotFound
from studyplatform.kit.mail import mailbox

PER_PAGE = 25
# The HTML of an email is shown without scripts, forms or requests, and in an origin of its own.
SANDBOX = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'"


def _in_folder(page: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    @wraps(page)
    def checked(request: HttpRequest, **given: str) -> HttpResponse:
        if not mailbox.is_in_use():
            raise NotFound
        return page(request, **given)

    return checked


@administers
@never_cache
@require_safe
@_in_folder
def mail_list(request: HttpRequest) -> HttpResponse:
    page = Paginator(mailbox.names(), PER_PAGE).get_page(request.GET.get("page"))
    letters = [letter for name in page if (letter := mailbox.read(name))]
    return render(request, "site/mails.html", {"page": page, "letters": letters})


@administers
@never_cache
@require_safe
@_in_folder
def mail(request: HttpRequest, *, name: str) -> HttpResponse:
    return render(request, "site/mail.html", {"letter": _letter(name)})


@administers
@csp_exempt()
@xframe_options_sameorigin
@never_cache
@require_safe
@_in_folder
def mail_page(request: HttpRequest, *, name: str) -> HttpResponse:
    """The email as HTML, for the frame of :func:`mail`."""
    answer = HttpResponse(_letter(name).html)
    answer["Content-Security-Policy"] = SANDBOX
    return answer


def _letter(name: str) -> mailbox.StoredEmail:
    letter = mailbox.read(name)
    if letter is None:
        raise NotFound
    return letter
