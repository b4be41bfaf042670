"""Changing how to sign in, and downloading all data, require a recent proof of identity."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.core.files.base import ContentFile
from django.test import Client
from django.utils import timezone

from apps.accounts import services
from apps.accounts.models import DataExport, EmailVerification, User
from studyplatform.kit import jobs
from tests.accounts.provider import configured
from tests.factories.accounts import PASSWORD

pytestmark = pytest.mark.django_db
NEW = "BrightLake27"


@pytest.fixture
def iris(mia: User, settings: Any) -> User:
    """Return a user who registered through a provider and has no password."""
    settings.SIGN_IN_PROVIDERS = [configured("https://login.example")]
    mia.set_unusable_password()
    mia.save()
    SocialAccount.objects.create(user=mia, provider="school", uid="iris-1", extra_data={})
    SocialAccount.objects.create(user=mia, provider="other", uid="iris-2", extra_data={})
    Authenticator.objects.create(user=mia, type=Authenticator.Type.TOTP, data={"secret": "x"})
    export = DataExport(user=mia, state=DataExport.State.READY, created_at=timezone.now())
    export.expires_at = timezone.now() + timedelta(days=1)
    export.file.save("archive.zip", ContentFile(b"all of it"))
    return mia


def recently_authenticated(browser: Client, ago: timedelta = timedelta()) -> Client:
    session = browser.session
    session["proved_at"] = (timezone.now() - ago).isoformat()
    session.save()
    return browser


def archive(user: User) -> str:
    return f"/settings/privacy/export/{DataExport.objects.get(user=user).uid}"


def other_link(user: User) -> str:
    return f"/settings/connections/{SocialAccount.objects.get(user=user, provider='other').pk}/unlink"


def passkey_of(user: User) -> str:
    row = Authenticator.objects.create(user=user, type=Authenticator.Type.WEBAUTHN, data={"name": "Key"})
    return f"/settings/security/passkeys/{row.pk}/remove"


# The actions: an address, and a form (None: the page is only opened).
ACTIONS: dict[str, tuple[Callable[[User], str], dict[str, str] | None]] = {
    "delete the account": (lambda user: "/settings/privacy/delete", {"sure": "on"}),
    "request all data": (lambda user: "/settings/privacy/export", {}),
    "download all data": (archive, None),
    "change the email": (lambda user: "/settings/email", {"email": "iris@new.example"}),
    "set a first password": (lambda user: "/settings/password", {"password": NEW, "confirmation": NEW}),
    "link a provider": (lambda user: "/settings/connections/link/github", {}),
    "unlink a provider": (other_link, {}),
    "set up an app": (lambda user: "/settings/security/app", None),
    "remove the app": (lambda user: "/settings/security/app/remove", {}),
    "create recovery codes": (lambda user: "/settings/security/codes", {}),
    "turn two-factor off": (lambda user: "/settings/security/off", {}),
    "add a passkey": (lambda user: "/settings/security/passkeys/new", None),
    "remove a passkey": (passkey_of, {}),
}


def perform(action: str, browser: Client, user: User) -> Any:
    address, form = ACTIONS[action][0](user), ACTIONS[action][1]
    jobs.run_pending("default")
    return browser.get(address) if form is None else browser.post(address, form)


def stored_values(user: User) -> list[Any]:
    """Return the values that the actions could change, without the rows that prepare an action."""
    own = (DataExport, EmailVerification, SocialAccount)
    rows = [list(model.objects.filter(user=user).values()) for model in own]
    codes = Authenticator.objects.filter(user=user).exclude(type=Authenticator.Type.WEBAUTHN)
    return [*rows, list(codes.values()), list(User.objects.filter(pk=user.pk).values())]


@pytest.mark.parametrize("ago", [None, timedelta(minutes=10, seconds=1)], ids=["never authenticated", "long ago"])
@pytest.mark.parametrize("action", ACTIONS)
def test_a_session_without_recent_proof_changes_nothing(
    action: str, ago: timedelta | None, iris: User, browser_of: Callable[[User], Client]
) -> None:
    browser, before = browser_of(iris), stored_values(iris)
    if ago:
        recently_authenticated(browser, ago)

    answer = perform(action, browser, iris)

    assert answer.status_code == 302
    assert answer["Location"].startswith("/auth/prove?next=")
    assert stored_values(iris) == before


def test_reauthentication_redirects_to_a_page_and_not_to_a_file(
    iris: User, browser_of: Callable[[User], Client]
) -> None:
    for action in ("request all data", "download all data"):
        assert perform(action, browser_of(iris), iris)["Location"] == "/auth/prove?next=/settings/privacy"


def test_a_reauthenticated_user_without_a_password_can_continue(
    iris: User, browser_of: Callable[[User], Client]
) -> None:
    browser = recently_authenticated(browser_of(iris))
    page = browser.get("/settings/password").content.decode()
    assert 'autocomplete="current-password"' not in page
    assert "Set password" in page

    assert b"all of it" in b"".join(perform("download all data", browser, iris).streaming_content)
    assert perform("change the email", browser, iris)["Location"] == "/settings/profile"
    assert services.pending_email(iris) == "iris@new.example"
    assert perform("request all data", browser, iris)["Location"].startswith("/settings/privacy?saved")
    assert perform("unlink a provider", browser, iris)["Location"].startswith("/settings/connections?saved")
    assert perform("delete the account", browser, iris)["Location"] == "/"
    iris.refresh_from_db()
    assert iris.deleted_at


def test_a_first_password_is_set_once_and_then_required(iris: User, browser_of: Callable[[User], Client]) -> None:
    browser, other = recently_authenticated(browser_of(iris)), browser_of(iris)
    weak = browser.post("/settings/password", {"password": "password", "confirmation": "password"})
    assert weak.status_code == 422

    assert perform("set a first password", browser, iris)["Location"] == "/settings/password?saved=1"

    iris.refresh_from_db()
    assert iris.check_password(NEW)
    assert other.get("/settings/").status_code == 302
    again = perform("set a first password", browser, iris)
    assert "Enter your current password." in again.content.decode()


@pytest.mark.parametrize(
    ("address", "form"),
    [
        ("/settings/privacy/delete", {"sure": "on"}),
        ("/settings/email", {"email": "leo@new.example"}),
        ("/settings/password", {"password": NEW, "confirmation": NEW}),
    ],
)
@pytest.mark.parametrize("name", ["password", "current"])
def test_reauthentication_does_not_replace_the_password(
    address: str, form: dict[str, str], name: str, leo: User, browser_of: Callable[[User], Client]
) -> None:
    browser, before = recently_authenticated(browser_of(leo)), stored_values(leo)

    for given in ({}, {name: ""}, {name: "WrongGuess1"}):
        assert browser.post(address, form | given).status_code == 422

    assert stored_values(leo) == before


def test_a_user_with_a_password_enters_it_before_the_download(leo: User, browser_of: Callable[[User], Client]) -> None:
    browser, thief = browser_of(leo), browser_of(leo)
    assert browser.post("/settings/privacy/export")["Location"].startswith("/auth/prove")
    browser.post("/auth/prove", {"password": PASSWORD})

    assert browser.post("/settings/privacy/export")["Location"].startswith("/settings/privacy?saved")
    jobs.run_pending("default")
    assert thief.get(archive(leo))["Location"].startswith("/auth/prove")
    assert browser.get(archive(leo)).status_code == 200
