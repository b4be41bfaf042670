"""The passkey challenge of a page and the browser's response to it."""

from typing import Any

from django.http import HttpRequest
from django.utils import timezone

from apps.accounts import forms, services
from apps.accounts.errors import PasskeyRefused
from apps.accounts.models import User
from apps.accounts.passkeys import challenge, relying_party


def passkey_options(request: HttpRequest, purpose: str, user: User) -> dict[str, Any] | None:
    """Options for ``navigator.credentials.get`` with one of this user's passkeys.

    None if the user has no passkey, or if passkeys do not work at the address of this page.
    """
    party = relying_party.relying_party_of(request)
    if party is None or not services.factors_of(user).passkeys:
        return None
    options, state = services.begin_passkey_verification(party=party, user=user)
    challenge.store(request, purpose, state, now=timezone.now(), user=user)
    return options


def verify_passkey_response(request: HttpRequest, purpose: str, user: User | None) -> User:
    """The owner of the passkey with which the browser signed its challenge.

    With ``user``, only a passkey of that user is accepted.

    :raises PasskeyRefused: the response is not to the challenge of this session, or its passkey is unknown.
    """
    now, party = timezone.now(), relying_party.relying_party_of(request)
    state = challenge.consume(request, purpose, now=now, user=user)
    form = forms.PasskeyResponse(request.POST)
    if party is None or not form.is_valid():
        raise PasskeyRefused
    answer = form.cleaned_data["credential"]
    return services.verify_passkey(answer=answer, state=state, party=party, now=now, user=user)
