"""Personal tokens in the settings: created, shown once, listed, revoked, limited, ended with the account's access."""

import re
from collections.abc import Callable
from datetime import timedelta
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone

from apps.accounts import services
from apps.accounts.errors import PersonalTokenExpired, PersonalTokenInvalid, PersonalTokenLimitReached
from apps.accounts.errors import PersonalTokenRevoked as Revoked
from apps.accounts.models import PersonalToken, Scope, User
from apps.accounts.services.personal_tokens import MOST
from tests.accounts.test_reauthentication import recently_authenticated
from tests.accounts.test_reset_password import NEW as NEW_PASSWORD
from tests.factories.accounts import PASSWORD
from tests.factories.tokens import make_token

pytestmark = pytest.mark.django_db

NEW = {"name": "Notebook in the library", "days": "90", "scopes": ["courses:read", "notes:write"]}


@pytest.fixture
def browser(browser_of: Callable[[User], Client], leo: User) -> Client:
    return recently_authenticated(browser_of(leo))


def use(token: str) -> PersonalToken:
    return services.use_personal_token(token=token, now=timezone.now())


def shown_token(text: str) -> str:
    [token] = re.findall(r'<code id="token"[^>]*>([^<]+)</code>', text)
    return str(token)


def test_a_token_is_shown_once_and_only_its_hash_is_stored(browser: Client, leo: User) -> None:
    answer = browser.post("/settings/tokens/new", NEW)
    token = shown_token(answer.content.decode())
    row = use(token)

    assert (row.user, row.name, row.scopes) == (leo, NEW["name"], NEW["scopes"])
    assert row.expires_at is not None
    assert timedelta(days=89) < row.expires_at - timezone.now() < timedelta(days=91)
    assert "no-store" in answer["Cache-Control"]
    assert token not in str(PersonalToken.objects.values())
    name = str(NEW["name"])
    page = browser.get("/settings/tokens").content.decode()
    assert name in page
    assert token not in page
    assert row.token_hash not in page


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ({"name": ""}, "name"),
        ({"name": "two\nlines"}, "name"),
        ({"name": "x" * 61}, "name"),
        ({"days": ""}, "days"),
        ({"days": "100000"}, "days"),
        ({"scopes": []}, "scopes"),
        ({"scopes": ["everything"]}, "scopes"),
    ],
)
def test_a_wrong_form_creates_nothing_and_keeps_what_was_entered(
    browser: Client, change: dict[str, object], wrong: str
) -> None:
    answer = browser.post("/settings/tokens/new", {**NEW, **change})

    assert answer.status_code == 422
    assert re.findall(r'id="id_(\w+)-e"', answer.content.decode()) == [wrong]
    assert not PersonalToken.objects.exists()
    if wrong != "scopes":
        assert re.search(r'value="notes:write" checked', answer.content.decode())


def test_a_token_needs_a_recent_sign_in(browser_of: Callable[[User], Client], leo: User) -> None:
    answer = browser_of(leo).post("/settings/tokens/new", NEW)

    assert answer["Location"].startswith("/auth/prove")
    assert not PersonalToken.objects.exists()


def test_a_token_can_last_forever_and_expired_ones_are_refused(leo: User) -> None:
    now = timezone.now()
    forever = make_token(leo, lifetime=None)[1]
    old = make_token(leo, lifetime=timedelta(days=30), now=now - timedelta(days=30))[1]

    assert services.use_personal_token(token=forever, now=now + timedelta(days=9999)).user == leo
    with pytest.raises(PersonalTokenExpired):
        use(old)
    with pytest.raises(PersonalTokenInvalid):
        use("study_" + "x" * 43)


def test_revoking_asks_first_and_works_at_once(browser: Client, leo: User) -> None:
    row, token = make_token(leo)
    asked = browser.get(f"/settings/tokens/{row.uid}/revoke")

    assert "Desk assistant" in asked.content.decode()
    assert use(token)
    assert browser.post(f"/settings/tokens/{row.uid}/revoke").status_code == 302
    with pytest.raises(Revoked):
        use(token)
    assert browser.post(f"/settings/tokens/{row.uid}/revoke").status_code == 404
    assert "Desk assistant" not in browser.get("/settings/tokens").content.decode().replace("“Desk assistant” was", "")


def test_nobody_revokes_the_token_of_someone_else(browser_of: Callable[[User], Client], leo: User, mia: User) -> None:
    row, token = make_token(leo)

    assert browser_of(mia).post(f"/settings/tokens/{row.uid}/revoke").status_code == 404
    assert browser_of(mia).get(f"/settings/tokens/{uuid4()}/revoke").status_code == 404
    assert use(token).user == leo


def test_the_number_of_tokens_is_limited(browser: Client, leo: User) -> None:
    now = timezone.now()
    make_token(leo, lifetime=timedelta(days=1), now=now - timedelta(days=2))  # expired ones don't count
    rows = [make_token(leo)[0] for _ in range(MOST)]
    answer = browser.post("/settings/tokens/new", NEW)

    assert answer.status_code == 409
    assert 'data-error="PERSONAL_TOKEN_LIMIT_REACHED"' in answer.content.decode()
    assert f'value="{NEW["name"]}"' in answer.content.decode()
    services.revoke_personal_token(user=leo, uid=rows[0].uid, now=now)
    make_token(leo)
    with pytest.raises(PersonalTokenLimitReached):
        make_token(leo)


def test_a_new_password_and_a_block_revoke_all_tokens(browser: Client, leo: User, mia: User) -> None:
    token, theirs = make_token(leo)[1], make_token(mia)[1]
    browser.post("/settings/password", {"current": PASSWORD, **NEW_PASSWORD})
    with pytest.raises(Revoked):
        use(token)
    assert use(theirs)
    services.block(user=mia)
    with pytest.raises(Revoked):
        use(theirs)


def test_the_token_of_an_inactive_user_is_refused(leo: User) -> None:
    token = make_token(leo)[1]
    User.objects.filter(pk=leo.pk).update(is_active=False)

    with pytest.raises(Revoked):
        use(token)


def test_ended_tokens_are_deleted_in_time(leo: User) -> None:
    now = timezone.now()
    row = make_token(leo)[0]
    make_token(leo, lifetime=None)
    services.revoke_personal_token(user=leo, uid=row.uid, now=now)
    services.clean_up(now=now + timedelta(days=89))
    assert PersonalToken.objects.count() == 2
    services.clean_up(now=now + timedelta(days=91))

    assert PersonalToken.objects.get().expires_at is None


def test_the_list_is_paged_within_a_query_budget(
    browser: Client, leo: User, django_assert_max_num_queries: Callable[..., object]
) -> None:
    now = timezone.now()
    for number in reversed(range(25)):
        made = now - timedelta(days=2 * number + 2)
        make_token(leo, name=f"Token {number:02}", lifetime=timedelta(days=1), now=made)
    browser.get("/settings/tokens")
    with django_assert_max_num_queries(5):
        page = browser.get("/settings/tokens").content.decode()

    assert len(re.findall(r"Token \d\d", page)) == 20  # ten names, each also for screen readers
    assert "?page=3" in page


def test_scopes_are_stored_in_one_order(leo: User) -> None:
    row, _ = make_token(leo, [Scope.WRITE_NOTES, Scope.READ_COURSES])

    assert row.scopes == ["courses:read", "notes:write"]
