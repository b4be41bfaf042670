"""Passkeys (WebAuthn Level 2): adding, verifying, renaming, removing.

The caller stores the challenge in the browser's session and accepts it once (apps/accounts/passkeys/challenge.py). A
browser's response is untrusted until it is verified: origin, challenge, signature, user verification where required,
and a counter that must not decrease.
"""

import hashlib
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from allauth.mfa.models import Authenticator
from django.db import transaction
from fido2.server import Fido2Server
from fido2.utils import websafe_decode, websafe_encode
from fido2.webauthn import (
    AttestedCredentialData,
    AuthenticationResponse,
    PublicKeyCredentialDescriptor,
    PublicKeyCredentialRpEntity,
    PublicKeyCredentialType,
    PublicKeyCredentialUserEntity,
    RegistrationResponse,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

from apps.accounts.errors import PasskeyRefused, TooManyPasskeys
from apps.accounts.models import User
from apps.accounts.passkeys.relying_party import RelyingParty
from apps.accounts.services.two_factor import (
    PASSKEY,
    create_missing_recovery_codes,
    delete_recovery_codes_without_factor,
    lock_user,
    notify_security_change,
)
from studyplatform.kit.names import tidy_name

MOST = 20
_TRANSPORT = re.compile(r"[a-z-]{1,20}")

Options = dict[str, Any]
State = dict[str, Any]


def begin_passkey_registration(*, user: User, party: RelyingParty) -> tuple[Options, State]:
    """Options for ``navigator.credentials.create``, and the state that its response is verified against."""
    options, state = _server(party).register_begin(
        PublicKeyCredentialUserEntity(name=user.email, id=user.uid.bytes, display_name=user.display_name),
        credentials=_descriptors(user),
        resident_key_requirement=ResidentKeyRequirement.PREFERRED,
        user_verification=UserVerificationRequirement.PREFERRED,
        extensions={"credProps": True},
    )
    return dict(options), state


def add_passkey(
    *, user: User, name: str, answer: Mapping[str, Any], state: State, party: RelyingParty, now: datetime
) -> list[str]:
    """Save the new passkey. Returns the recovery codes if they were created too, else an empty list.

    :raises PasskeyRefused: the response does not match the challenge, or its passkey is known already.
    :raises TooManyPasskeys: the account has twenty.
    """
    made = _checked(lambda: _server(party).register_complete(state, RegistrationResponse.from_dict(answer)))
    key = websafe_encode(made.credential_data.credential_id)
    data = {
        "name": tidy_name(name),
        "id": key,
        "party": party.id,
        "credential": _kept(answer),
        "sign_count": made.counter,
    }
    with transaction.atomic():
        lock_user(user)
        if Authenticator.objects.filter(type=PASSKEY, data__id=key).exists():
            raise PasskeyRefused
        if Authenticator.objects.filter(user=user, type=PASSKEY).count() >= MOST:
            raise TooManyPasskeys
        Authenticator.objects.create(user=user, type=PASSKEY, data=data, created_at=now)
        notify_security_change(user, "passkey_added", name=name)
        return create_missing_recovery_codes(user)


def begin_passkey_verification(*, party: RelyingParty, user: User | None = None) -> tuple[Options, State]:
    """Options for ``navigator.credentials.get``, and the state that its response is verified against.

    With ``user``, only their passkeys are allowed. Without (a sign-in without password), any passkey, which must then
    verify its owner.
    """
    options, state = _server(party).authenticate_begin(
        credentials=_descriptors(user) if user else None,
        user_verification=UserVerificationRequirement.PREFERRED if user else UserVerificationRequirement.REQUIRED,
    )
    return dict(options), state


def verify_passkey(
    *, answer: Mapping[str, Any], state: State, party: RelyingParty, now: datetime, user: User | None = None
) -> User:
    """The owner of the passkey; ``user`` if one is given.

    :raises PasskeyRefused: the passkey is unknown here, was used already, is a copy, or its owner is blocked.
    """
    parsed = _checked(lambda: AuthenticationResponse.from_dict(answer))
    if user is None:
        handle = parsed.response.user_handle or b""
        user = User.objects.filter(uid=UUID(bytes=handle), is_active=True).first() if len(handle) == 16 else None
    if user is None or not user.is_active:
        raise PasskeyRefused
    key, challenge = websafe_encode(parsed.raw_id), hashlib.sha256(state["challenge"].encode()).hexdigest()
    with transaction.atomic():
        rows = Authenticator.objects.select_for_update().filter(user=user, type=PASSKEY, data__party=party.id)
        row = next((one for one in rows if one.data["id"] == key), None)
        if row is None:
            raise PasskeyRefused
        known = _credential(row)
        _checked(lambda: _server(party).authenticate_complete(state, [known], parsed))
        counter, before = parsed.response.authenticator_data.counter, row.data["sign_count"]
        is_copy = (counter or before) and counter <= before
        # The session deletes a challenge once it is answered; of two responses at the same moment, this row decides.
        if is_copy or row.data.get("answered") == challenge:
            raise PasskeyRefused
        row.data |= {"sign_count": counter, "answered": challenge}
        row.last_used_at = now
        row.save(update_fields=["data", "last_used_at"])
    return user


def rename_passkey(*, user: User, pk: int, name: str) -> bool:
    """Whether the user has such a passkey."""
    with transaction.atomic():
        row = Authenticator.objects.select_for_update().filter(user=user, type=PASSKEY, pk=pk).first()
        if row is None:
            return False
        row.data["name"] = tidy_name(name)
        row.save(update_fields=["data"])
        return True


def remove_passkey(*, user: User, pk: int) -> bool:
    """Whether the user had such a passkey."""
    with transaction.atomic():
        lock_user(user)
        row = Authenticator.objects.filter(user=user, type=PASSKEY, pk=pk).first()
        if row is None:
            return False
        row.delete()
        notify_security_change(user, "passkey_removed", name=row.data["name"])
        delete_recovery_codes_without_factor(user)
        return True


def _server(party: RelyingParty) -> Fido2Server:
    entity = PublicKeyCredentialRpEntity(name=party.name, id=party.id)
    return Fido2Server(entity, verify_origin=lambda origin: origin == party.origin)


def _checked(check: Any) -> Any:
    """:raises PasskeyRefused: the response fails in the parser or in the check."""
    try:
        return check()
    except Exception as error:
        raise PasskeyRefused from error


def _kept(answer: Mapping[str, Any]) -> dict[str, Any]:
    """What is stored of the browser's response, in allauth's format."""
    response = answer["response"]
    transports = response.get("transports")
    names = (
        [str(name) for name in transports if _TRANSPORT.fullmatch(str(name))] if isinstance(transports, list) else []
    )
    return {
        "id": answer["id"],
        "rawId": answer["rawId"],
        "type": "public-key",
        "response": {
            "clientDataJSON": response["clientDataJSON"],
            "attestationObject": response["attestationObject"],
            "transports": names[:8],
        },
    }


def _credential(row: Any) -> AttestedCredentialData:
    credential: AttestedCredentialData = row.wrap().authenticator_data.credential_data
    return credential


def _descriptors(user: User) -> list[PublicKeyCredentialDescriptor]:
    return [
        PublicKeyCredentialDescriptor(
            type=PublicKeyCredentialType.PUBLIC_KEY,
            id=websafe_decode(row.data["id"]),
            transports=row.data["credential"]["response"].get("transports") or None,
        )
        for row in Authenticator.objects.filter(user=user, type=PASSKEY)
    ]
