"""What the auth pages share."""

from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone

from apps.accounts import forms, services, sessions
from apps.accounts.errors import PasskeyRefused, SecondStepRequired
from apps.accounts.models import Role, User
from apps.accounts.passkeys import challenge, relying_party
from apps.accounts.sessions import known_browsers
from studyplatform.kit.errors import AppError, RateLimitExceeded
from studyplatform.kit.web.requests import safe_next

HOMES = {
    Role.STUDENT: "/me/enrollments",
    Role.INSTRUCTOR: "/dashboard/instructor/",
    Role.ADMIN: "/dashboard/admin/",
}

# The pages that take a hand-over (specification 2.2 and 2.5), without their final slash.
HAND_OVER_PAGES = {"/me/dashboard", "/dashboard/instructor/analytics"}


def home_of(user: User) -> str:
    """Where a role's day begins."""
    return HOMES[Role(user.role)]


def enter(
    request: HttpRequest, user: User, *, remember: bool = True, onward: str = "", second_step_done: bool = False
) -> HttpResponseRedirect:
    """Sign the browser in and lead on to ``onward``, else to where they were going; first to the second step, if
    theirs is due.

    Every way in ends here: password, mailed code, provider, hand-over.
    """
    onward = safe_next(request, onward, "") or back(request, user)
    try:
        sessions.sign_in(request, user, now=timezone.now(), remember=remember, second_step_done=second_step_done)
    except SecondStepRequired:
        query = urlencode({"next": onward}, safe="/")
        return HttpResponseRedirect(f"{reverse('accounts:second-step')}?{query}")
    response = HttpResponseRedirect(onward)
    known_browsers.remember(request, response, user.email)
    return response


def back(request: HttpRequest, user: User) -> str:
    """Where they were going (``next``), else where their role's day begins."""
    return safe_next(request, request.POST.get("next") or request.GET.get("next"), home_of(user))


def form_page(request: HttpRequest, template: str, form: Any, **context: Any) -> HttpResponse:
    """The form with what was typed and what is wrong with it; ``refusal`` is what stood against it as a whole."""
    onward = safe_next(request, request.POST.get("next") or request.GET.get("next"), "")
    response = render(request, template, {"form": form, "next": onward, **context})
    refusal = context.get("refusal")
    if isinstance(refusal, RateLimitExceeded):
        response.status_code = refusal.status
        response["Retry-After"] = str(refusal.wait)
    return response


def verdict(form: Any) -> JsonResponse:
    """What the server would say to the form as it stands, for the browser to show while one types (``data-check``)."""
    return JsonResponse({name: [str(one) for one in found] for name, found in form.errors.items()})


def sign_in_page(request: HttpRequest, form: forms.SignIn, refusal: AppError | None = None) -> HttpResponse:
    """The form, and beside it the way by passkey where the address allows one."""
    passkeys = relying_party.party_of(request) is not None
    return form_page(request, "accounts/login.html", form, refusal=refusal, passkeys=passkeys)


def private(response: HttpResponse) -> HttpResponse:
    """The address is a secret: it must not travel on in a Referer."""
    response["Referrer-Policy"] = "same-origin"
    return response


def passkey_question(request: HttpRequest, purpose: str, user: User) -> dict[str, Any] | None:
    """What the browser's passkey dialog is asked to prove one of this person's; None where they have none, or
    where the page is open under an address that passkeys do not work at."""
    party = relying_party.party_of(request)
    if party is None or not services.factors_of(user).passkeys:
        return None
    options, state = services.ask_for_passkey(party=party, user=user)
    challenge.keep(request, purpose, state, now=timezone.now(), user=user)
    return options


def answered_passkey(request: HttpRequest, purpose: str, user: User | None) -> User:
    """Whose passkey the form has brought; of ``user``, if one is named.

    :raises PasskeyRefused: nobody's, or not an answer to what was asked.
    """
    now, party = timezone.now(), relying_party.party_of(request)
    state = challenge.take(request, purpose, now=now, user=user)
    form = forms.PasskeyAnswer(request.POST)
    if party is None or not form.is_valid():
        raise PasskeyRefused
    answer = form.cleaned_data["credential"]
    return services.prove_passkey(answer=answer, state=state, party=party, now=now, user=user)
