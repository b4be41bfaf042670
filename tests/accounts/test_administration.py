"""Requests to teach, roles and blocked users."""

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Barrier, BrokenBarrierError

import pytest
from django.core import mail
from django.db import connection
from django.test import Client
from django.utils import timezone

from apps.accounts import services
from apps.accounts.errors import LastAdmin, RoleRequired, TeachingAlreadyDecided
from apps.accounts.models import BrowserSession, Notification, Role, TeachingRequest, User
from apps.accounts.services.teaching import AGAIN_AFTER
from studyplatform.kit import jobs
from studyplatform.kit.policies import enforce
from tests.factories.accounts import PASSWORD, UserFactory

pytestmark = pytest.mark.django_db
REASON = "I have taught hydrology for twelve years and want to bring my field course here."


@pytest.fixture
def admin_browser(browser_of: Callable[[User], Client], sam: User) -> Client:
    return browser_of(sam)


def request_to_teach(browser: Client, reason: str = REASON):
    return browser.post("/settings/teaching", {"reason": reason})


def block_one(user: User) -> None:
    services.block(user=user)


def decide_request(admin_browser: Client, pending: TeachingRequest, decision: str, answer: str = ""):
    return admin_browser.post(f"/dashboard/admin/teaching/{pending.uid}", {"decision": decision, "answer": answer})


def test_actions_that_change_a_user_look_like_buttons(admin_browser: Client, leo: User, mia: User) -> None:
    services.block(user=mia)
    page = admin_browser.get("/dashboard/admin/people").content.decode()

    assert {"Save", "Block", "Unblock"} == {
        words
        for look, words in re.findall(r'<(?:button|summary) class="([^"]*)"[^>]*>(\w+)</', page)
        if "btn" in look.split() and words in {"Save", "Block", "Unblock"}
    }
    assert not re.search(r'<(?:button|summary) class="link[^>]*>(?:Save|Block|Unblock)</', page)


def test_an_admin_approves_a_request_to_teach(
    browser_of: Callable[[User], Client], leo: User, admin_browser: Client
) -> None:
    User.objects.filter(pk=leo.pk).update(email_verified_at=timezone.now())
    browser = browser_of(leo)
    assert request_to_teach(browser)["Location"] == "/settings/teaching?saved=1"
    pending = TeachingRequest.objects.get()
    assert Notification.objects.filter(user__role="admin", kind="account.teaching_asked").count() == 1
    assert REASON in admin_browser.get("/dashboard/admin/teaching").content.decode()
    assert browser.get("/dashboard/instructor/").status_code == 302

    decide_request(admin_browser, pending, "approve", "Welcome!")
    jobs.run_pending("default")

    leo.refresh_from_db()
    assert leo.role == Role.INSTRUCTOR
    assert browser.get("/dashboard/instructor/").status_code == 200
    assert any("Welcome!" in message.body for message in mail.outbox if message.to == [leo.email])


def test_a_refusal_gives_a_reason_and_blocks_new_requests_for_a_week(
    browser_of: Callable[[User], Client], leo: User, admin_browser: Client
) -> None:
    browser = browser_of(leo)
    request_to_teach(browser)
    pending = TeachingRequest.objects.get()
    assert "Explain why" in decide_request(admin_browser, pending, "decline").content.decode()
    decide_request(admin_browser, pending, "decline", "Tell us which course you have in mind.")

    leo.refresh_from_db()
    assert leo.role == Role.STUDENT
    assert "Tell us which course" in browser.get("/settings/teaching").content.decode()
    assert 'data-error="TEACHING_ALREADY_ASKED"' in request_to_teach(browser).content.decode()
    TeachingRequest.objects.update(decided_at=timezone.now() - AGAIN_AFTER)
    assert request_to_teach(browser).status_code == 302


@pytest.mark.parametrize("reason", ["", "Please.", "x" * 2001])
def test_a_request_requires_a_reason(browser_of: Callable[[User], Client], leo: User, reason: str) -> None:
    assert request_to_teach(browser_of(leo), reason).status_code == 422
    assert not TeachingRequest.objects.exists()


@pytest.mark.database
def test_only_the_first_of_two_decisions_counts(leo: User, sam: User) -> None:
    pending = services.request_to_teach(user=leo, reason=REASON, now=timezone.now())
    services.decide_teaching_request(uid=pending.uid, by=sam, is_approved=False, answer="No", now=timezone.now())

    with pytest.raises(TeachingAlreadyDecided):
        services.decide_teaching_request(uid=pending.uid, by=sam, is_approved=True, answer="", now=timezone.now())

    leo.refresh_from_db()
    assert leo.role == Role.STUDENT


def test_an_approved_user_is_notified_once(
    browser_of: Callable[[User], Client], leo: User, admin_browser: Client
) -> None:
    User.objects.filter(pk=leo.pk).update(email_verified_at=timezone.now())
    request_to_teach(browser_of(leo))

    decide_request(admin_browser, TeachingRequest.objects.get(), "approve")
    jobs.run_pending("default")

    assert list(Notification.objects.of(leo).values_list("kind", flat=True)) == ["account.teaching_approved"]
    assert [message.subject for message in mail.outbox if message.to == [leo.email]] == ["You can now teach"]


def test_a_user_cannot_approve_their_own_request(browser_of: Callable[[User], Client], leo: User, ada: User) -> None:
    pending = services.request_to_teach(user=leo, reason=REASON, now=timezone.now())

    for user in (leo, ada):
        assert decide_request(browser_of(user), pending, "approve")["Location"] == "/"

    leo.refresh_from_db()
    assert leo.role == Role.STUDENT


# --- Users -------------------------------------------------------------------------------------


def test_searching_and_paging_users_takes_few_queries(
    admin_browser: Client, leo: User, django_assert_max_num_queries
) -> None:
    User.objects.bulk_create(User(username=f"p{n}", email=f"p{n}@example.com") for n in range(1000))

    with django_assert_max_num_queries(6):
        page = admin_browser.get("/dashboard/admin/people").content.decode()
    assert "1,002" in page or "1002" in page
    assert ">Students</a>" in page
    found = admin_browser.get("/dashboard/admin/people", {"q": "marsh leo"}).content.decode()
    assert leo.email in found
    assert "p77@example.com" not in found
    assert "No one matches." in admin_browser.get("/dashboard/admin/people", {"q": "zyzzyva"}).content.decode()


def test_an_admin_grants_and_removes_a_role(admin_browser: Client, leo: User) -> None:
    for role in ("instructor", "student"):
        admin_browser.post(f"/dashboard/admin/people/{leo.uid}/role", {"role": role})
        leo.refresh_from_db()
        assert leo.role == role
    admin_browser.post(f"/dashboard/admin/people/{leo.uid}/role", {"role": "emperor"})
    leo.refresh_from_db()
    assert leo.role == "student"


def test_a_blocked_user_is_signed_out_at_once_and_listed(
    admin_browser: Client, browser_of: Callable[[User], Client], leo: User
) -> None:
    browser = browser_of(leo)
    admin_browser.post(f"/dashboard/admin/people/{leo.uid}/block", {"reason": ""})
    assert browser.get("/settings/").status_code == 200

    admin_browser.post(f"/dashboard/admin/people/{leo.uid}/block", {"reason": "Sells answers"})

    assert browser.get("/settings/").status_code == 302
    assert not BrowserSession.objects.filter(user=leo).exists()
    page = admin_browser.get("/dashboard/admin/people", {"show": "blocked"}).content.decode()
    assert "Sells answers" in page
    admin_browser.post(f"/dashboard/admin/people/{leo.uid}/unblock")
    leo.refresh_from_db()
    assert (leo.is_active, leo.block_reason) == (True, "")


def test_admins_cannot_remove_their_own_access(admin_browser: Client, sam: User) -> None:
    admin_browser.post(f"/dashboard/admin/people/{sam.uid}/block", {"reason": "Oops"})
    admin_browser.post(f"/dashboard/admin/people/{sam.uid}/role", {"role": "student"})

    sam.refresh_from_db()
    assert (sam.is_active, sam.role) == (True, "admin")


@pytest.mark.parametrize("ousted", [lambda one: services.change_role(user=one, role=Role.STUDENT), block_one])
def test_one_admin_remains_when_two_block_each_other(sam: User, ousted: Callable[[User], None]) -> None:
    other = UserFactory(role=Role.ADMIN)
    ousted(other)

    with pytest.raises(LastAdmin):
        ousted(sam)

    assert User.objects.get(role=Role.ADMIN, is_active=True) == sam


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
def test_one_admin_remains_when_two_delete_their_accounts_at_once(sam: User, monkeypatch: pytest.MonkeyPatch) -> None:
    both = Barrier(2)

    def wait_after_check(verdict: object) -> None:
        enforce(verdict)  # type: ignore[arg-type]
        with suppress(BrokenBarrierError):
            both.wait(0.5)

    def delete_account(user: User) -> bool:
        try:
            services.delete_account(user=user, password=PASSWORD, browser="", now=timezone.now())
        except LastAdmin:
            return False
        finally:
            connection.close()
        return True

    monkeypatch.setattr("apps.accounts.services.account_deletion.enforce", wait_after_check)
    with ThreadPoolExecutor(2) as pool:
        left = list(pool.map(delete_account, [sam, UserFactory(role=Role.ADMIN)]))

    assert sorted(left) == [False, True]


@pytest.mark.parametrize("way", ["role", "block", "unblock"])
def test_only_admins_can_manage_users(
    browser_of: Callable[[User], Client], leo: User, ada: User, client: Client, way: str
) -> None:
    address = f"/dashboard/admin/people/{leo.uid}/{way}"
    given = {"role": "admin", "reason": "x"}

    assert client.post(address, given)["Location"].startswith("/auth/login")
    for user in (leo, ada):
        assert browser_of(user).post(address, given)["Location"] == "/"
    leo.refresh_from_db()
    assert (leo.role, leo.is_active) == ("student", True)


def test_only_an_admin_can_decide_a_request_to_teach(leo: User, ada: User) -> None:
    pending = services.request_to_teach(user=leo, reason="I teach chemistry at a school. " * 3, now=timezone.now())

    with pytest.raises(RoleRequired):
        services.decide_teaching_request(uid=pending.uid, by=ada, is_approved=True, answer="", now=timezone.now())

    leo.refresh_from_db()
    assert not leo.can_teach
