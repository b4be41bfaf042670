"""Every change to a sign-in method notifies its user, on the site and by email, and no one else."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import ip_network
from typing import Any

import pytest
from allauth.mfa.models import Authenticator as Row
from allauth.socialaccount.models import SocialAccount
from django.core import mail
from django.test import Client

from apps.accounts import services
from apps.accounts.kinds import KINDS
from apps.accounts.models import Notification, User
from studyplatform.kit import jobs
from tests.accounts.authenticator import Authenticator
from tests.accounts.test_passkeys import add_passkey
from tests.accounts.test_passkeys import browser_signed_in as browser_at_localhost
from tests.accounts.test_reauthentication import recently_authenticated
from tests.accounts.test_reset_password import NEW, link_for
from tests.accounts.test_two_factor import sign_in_again, turn_on_two_factor
from tests.factories.accounts import PASSWORD
from tests.factories.tokens import make_token

pytestmark = pytest.mark.django_db


def authenticated_browser(user: User) -> Client:
    browser = Client()
    browser.force_login(user)
    return recently_authenticated(browser)


def new_device(leo: User) -> None:
    sign_in_again(Client(), leo)
    proxied = {"REMOTE_ADDR": "10.0.0.2", "HTTP_X_FORWARDED_FOR": "203.0.113.1, 198.51.100.7"}
    sign_in_again(Client(**proxied), leo)


def email_changed(leo: User) -> None:
    desk = authenticated_browser(leo)
    desk.post("/settings/email", {"email": "leo@new.example", "password": PASSWORD})
    jobs.run_pending("default")
    link = next(found for sent in mail.outbox if (found := re.search(r"confirm\?key=(\S+)", str(sent.body))))
    desk.post("/settings/email/confirm", {"key": link[1]})


def app_removed(leo: User) -> None:
    turn_on_two_factor(leo)
    Row.objects.create(user=leo, type=Row.Type.WEBAUTHN, data={"name": "Key"})
    authenticated_browser(leo).post("/settings/security/app/remove")


def post_with_two_factor(address: str) -> Callable[[User], Any]:
    return lambda leo: (turn_on_two_factor(leo), authenticated_browser(leo).post(address))


def code_used(leo: User) -> None:
    code, browser = turn_on_two_factor(leo)[0], Client()
    sign_in_again(browser, leo)
    browser.post("/auth/second-step", {"code": code})


def codes_locked(leo: User) -> None:
    turn_on_two_factor(leo)
    browser = Client()
    sign_in_again(browser, leo)
    for _ in range(5):
        browser.post("/auth/second-step", {"code": "00000000"})


def passkey_removed(leo: User) -> None:
    browser = browser_at_localhost(leo)
    add_passkey(browser, Authenticator(), "Old laptop")
    browser.post(f"/settings/security/passkeys/{Row.objects.get(type='webauthn').pk}/remove")


def linked(leo: User) -> None:
    services.link_identity(user=leo, provider="school", uid="leo-1", email=leo.email, title="Field School")


def unlinked(leo: User) -> None:
    linked(leo)
    authenticated_browser(leo).post(f"/settings/connections/{SocialAccount.objects.get().pk}/unlink")


@dataclass(frozen=True)
class Event:
    """An action, the kind of its notification, and words that occur only in the email about this event."""

    act: Callable[[User], Any]
    kind: str
    words: str = ""


EVENTS = {
    "new device": Event(new_device, "new_device", "198.51.100.7"),
    "password changed": Event(
        lambda leo: authenticated_browser(leo).post("/settings/password", {"current": PASSWORD, **NEW}),
        "password_changed",
    ),
    "password reset by email": Event(lambda leo: Client().post(link_for(leo), NEW), "password_changed"),
    "email changed": Event(email_changed, "email_changed", "leo@new.example"),
    "app set up": Event(turn_on_two_factor, "two_factor_on"),
    "app replaced": Event(lambda leo: (turn_on_two_factor(leo), turn_on_two_factor(leo)), "app_replaced"),
    "app removed while a passkey remains": Event(app_removed, "app_removed"),
    "app removed": Event(post_with_two_factor("/settings/security/app/remove"), "two_factor_off"),
    "two-factor off": Event(post_with_two_factor("/settings/security/off"), "two_factor_off"),
    "two-factor reset": Event(
        lambda leo: (turn_on_two_factor(leo), services.turn_off_two_factor(user=leo, by_admin=True)),
        "second_step_reset",
    ),
    "recovery codes regenerated": Event(post_with_two_factor("/settings/security/codes"), "recovery_codes_made"),
    "recovery code used": Event(code_used, "recovery_code_used", "Codes left: 9."),
    "codes locked": Event(codes_locked, "codes_locked"),
    "passkey added": Event(
        lambda leo: add_passkey(browser_at_localhost(leo), Authenticator(), "Laptop"), "passkey_added", "Laptop"
    ),
    "passkey removed": Event(passkey_removed, "passkey_removed", "Old laptop"),
    "personal token created": Event(lambda leo: make_token(leo, name="Notebook"), "token_created", "Notebook"),
    "provider linked": Event(linked, "linked", "Field School"),
    "provider unlinked": Event(unlinked, "unlinked"),
}


@pytest.mark.parametrize("name", EVENTS)
def test_the_user_is_notified(
    name: str, leo: User, mia: User, settings: Any, django_capture_on_commit_callbacks: Callable[..., Any]
) -> None:
    settings.TRUSTED_PROXIES = [ip_network("10.0.0.0/8")]
    event, address = EVENTS[name], leo.email

    with django_capture_on_commit_callbacks(execute=True):
        event.act(leo)
    jobs.run_pending("default")

    [told] = Notification.objects.filter(kind=f"account.{event.kind}")
    assert (told.user, told.in_app, told.read_at) == (leo, True, None)
    headline, text, _ = KINDS[told.kind].words(told.params)
    [sent] = [one for one in mail.outbox if one.subject == headline]
    assert sent.to == [address]
    assert "If this wasn't you" in str(sent.body)
    assert event.words in f"{headline} {text}"
    assert not Notification.objects.exclude(user=leo).exists()
    assert mia.email not in str([one.to for one in mail.outbox])


def test_every_kind_of_security_event_is_tested() -> None:
    elsewhere = {"billing.payout_account"}  # tests/billing/test_payouts.py
    here = {f"account.{one.kind}" for one in EVENTS.values()}
    assert {kind for kind in KINDS if KINDS[kind].is_security} == here | elsewhere
