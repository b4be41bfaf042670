"""Passkeys: added, proved and removed by an authenticator in Python, which then lies in every way we could think of.

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
from tests.accounts.test_two_factor import code_now, give_password, is_in, mails, turn_on
from tests.factories.accounts import PASSWORD

pytestmark = pytest.mark.django_db
NEW = "/settings/security/passkeys/new"


def browser() -> Client:
    return Client(HTTP_HOST="localhost:8000")


def signed_in(user: User) -> Client:
    """A browser in which the person has just typed the password."""
    client = browser()
    give_password(client, user)
    assert is_in(client)
    return client


def question_on(client: Client, address: str) -> dict[str, Any]:
    page = client.get(address).content.decode()
    return json.loads(unescape(re.search(r'data-question="([^"]+)"', page)[1]))


def asked_to_sign_in(client: Client) -> dict[str, Any]:
    answer = client.post("/api/v1/auth/passkey/options/")
    assert answer.status_code == 200, answer.content
    return answer.json()


def send(client: Client, address: str, answer: Any, **more: str):
    return client.post(address, {"credential": json.dumps(answer), **more})


def add(client: Client, device: Authenticator, name: str = "Laptop"):
    return send(client, NEW, device.make(question_on(client, NEW)), name=name)


def enter(device: Authenticator, client: Client | None = None, **more: str):
    client = client or browser()
    return send(client, "/auth/passkey", device.prove(asked_to_sign_in(client)), **more), client


@pytest.fixture
def device(leo: User) -> Authenticator:
    """Leo's, with a passkey that he has added."""
    made = Authenticator()
    add(signed_in(leo), made)
    assert Row.objects.filter(user=leo, type="webauthn").count() == 1
    return made


def row() -> Any:
    return Row.objects.get(type="webauthn")


# --- What works ------------------------------------------------------------------------------------


def test_the_first_passkey_brings_recovery_codes_and_a_mail(leo: User) -> None:
    done = add(signed_in(leo), Authenticator(), name="Blue key").content.decode()

    assert len(re.findall(r"<code>\d{4}-\d{4}</code>", done)) == 10
    assert mails("passkey was added: Blue key")
    assert row().data["name"] == "Blue key"


def test_a_passkey_alone_signs_in_and_leads_on(leo: User, device: Authenticator) -> None:
    answer, client = enter(device, next="/courses/")

    assert answer["Location"] == "/courses/"
    assert client.get("/api/v1/auth/session/").json()["user"]["email"] == leo.email
    assert row().last_used_at is not None


def test_it_is_the_second_step_after_the_password(leo: User, device: Authenticator) -> None:
    client = browser()
    assert give_password(client, leo, next="/courses/")["Location"] == "/auth/second-step?next=/courses/"
    assert not is_in(client)
    question = question_on(client, "/auth/second-step")
    assert [one["id"] for one in question["publicKey"]["allowCredentials"]] == [row().data["id"]]

    answer = send(client, "/auth/second-step", device.prove(question), next="/courses/")

    assert answer["Location"] == "/courses/"
    assert is_in(client)


def test_it_proves_who_is_there(leo: User, device: Authenticator) -> None:
    _, client = enter(device)
    with time_machine.travel(timezone.now() + timedelta(minutes=11)):
        assert client.get(NEW).status_code == 302
        answer = send(client, "/auth/prove", device.prove(question_on(client, "/auth/prove")), next=NEW)
        assert answer["Location"] == NEW
        assert client.get(NEW).status_code == 200


def test_renaming_and_removing(leo: User, device: Authenticator) -> None:
    _, client = enter(device)
    client.post(f"/settings/security/passkeys/{row().pk}/rename", {"name": "Old laptop"})
    assert "Passkey: Old laptop" in client.get("/settings/").content.decode()

    client.post(f"/settings/security/passkeys/{row().pk}/remove")

    assert not Row.objects.filter(user=leo).exists()  # nor the recovery codes, which stood in for it
    assert mails("passkey was removed")
    assert mails("Two-factor sign-in is off")
    again, other = enter(device)
    assert 'data-error="AUTH_PASSKEY_REFUSED"' in again.content.decode()
    assert not is_in(other)


def test_removing_one_of_two_keeps_the_other_and_the_codes(leo: User, device: Authenticator) -> None:
    _, client = enter(device)
    second = Authenticator()
    assert add(client, second, "Phone")["Location"].startswith("/settings/")
    first = Row.objects.get(data__name="Laptop")

    client.post(f"/settings/security/passkeys/{first.pk}/remove")

    assert services.factors_of(leo).codes_left == 10
    _, other = enter(second)
    assert is_in(other)


def test_a_name_is_one_line_and_not_empty(leo: User, device: Authenticator) -> None:
    _, client = enter(device)
    for name in ("", "a\nb", "x" * 61):
        answer = client.post(f"/settings/security/passkeys/{row().pk}/rename", {"name": name})
        assert answer.status_code == 422
    assert row().data["name"] == "Laptop"


def test_a_name_is_shown_as_text(leo: User, device: Authenticator) -> None:
    _, client = enter(device)
    client.post(f"/settings/security/passkeys/{row().pk}/rename", {"name": '"><script>alert(1)</script>'})

    assert "<script>alert" not in client.get("/settings/").content.decode()


def test_a_security_key_that_verifies_nobody_is_a_second_step_only(leo: User) -> None:
    plain = Authenticator(verifies=False)
    add(signed_in(leo), plain)

    answer, client = enter(plain)
    assert 'data-error="AUTH_PASSKEY_REFUSED"' in answer.content.decode()
    assert not is_in(client)

    give_password(client, leo)
    send(client, "/auth/second-step", plain.prove(question_on(client, "/auth/second-step")))
    assert is_in(client)


def test_passkeys_without_a_counter_work_again_and_again(leo: User, device: Authenticator) -> None:
    for _ in range(3):
        device.counter = -1  # counts up to 0, as synced passkeys say always
        _, client = enter(device)
        assert is_in(client)


# --- Whose ------------------------------------------------------------------------------------------


def test_a_visitor_adds_nothing(client: Client) -> None:
    assert client.post(NEW, {"name": "x", "credential": "{}"})["Location"].startswith("/auth/login")


def test_a_passkey_is_added_to_the_account_that_is_signed_in_whatever_the_form_says(leo: User, mia: User) -> None:
    client = signed_in(mia)
    more = {"user": str(leo.pk), "user_id": str(leo.uid), "email": leo.email}

    send(client, NEW, Authenticator().make(question_on(client, NEW)), name="Mine", **more)

    assert row().user == mia


def test_a_question_put_to_one_person_is_not_answered_for_another(leo: User, mia: User) -> None:
    """Leo leaves his browser; Mia signs in there and sends what his device had made."""
    client = signed_in(leo)
    made = Authenticator().make(question_on(client, NEW))
    kept = client.session["passkey"]
    give_password(client, mia)
    session = client.session
    session["passkey"] = kept  # even if it had survived the change
    session.save()

    send(client, NEW, made, name="x")

    assert not Row.objects.exists()


def test_a_passkey_is_not_the_second_step_of_another_user(leo: User, mia: User, device: Authenticator) -> None:
    turn_on(mia)
    add_for_mia = Authenticator()
    hers = browser()
    give_password(hers, mia)
    hers.post("/auth/second-step", {"code": code_now()})
    add(hers, add_for_mia)
    client = browser()
    give_password(client, mia)

    answer = send(client, "/auth/second-step", device.prove(question_on(client, "/auth/second-step")))

    assert 'data-error="AUTH_PASSKEY_REFUSED"' in answer.content.decode()
    assert not is_in(client)


def test_a_passkey_with_the_handle_of_another_user_signs_nobody_in(leo: User, mia: User, device: Authenticator) -> None:
    device.handle = mia.uid.bytes

    _, client = enter(device)

    assert not is_in(client)


def test_of_the_ways_to_a_device_only_names_are_kept(leo: User) -> None:
    client = signed_in(leo)
    answer = Authenticator().make(question_on(client, NEW))
    answer["response"]["transports"] = ["internal", "a\0b", "\ud800", 7, ["usb"], "x" * 40, "hybrid"]

    send(client, NEW, answer, name="Laptop")

    assert row().data["credential"]["response"]["transports"] == ["internal", "hybrid"]


def test_a_passkey_that_is_known_is_not_added_again(leo: User, mia: User, device: Authenticator) -> None:
    """Neither to the same account nor to the account of somebody who knows its public ID."""
    for person in (leo, mia):
        client = browser()
        if person == leo:
            enter(device, client)
        else:
            give_password(client, mia)
        answer = add(client, Authenticator(id=device.id))
        assert 'data-error="AUTH_PASSKEY_REFUSED"' in answer.content.decode()
    assert Row.objects.filter(type="webauthn").count() == 1


@pytest.mark.parametrize("action", ["rename", "remove"])
def test_an_unknown_passkey_is_refused(leo: User, mia: User, device: Authenticator, action: str) -> None:
    client = signed_in(mia)

    answer = client.post(f"/settings/security/passkeys/{row().pk}/{action}", {"name": "Hers"})

    assert answer.status_code == 404
    assert row().data["name"] == "Laptop"


def test_a_foreign_row_that_is_no_passkey_is_not_removed_as_one(leo: User) -> None:
    turn_on(leo)
    client = browser()
    give_password(client, leo)
    client.post("/auth/second-step", {"code": code_now()})
    app = Row.objects.get(type="totp")

    assert client.post(f"/settings/security/passkeys/{app.pk}/remove").status_code == 404
    assert Row.objects.filter(pk=app.pk).exists()


def test_the_passkey_of_a_blocked_user_does_not_work(leo: User, device: Authenticator) -> None:
    services.block(user=leo)

    _, client = enter(device)

    assert not is_in(client)


def test_an_account_has_twenty_at_most(leo: User) -> None:
    for number in range(20):
        Row.objects.create(
            user=leo,
            type="webauthn",
            data={"name": f"{number}", "id": f"k{number}", "party": "x", "credential": {"response": {}}},
        )
    client = browser()
    client.force_login(leo)
    client.post("/auth/prove", {"password": PASSWORD})

    answer = add(client, Authenticator())

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
def test_another_origin_is_refused_for_adding_and_for_signing_in(leo: User, device: Authenticator, origin: str) -> None:
    device.origin = origin
    answer, client = enter(device)
    assert 'data-error="AUTH_PASSKEY_REFUSED"' in answer.content.decode()
    assert not is_in(client)

    device.origin = Authenticator().origin
    enter(device, client)
    add(client, Authenticator(origin=origin))
    assert Row.objects.filter(type="webauthn").count() == 1


def test_another_party_is_refused(leo: User, device: Authenticator) -> None:
    device.party = "evil.example"

    _, client = enter(device)

    assert not is_in(client)


def test_a_challenge_of_one_s_own_making_is_refused(leo: User, device: Authenticator) -> None:
    client = browser()
    question = asked_to_sign_in(client)
    question["publicKey"]["challenge"] = "A" * 43

    send(client, "/auth/passkey", device.prove(question))

    assert not is_in(client)


def test_a_challenge_is_answered_once_even_if_the_first_answer_was_wrong(leo: User, device: Authenticator) -> None:
    client = browser()
    question = asked_to_sign_in(client)
    send(client, "/auth/passkey", {"nonsense": True})

    send(client, "/auth/passkey", device.prove(question))

    assert not is_in(client)


def test_an_answer_is_not_used_again(leo: User, device: Authenticator) -> None:
    client = browser()
    answer = device.prove(asked_to_sign_in(client))
    send(client, "/auth/passkey", answer)
    assert is_in(client)
    client.post("/auth/logout")

    for other in (client, browser()):
        send(other, "/auth/passkey", answer)
        assert not is_in(other)


def test_of_two_uses_at_once_the_row_decides(leo: User, device: Authenticator) -> None:
    """Both have read the session with the challenge in it; a passkey without a counter makes it harder."""
    from apps.accounts.errors import PasskeyRefused
    from apps.accounts.passkeys import relying_party

    device.counter = -1
    party = relying_party.site_relying_party()
    question, state = services.begin_passkey_verification(party=party)
    answer = device.prove(json.loads(json.dumps(question)))
    services.verify_passkey(answer=answer, state=state, party=party, now=timezone.now())

    with pytest.raises(PasskeyRefused):
        services.verify_passkey(answer=answer, state=state, party=party, now=timezone.now())


def test_an_answer_of_another_browser_s_session_is_refused(leo: User, device: Authenticator) -> None:
    """A victim's answer, caught on its way, opens nothing elsewhere."""
    caught = device.prove(asked_to_sign_in(browser()))
    attacker = browser()
    asked_to_sign_in(attacker)

    send(attacker, "/auth/passkey", caught)

    assert not is_in(attacker)


def test_a_challenge_for_one_purpose_is_no_answer_to_another(leo: User, device: Authenticator) -> None:
    """The second step asks for no verification: its challenge must not do for a sign-in without a password."""
    plain = Authenticator(verifies=False)
    _, home = enter(device)
    add(home, plain, "Key")
    client = browser()
    give_password(client, leo)
    question = question_on(client, "/auth/second-step")

    send(client, "/auth/passkey", plain.prove(question))

    assert not is_in(client)


def test_a_challenge_ends_after_five_minutes(leo: User, device: Authenticator) -> None:
    client = browser()
    answer = device.prove(asked_to_sign_in(client))

    with time_machine.travel(timezone.now() + timedelta(minutes=5, seconds=1)):
        send(client, "/auth/passkey", answer)
        assert not is_in(client)


def test_a_counter_that_runs_backwards_is_a_copy(leo: User, device: Authenticator) -> None:
    device.counter = 7
    enter(device)
    device.counter = 6  # the copy has been used less; it says 7 now

    answer, client = enter(device)

    assert 'data-error="AUTH_PASSKEY_REFUSED"' in answer.content.decode()
    assert not is_in(client)


def test_a_signature_by_another_key_is_refused(leo: User, device: Authenticator) -> None:
    forged = Authenticator(id=device.id, handle=device.handle, counter=10)

    _, client = enter(forged)

    assert not is_in(client)


@pytest.mark.parametrize("part", ["signature", "authenticatorData", "clientDataJSON"])
def test_a_changed_bit_is_noticed(leo: User, device: Authenticator, part: str) -> None:
    client = browser()
    answer = device.prove(asked_to_sign_in(client))
    text = answer["response"][part]
    answer["response"][part] = text[:40] + ("A" if text[40] != "A" else "B") + text[41:]

    send(client, "/auth/passkey", answer)

    assert not is_in(client)


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
def test_nonsense_is_refused_and_breaks_nothing(leo: User, device: Authenticator, nonsense: str) -> None:
    client = browser()
    asked_to_sign_in(client)
    answer = client.post("/auth/passkey", {"credential": nonsense})
    assert 'data-error="AUTH_PASSKEY_REFUSED"' in answer.content.decode()

    enter(device, client)
    question_on(client, NEW)
    answer = client.post(NEW, {"credential": nonsense, "name": "x"})
    assert 'data-error="AUTH_PASSKEY_REFUSED"' in answer.content.decode()
    assert Row.objects.filter(type="webauthn").count() == 1


# --- Where ------------------------------------------------------------------------------------------


def test_under_a_number_no_passkey_is_offered_but_the_name_is_told(leo: User) -> None:
    client = Client(HTTP_HOST="127.0.0.1:8000")
    give_password(client, leo)

    assert 'href="http://localhost:8000/settings/#security"' in client.get("/settings/").content.decode()
    assert client.get(NEW)["Location"] == "/settings/#security"
    assert client.post("/api/v1/auth/passkey/options/").json()["code"] == "AUTH_PASSKEY_REFUSED"
    assert "data-passkey" not in Client(HTTP_HOST="127.0.0.1:8000").get("/auth/login").content.decode()
    assert "data-passkey" in browser().get("/auth/login").content.decode()


@override_settings(SITE_URL="https://learn.example.com")
def test_a_foreign_host_name_is_no_party(leo: User) -> None:
    for host in ("evil.example", "www.learn.example.com", "localhost:8000"):
        answer = Client(HTTP_HOST=host).post("/api/v1/auth/passkey/options/")
        assert answer.json()["code"] == "AUTH_PASSKEY_REFUSED"


@override_settings(SITE_URL="https://learn.example.com")
def test_the_site_s_own_name_is_the_party() -> None:
    answer = Client(HTTP_HOST="learn.example.com").post("/api/v1/auth/passkey/options/", secure=True)

    assert answer.json()["publicKey"]["rpId"] == "learn.example.com"
    assert answer.json()["publicKey"]["userVerification"] == "required"
    assert not answer.json()["publicKey"].get("allowCredentials")


def test_another_site_cannot_ask_for_a_visitor() -> None:
    strict = Client(enforce_csrf_checks=True, HTTP_HOST="localhost:8000")

    assert strict.post("/api/v1/auth/passkey/options/").status_code == 403
    assert strict.post("/auth/passkey", {"credential": "{}"}).status_code == 403


def test_asking_leaves_a_session_that_goes_soon_and_opens_nothing() -> None:
    client = browser()
    asked_to_sign_in(client)

    kept = BrowserSession.objects.get()
    assert kept.user is None
    assert kept.expire_date < timezone.now() + timedelta(minutes=11)
    assert client.get("/settings/")["Location"].startswith("/auth/login")


def test_a_signed_in_browser_stays_so_for_two_weeks(leo: User, device: Authenticator) -> None:
    """The short life of the visitor's session must not be that of the sign-in."""
    _, client = enter(device, remember="on")

    assert BrowserSession.objects.get(user=leo, session_key=client.cookies["sessionid"].value).expire_date > (
        timezone.now() + timedelta(days=13)
    )
    assert client.cookies["sessionid"]["max-age"]


def test_who_does_not_tick_the_box_is_out_when_the_browser_closes(leo: User, device: Authenticator) -> None:
    _, client = enter(device)

    assert is_in(client)
    assert not client.cookies["sessionid"]["max-age"]


def test_passkeys_are_offered_where_the_email_is_typed(client: Client) -> None:
    by_name, by_number = (str(one.get("/auth/login").content) for one in (browser(), client))

    assert 'autocomplete="username webauthn"' in by_name
    assert ' data-offer data-along="id_remember"' in by_name
    assert 'autocomplete="username"' in by_number


def test_opening_the_sign_in_page_often_takes_no_sign_in_away(leo: User, settings: Any) -> None:
    settings.RATE_LIMITS = settings.RATE_LIMITS | {"sign-in": (2, 300), "passkey": (4, 300)}
    client = browser()

    answers = [client.post("/api/v1/auth/passkey/options/").status_code for _ in range(5)]

    assert answers == [200, 200, 200, 200, 429]
    give_password(client, leo)
    assert is_in(client)


def test_a_question_for_one_purpose_is_taken_for_no_other_of_the_same_person(leo: User, rf) -> None:
    from apps.accounts.errors import PasskeyRefused
    from apps.accounts.passkeys import challenge
    from apps.accounts.sessions.store import SessionStore

    request, now = rf.get("/"), timezone.now()
    request.session = SessionStore()
    challenge.store(request, "prove", {"challenge": "x"}, now=now, user=leo)

    with pytest.raises(PasskeyRefused):
        challenge.consume(request, "second-step", now=now, user=leo)
