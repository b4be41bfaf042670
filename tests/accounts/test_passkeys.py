"""Passkeys: an authenticator in Python adds, uses and removes them, then lies in every way we could think of.

The same with Chromium's own authenticator: tests/e2e/test_passkeys.py.
"""

import json
import re
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
import time_machine
from allauth.mfa.models import Authenticator as Row
from django.test import Client, override_settings
from django.utils import timezone

from apps.accounts import services
from apps.accounts.models import BrowserSession, User
from tests.accounts.authenticator import Authenticator
from tests.accounts.test_two_factor import (
    code_now,
    emails_with_subject,
    is_signed_in,
    sign_in_again,
    turn_on_two_factor,
)
from tests.factories.accounts import PASSWORD

pytestmark = pytest.mark.django_db
NEW = "/settings/security/passkeys/new"


def browser_at_localhost() -> Client:
    return Client(HTTP_HOST="localhost:8000")


def browser_signed_in(user: User) -> Client:
    """Return a browser in which the user has just entered the password."""
    client = browser_at_localhost()
    sign_in_again(client, user)
    assert is_signed_in(client)
    return client


def options_on_page(client: Client, address: str) -> dict[str, Any]:
    page = client.get(address).content.decode()
    return json.loads(unescape(re.search(r'data-question="([^"]+)"', page)[1]))


def request_sign_in_options(client: Client) -> dict[str, Any]:
    answer = client.post("/api/v1/auth/passkey/options/")
    assert answer.status_code == 200, answer.content
    return answer.json()


def send(client: Client, address: str, answer: Any, **more: str):
    return client.post(address, {"credential": json.dumps(answer), **more})


def add_passkey(client: Client, device: Authenticator, name: str = "Laptop"):
    return send(client, NEW, device.register(options_on_page(client, NEW)), name=name)


def sign_in_with(device: Authenticator, client: Client | None = None, **more: str):
    client = client or browser_at_localhost()
    return send(client, "/auth/passkey", device.authenticate(request_sign_in_options(client)), **more), client


@pytest.fixture
def device(leo: User) -> Authenticator:
    """Return an authenticator with a passkey that Leo has added."""
    made = Authenticator()
    add_passkey(browser_signed_in(leo), made)
    assert Row.objects.filter(user=leo, type="webauthn").count() == 1
    return made


def passkey_row() -> Any:
    return Row.objects.get(type="webauthn")


# --- What works ------------------------------------------------------------------------------------


def test_the_first_passkey_creates_recovery_codes_and_sends_an_email(leo: User) -> None:
    done = add_passkey(browser_signed_in(leo), Authenticator(), name="Blue key").content.decode()

    assert len(re.findall(r"<code>\d{4}-\d{4}</code>", done)) == 10
    assert emails_with_subject("passkey was added: Blue key")
    assert passkey_row().data["name"] == "Blue key"


def test_a_passkey_alone_signs_in_and_redirects(leo: User, device: Authenticator) -> None:
    answer, client = sign_in_with(device, next="/courses/")

    assert answer["Location"] == "/courses/"
    assert client.get("/api/v1/auth/session/").json()["user"]["email"] == leo.email
    assert passkey_row().last_used_at is not None


def test_a_passkey_is_the_second_step_after_the_password(leo: User, device: Authenticator) -> None:
    client = browser_at_localhost()
    assert sign_in_again(client, leo, next="/courses/")["Location"] == "/auth/second-step?next=/courses/"
    assert not is_signed_in(client)
    options = options_on_page(client, "/auth/second-step")
    assert [one["id"] for one in options["publicKey"]["allowCredentials"]] == [passkey_row().data["id"]]

    answer = send(client, "/auth/second-step", device.authenticate(options), next="/courses/")

    assert answer["Location"] == "/courses/"
    assert is_signed_in(client)


def test_a_passkey_reauthenticates_the_user(leo: User, device: Authenticator) -> None:
    _, client = sign_in_with(device)
    with time_machine.travel(timezone.now() + timedelta(minutes=11)):
        assert client.get(NEW).status_code == 302
        answer = send(client, "/auth/prove", device.authenticate(options_on_page(client, "/auth/prove")), next=NEW)
        assert answer["Location"] == NEW
        assert client.get(NEW).status_code == 200


def test_a_user_can_rename_and_remove_a_passkey(leo: User, device: Authenticator) -> None:
    _, client = sign_in_with(device)
    client.post(f"/settings/security/passkeys/{passkey_row().pk}/rename", {"name": "Old laptop"})
    assert "Passkey: Old laptop" in client.get("/settings/security").content.decode()

    client.post(f"/settings/security/passkeys/{passkey_row().pk}/remove")

    assert not Row.objects.filter(user=leo).exists()  # nor the recovery codes, which replaced it
    assert emails_with_subject("passkey was removed")
    assert emails_with_subject("Two-factor sign-in is off")
    again, other = sign_in_with(device)
    assert 'data-error="AUTH_PASSKEY_REFUSED"' in again.content.decode()
    assert not is_signed_in(other)


def test_removing_one_of_two_passkeys_keeps_the_other_and_the_codes(leo: User, device: Authenticator) -> None:
    _, client = sign_in_with(device)
    second = Authenticator()
    assert add_passkey(client, second, "Phone")["Location"].startswith("/settings/")
    first = Row.objects.get(data__name="Laptop")

    client.post(f"/settings/security/passkeys/{first.pk}/remove")

    assert services.factors_of(leo).codes_left == 10
    _, other = sign_in_with(second)
    assert is_signed_in(other)


def test_a_passkey_name_is_one_line_and_not_empty(leo: User, device: Authenticator) -> None:
    _, client = sign_in_with(device)
    for name in ("", "a\nb", "x" * 61):
        answer = client.post(f"/settings/security/passkeys/{passkey_row().pk}/rename", {"name": name})
        assert answer.status_code == 422
    assert passkey_row().data["name"] == "Laptop"


def test_a_passkey_name_is_shown_as_text(leo: User, device: Authenticator) -> None:
    _, client = sign_in_with(device)
    client.post(f"/settings/security/passkeys/{passkey_row().pk}/rename", {"name": '"><script>alert(1)</script>'})

    assert "<script>alert" not in client.get("/settings/security").content.decode()


def test_a_security_key_without_user_verification_is_a_second_step_only(leo: User) -> None:
    plain = Authenticator(verifies=False)
    add_passkey(browser_signed_in(leo), plain)

    answer, client = sign_in_with(plain)
    assert 'data-error="AUTH_PASSKEY_REFUSED"' in answer.content.decode()
    assert not is_signed_in(client)

    sign_in_again(client, leo)
    send(client, "/auth/second-step", plain.authenticate(options_on_page(client, "/auth/second-step")))
    assert is_signed_in(client)


def test_a_passkey_without_a_counter_works_repeatedly(leo: User, device: Authenticator) -> None:
    for _ in range(3):
        device.counter = -1  # the counter stays 0, as with synced passkeys
        _, client = sign_in_with(device)
        assert is_signed_in(client)


# --- Ownership --------------------------------------------------------------------------------------


def test_a_visitor_cannot_add_a_passkey(client: Client) -> None:
    assert client.post(NEW, {"name": "x", "credential": "{}"})["Location"].startswith("/auth/login")


def test_a_passkey_is_added_only_to_the_signed_in_account(leo: User, mia: User) -> None:
    client = browser_signed_in(mia)
    more = {"user": str(leo.pk), "user_id": str(leo.uid), "email": leo.email}

    send(client, NEW, Authenticator().register(options_on_page(client, NEW)), name="Mine", **more)

    assert passkey_row().user == mia


def test_a_challenge_for_one_user_cannot_be_answered_by_another(leo: User, mia: User) -> None:
    """Leo leaves his browser; Mia signs in there and sends the response of his device."""
    client = browser_signed_in(leo)
    made = Authenticator().register(options_on_page(client, NEW))
    kept = client.session["passkey"]
    sign_in_again(client, mia)
    session = client.session
    session["passkey"] = kept  # even if the challenge had survived the change
    session.save()

    send(client, NEW, made, name="x")

    assert not Row.objects.exists()


def test_a_passkey_is_not_the_second_step_of_another_user(leo: User, mia: User, device: Authenticator) -> None:
    turn_on_two_factor(mia)
    add_for_mia = Authenticator()
    hers = browser_at_localhost()
    sign_in_again(hers, mia)
    hers.post("/auth/second-step", {"code": code_now()})
    add_passkey(hers, add_for_mia)
    client = browser_at_localhost()
    sign_in_again(client, mia)

    answer = send(client, "/auth/second-step", device.authenticate(options_on_page(client, "/auth/second-step")))

    assert 'data-error="AUTH_PASSKEY_REFUSED"' in answer.content.decode()
    assert not is_signed_in(client)


def test_a_passkey_with_the_handle_of_another_user_signs_no_user_in(
    leo: User, mia: User, device: Authenticator
) -> None:
    device.handle = mia.uid.bytes

    _, client = sign_in_with(device)

    assert not is_signed_in(client)


def test_only_valid_transport_names_are_saved(leo: User) -> None:
    client = browser_signed_in(leo)
    answer = Authenticator().register(options_on_page(client, NEW))
    answer["response"]["transports"] = ["internal", "a\0b", "\ud800", 7, ["usb"], "x" * 40, "hybrid"]

    send(client, NEW, answer, name="Laptop")

    assert passkey_row().data["credential"]["response"]["transports"] == ["internal", "hybrid"]


def test_a_registered_passkey_cannot_be_added_again(leo: User, mia: User, device: Authenticator) -> None:
    """This holds for the same account and for the account of anyone who knows its public ID."""
    for user in (leo, mia):
        client = browser_at_localhost()
        if user == leo:
            sign_in_with(device, client)
        else:
            sign_in_again(client, mia)
        answer = add_passkey(client, Authenticator(id=device.id))
        assert 'data-error="AUTH_PASSKEY_REFUSED"' in answer.content.decode()
    assert Row.objects.filter(type="webauthn").count() == 1


@pytest.mark.parametrize("action", ["rename", "remove"])
def test_an_unknown_passkey_is_refused(leo: User, mia: User, device: Authenticator, action: str) -> None:
    client = browser_signed_in(mia)

    answer = client.post(f"/settings/security/passkeys/{passkey_row().pk}/{action}", {"name": "Hers"})

    assert answer.status_code == 404
    assert passkey_row().data["name"] == "Laptop"


def test_an_authenticator_app_cannot_be_removed_as_a_passkey(leo: User) -> None:
    turn_on_two_factor(leo)
    client = browser_at_localhost()
    sign_in_again(client, leo)
    client.post("/auth/second-step", {"code": code_now()})
    app = Row.objects.get(type="totp")

    assert client.post(f"/settings/security/passkeys/{app.pk}/remove").status_code == 404
    assert Row.objects.filter(pk=app.pk).exists()


def test_the_passkey_of_a_blocked_user_does_not_work(leo: User, device: Authenticator) -> None:
    services.block(user=leo)

    _, client = sign_in_with(device)

    assert not is_signed_in(client)


def test_an_account_has_at_most_twenty_passkeys(leo: User) -> None:
    for number in range(20):
        Row.objects.create(
            user=leo,
            type="webauthn",
            data={"name": f"{number}", "id": f"k{number}", "party": "x", "credential": {"response": {}}},
        )
    client = browser_at_localhost()
    client.force_login(leo)
    client.post("/auth/prove", {"password": PASSWORD})

    answer = add_passkey(client, Authenticator())

    assert 'data-error="AUTH_PASSKEYS_FULL"' in answer.content.decode()
    assert Row.objects.count() == 20


# --- Lies -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "http://localhost:9999",
        "https://localhost:8000",
        "http://sub.localhost:8000",
        "http://localhost:8000.evil.example",
    ],
)
def test_another_origin_can_neither_add_a_passkey_nor_sign_in(leo: User, device: Authenticator, origin: str) -> None:
    device.origin = origin
    answer, client = sign_in_with(device)
    assert 'data-error="AUTH_PASSKEY_REFUSED"' in answer.content.decode()
    assert not is_signed_in(client)

    device.origin = Authenticator().origin
    sign_in_with(device, client)
    add_passkey(client, Authenticator(origin=origin))
    assert Row.objects.filter(type="webauthn").count() == 1


def test_another_relying_party_is_refused(leo: User, device: Authenticator) -> None:
    device.party = "evil.example"

    _, client = sign_in_with(device)

    assert not is_signed_in(client)


def test_a_forged_challenge_is_refused(leo: User, device: Authenticator) -> None:
    client = browser_at_localhost()
    options = request_sign_in_options(client)
    options["publicKey"]["challenge"] = "A" * 43

    send(client, "/auth/passkey", device.authenticate(options))

    assert not is_signed_in(client)


def test_a_challenge_accepts_one_response_even_a_wrong_one(leo: User, device: Authenticator) -> None:
    client = browser_at_localhost()
    options = request_sign_in_options(client)
    send(client, "/auth/passkey", {"nonsense": True})

    send(client, "/auth/passkey", device.authenticate(options))

    assert not is_signed_in(client)


def test_a_response_cannot_be_replayed(leo: User, device: Authenticator) -> None:
    client = browser_at_localhost()
    answer = device.authenticate(request_sign_in_options(client))
    send(client, "/auth/passkey", answer)
    assert is_signed_in(client)
    client.post("/auth/logout")

    for other in (client, browser_at_localhost()):
        send(other, "/auth/passkey", answer)
        assert not is_signed_in(other)


def test_only_one_of_two_parallel_uses_succeeds(leo: User, device: Authenticator) -> None:
    """Both requests have read the session with the challenge; the passkey has no counter to tell them apart."""
    from apps.accounts.errors import PasskeyRefused
    from apps.accounts.passkeys import relying_party

    device.counter = -1
    party = relying_party.site_relying_party()
    options, state = services.begin_passkey_verification(party=party)
    answer = device.authenticate(json.loads(json.dumps(options)))
    services.verify_passkey(answer=answer, state=state, party=party, now=timezone.now())

    with pytest.raises(PasskeyRefused):
        services.verify_passkey(answer=answer, state=state, party=party, now=timezone.now())


def test_a_response_from_another_session_is_refused(leo: User, device: Authenticator) -> None:
    """A victim's response, intercepted in transit, gives no access in another session."""
    caught = device.authenticate(request_sign_in_options(browser_at_localhost()))
    attacker = browser_at_localhost()
    request_sign_in_options(attacker)

    send(attacker, "/auth/passkey", caught)

    assert not is_signed_in(attacker)


def test_a_second_step_challenge_does_not_sign_in_without_a_password(leo: User, device: Authenticator) -> None:
    """The second step requires no user verification, so its challenge must not allow a sign-in without a password."""
    plain = Authenticator(verifies=False)
    _, home = sign_in_with(device)
    add_passkey(home, plain, "Key")
    client = browser_at_localhost()
    sign_in_again(client, leo)
    options = options_on_page(client, "/auth/second-step")

    send(client, "/auth/passkey", plain.authenticate(options))

    assert not is_signed_in(client)


def test_a_challenge_expires_after_five_minutes(leo: User, device: Authenticator) -> None:
    client = browser_at_localhost()
    answer = device.authenticate(request_sign_in_options(client))

    with time_machine.travel(timezone.now() + timedelta(minutes=5, seconds=1)):
        send(client, "/auth/passkey", answer)
        assert not is_signed_in(client)


def test_a_decreasing_counter_reveals_a_copied_passkey(leo: User, device: Authenticator) -> None:
    device.counter = 7
    sign_in_with(device)
    device.counter = 6  # the copy has been used less; its counter is now 7

    answer, client = sign_in_with(device)

    assert 'data-error="AUTH_PASSKEY_REFUSED"' in answer.content.decode()
    assert not is_signed_in(client)


def test_a_signature_by_another_key_is_refused(leo: User, device: Authenticator) -> None:
    forged = Authenticator(id=device.id, handle=device.handle, counter=10)

    _, client = sign_in_with(forged)

    assert not is_signed_in(client)


@pytest.mark.parametrize("part", ["signature", "authenticatorData", "clientDataJSON"])
def test_a_changed_bit_is_detected(leo: User, device: Authenticator, part: str) -> None:
    client = browser_at_localhost()
    answer = device.authenticate(request_sign_in_options(client))
    text = answer["response"][part]
    answer["response"][part] = text[:40] + ("A" if text[40] != "A" else "B") + text[41:]

    send(client, "/auth/passkey", answer)

    assert not is_signed_in(client)


@pytest.mark.parametrize(
    "nonsense",
    [
        "",
        "{",
        "null",
        "[]",
        "7",
        "{}",
        '{"id": 1}',
        '{"id": "AA", "rawId": "AA", "type": "public-key", "response": {}}',
        '{"id": "AA", "rawId": "AA", "type": "public-key", "response": null}',
        '{"id":"AA","rawId":"AA","type":"public-key","response":{"clientDataJSON":"e30","authenticatorData":"AA",'
        '"signature":"AA","userHandle":"AA","attestationObject":"oA"}}',
        "x" * 20_001,
        "[" * 10_000,
    ],
)
def test_malformed_input_is_refused_and_breaks_nothing(leo: User, device: Authenticator, nonsense: str) -> None:
    client = browser_at_localhost()
    request_sign_in_options(client)
    answer = client.post("/auth/passkey", {"credential": nonsense})
    assert 'data-error="AUTH_PASSKEY_REFUSED"' in answer.content.decode()

    sign_in_with(device, client)
    options_on_page(client, NEW)
    answer = client.post(NEW, {"credential": nonsense, "name": "x"})
    assert 'data-error="AUTH_PASSKEY_REFUSED"' in answer.content.decode()
    assert Row.objects.filter(type="webauthn").count() == 1


# --- Host and session -------------------------------------------------------------------------------


def test_an_ip_address_offers_no_passkey_but_links_to_the_host_name(leo: User) -> None:
    client = Client(HTTP_HOST="127.0.0.1:8000")
    sign_in_again(client, leo)

    assert 'href="http://localhost:8000/settings/security"' in client.get("/settings/security").content.decode()
    assert client.get(NEW)["Location"] == "/settings/security"
    assert client.post("/api/v1/auth/passkey/options/").json()["code"] == "AUTH_PASSKEY_REFUSED"
    assert "data-passkey" not in Client(HTTP_HOST="127.0.0.1:8000").get("/auth/login").content.decode()
    assert "data-passkey" in browser_at_localhost().get("/auth/login").content.decode()


@override_settings(SITE_URL="https://learn.example.com")
def test_a_foreign_host_name_is_not_a_relying_party(leo: User) -> None:
    for host in ("evil.example", "www.learn.example.com", "localhost:8000"):
        answer = Client(HTTP_HOST=host).post("/api/v1/auth/passkey/options/")
        assert answer.json()["code"] == "AUTH_PASSKEY_REFUSED"


@override_settings(SITE_URL="https://learn.example.com")
def test_the_host_name_of_the_site_is_the_relying_party() -> None:
    answer = Client(HTTP_HOST="learn.example.com").post("/api/v1/auth/passkey/options/", secure=True)

    assert answer.json()["publicKey"]["rpId"] == "learn.example.com"
    assert answer.json()["publicKey"]["userVerification"] == "required"
    assert not answer.json()["publicKey"].get("allowCredentials")


def test_another_site_cannot_request_options_for_a_visitor() -> None:
    strict = Client(enforce_csrf_checks=True, HTTP_HOST="localhost:8000")

    assert strict.post("/api/v1/auth/passkey/options/").status_code == 403
    assert strict.post("/auth/passkey", {"credential": "{}"}).status_code == 403


def test_requesting_options_creates_a_short_session_without_access() -> None:
    client = browser_at_localhost()
    request_sign_in_options(client)

    kept = BrowserSession.objects.get()
    assert kept.user is None
    assert kept.expire_date < timezone.now() + timedelta(minutes=11)
    assert client.get("/settings/")["Location"].startswith("/auth/login")


def test_a_browser_stays_signed_in_for_two_weeks(leo: User, device: Authenticator) -> None:
    """The short lifetime of the visitor's session must not apply after the sign-in."""
    _, client = sign_in_with(device, remember="on")

    assert BrowserSession.objects.get(user=leo, session_key=client.cookies["sessionid"].value).expire_date > (
        timezone.now() + timedelta(days=13)
    )
    assert client.cookies["sessionid"]["max-age"]


def test_a_session_without_remember_me_ends_when_the_browser_closes(leo: User, device: Authenticator) -> None:
    _, client = sign_in_with(device)

    assert is_signed_in(client)
    assert not client.cookies["sessionid"]["max-age"]


def test_the_email_field_offers_passkeys(client: Client) -> None:
    by_name, by_number = (str(one.get("/auth/login").content) for one in (browser_at_localhost(), client))

    assert 'autocomplete="username webauthn"' in by_name
    assert ' data-offer data-along="id_remember"' in by_name
    assert 'autocomplete="username"' in by_number


def test_opening_the_sign_in_page_often_does_not_use_up_sign_ins(leo: User, settings: Any) -> None:
    settings.RATE_LIMITS = settings.RATE_LIMITS | {"sign-in": (2, 300), "passkey": (4, 300)}
    client = browser_at_localhost()

    answers = [client.post("/api/v1/auth/passkey/options/").status_code for _ in range(5)]

    assert answers == [200, 200, 200, 200, 429]
    sign_in_again(client, leo)
    assert is_signed_in(client)


def test_a_challenge_for_one_purpose_cannot_be_used_for_another(leo: User, rf) -> None:
    from apps.accounts.errors import PasskeyRefused
    from apps.accounts.passkeys import challenge
    from apps.accounts.sessions.store import SessionStore

    request, now = rf.get("/"), timezone.now()
    request.session = SessionStore()
    challenge.store(request, "prove", {"challenge": "x"}, now=now, user=leo)

    with pytest.raises(PasskeyRefused):
        challenge.consume(request, "second-step", now=now, user=leo)
