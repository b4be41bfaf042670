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
def desk(browser_of: Callable[[User], Client], sam: User) -> Client:
    return browser_of(sam)


def ask(browser: Client, reason: str = REASON):
    return browser.post("/settings/teaching", {"reason": reason})


def block_one(user: User) -> None:
    services.block(user=user)


def decide(desk: Client, asked: TeachingRequest, decision: str, answer: str = ""):
    return desk.post(f"/dashboard/admin/teaching/{asked.uid}", {"decision": decision, "answer": answer})


def test_what_changes_a_person_looks_like_a_button(desk: Client, leo: User, mia: User) -> None:
    services.block(user=mia)
    page = desk.get("/dashboard/admin/people").content.decode()

    assert {"Save", "Block", "Unblock"} == {
        words
        for look, words in re.findall(r'<(?:button|summary) class="([^"]*)"[^>]*>(\w+)</', page)
        if "btn" in look.split() and words in {"Save", "Block", "Unblock"}
    }
    assert not re.search(r'<(?:button|summary) class="link[^>]*>(?:Save|Block|Unblock)</', page)


def test_a_student_asks_and_an_admin_approves(browser_of: Callable[[User], Client], leo: User, desk: Client) -> None:
    User.objects.filter(pk=leo.pk).update(email_verified_at=timezone.now())
    browser = browser_of(leo)
    assert ask(browser)["Location"] == "/settings/?saved=teaching#teaching"
    asked = TeachingRequest.objects.get()
    assert Notification.objects.filter(user__role="admin", kind="account.teaching_asked").count() == 1
    assert REASON in desk.get("/dashboard/admin/teaching").content.decode()
    assert browser.get("/dashboard/instructor/").status_code == 302

    decide(desk, asked, "approve", "Welcome!")
    jobs.run_pending("default")

    leo.refresh_from_db()
    assert leo.role == Role.INSTRUCTOR
    assert browser.get("/dashboard/instructor/").status_code == 200
    assert any("Welcome!" in message.body for message in mail.outbox if message.to == [leo.email])


def test_a_refusal_says_why_and_another_request_waits_a_week(
    browser_of: Callable[[User], Client], leo: User, desk: Client
) -> None:
    browser = browser_of(leo)
    ask(browser)
    asked = TeachingRequest.objects.get()
    assert "Explain why" in decide(desk, asked, "decline").content.decode()
    decide(desk, asked, "decline", "Tell us which course you have in mind.")

    leo.refresh_from_db()
    assert leo.role == Role.STUDENT
    assert "Tell us which course" in browser.get("/settings/").content.decode()
    assert 'data-error="TEACHING_ALREADY_ASKED"' in ask(browser).content.decode()
    TeachingRequest.objects.update(decided_at=timezone.now() - AGAIN_AFTER)
    assert ask(browser).status_code == 302


@pytest.mark.parametrize("reason", ["", "Please.", "x" * 2001])
def test_a_request_has_a_reason(browser_of: Callable[[User], Client], leo: User, reason: str) -> None:
    assert ask(browser_of(leo), reason).status_code == 422
    assert not TeachingRequest.objects.exists()


@pytest.mark.database
def test_two_admins_decide_once(leo: User, sam: User) -> None:
    asked = services.request_to_teach(user=leo, reason=REASON, now=timezone.now())
    services.decide_teaching_request(uid=asked.uid, by=sam, is_approved=False, answer="No", now=timezone.now())

    with pytest.raises(TeachingAlreadyDecided):
        services.decide_teaching_request(uid=asked.uid, by=sam, is_approved=True, answer="", now=timezone.now())

    leo.refresh_from_db()
    assert leo.role == Role.STUDENT


def test_an_approved_user_is_notified_once(browser_of: Callable[[User], Client], leo: User, desk: Client) -> None:
    User.objects.filter(pk=leo.pk).update(email_verified_at=timezone.now())
    ask(browser_of(leo))

    decide(desk, TeachingRequest.objects.get(), "approve")
    jobs.run_pending("default")

    assert list(Notification.objects.of(leo).values_list("kind", flat=True)) == ["account.teaching_approved"]
    assert [message.subject for message in mail.outbox if message.to == [leo.email]] == ["You can now teach"]


def test_a_user_cannot_approve_their_own_request(browser_of: Callable[[User], Client], leo: User, ada: User) -> None:
    asked = services.request_to_teach(user=leo, reason=REASON, now=timezone.now())

    for person in (leo, ada):
        assert decide(browser_of(person), asked, "approve")["Location"] == "/"

    leo.refresh_from_db()
    assert leo.role == Role.STUDENT


# --- People -------------------------------------------------------------------------------------


def test_users_are_searched_and_paged_in_few_queries(desk: Client, leo: User, django_assert_max_num_queries) -> None:
    User.objects.bulk_create(User(username=f"p{n}", email=f"p{n}@example.com") for n in range(1000))

    with django_assert_max_num_queries(6):
        page = desk.get("/dashboard/admin/people").content.decode()
    assert "1,002" in page or "1002" in page
    assert ">Students</a>" in page
    found = desk.get("/dashboard/admin/people", {"q": "marsh leo"}).content.decode()
    assert leo.email in found
    assert "p77@example.com" not in found
    assert "No one matches." in desk.get("/dashboard/admin/people", {"q": "zyzzyva"}).content.decode()


def test_a_role_is_given_and_taken(desk: Client, leo: User) -> None:
    for role in ("instructor", "student"):
        desk.post(f"/dashboard/admin/people/{leo.uid}/role", {"role": role})
        leo.refresh_from_db()
        assert leo.role == role
    desk.post(f"/dashboard/admin/people/{leo.uid}/role", {"role": "emperor"})
    leo.refresh_from_db()
    assert leo.role == "student"


def test_the_blocked_are_out_at_once_and_listed(desk: Client, browser_of: Callable[[User], Client], leo: User) -> None:
    browser = browser_of(leo)
    desk.post(f"/dashboard/admin/people/{leo.uid}/block", {"reason": ""})
    assert browser.get("/settings/").status_code == 200

    desk.post(f"/dashboard/admin/people/{leo.uid}/block", {"reason": "Sells answers"})

    assert browser.get("/settings/").status_code == 302
    assert not BrowserSession.objects.filter(user=leo).exists()
    page = desk.get("/dashboard/admin/people", {"show": "blocked"}).content.decode()
    assert "Sells answers" in page
    desk.post(f"/dashboard/admin/people/{leo.uid}/unblock")
    leo.refresh_from_db()
    assert (leo.is_active, leo.block_reason) == (True, "")


def test_an_admin_cannot_shut_themselves_out(desk: Client, sam: User) -> None:
    desk.post(f"/dashboard/admin/people/{sam.uid}/block", {"reason": "Oops"})
    desk.post(f"/dashboard/admin/people/{sam.uid}/role", {"role": "student"})

    sam.refresh_from_db()
    assert (sam.is_active, sam.role) == (True, "admin")


@pytest.mark.parametrize("ousted", [lambda one: services.change_role(user=one, role=Role.STUDENT), block_one])
def test_two_admins_who_block_each_other_leave_one(sam: User, ousted: Callable[[User], None]) -> None:
    other = UserFactory(role=Role.ADMIN)
    ousted(other)

    with pytest.raises(LastAdmin):
        ousted(sam)

    assert User.objects.get(role=Role.ADMIN, is_active=True) == sam


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
def test_two_admins_who_delete_their_accounts_at_once_leave_one(sam: User, monkeypatch: pytest.MonkeyPatch) -> None:
    both = Barrier(2)

    def meet(verdict: object) -> None:
        enforce(verdict)  # type: ignore[arg-type]
        with suppress(BrokenBarrierError):
            both.wait(0.5)

    def leave(user: User) -> bool:
        try:
            services.delete_account(user=user, password=PASSWORD, browser="", now=timezone.now())
        except LastAdmin:
            return False
        finally:
            connection.close()
        return True

    monkeypatch.setattr("apps.accounts.services.account_deletion.enforce", meet)
    with ThreadPoolExecutor(2) as pool:
        left = list(pool.map(leave, [sam, UserFactory(role=Role.ADMIN)]))

    assert sorted(left) == [False, True]


@pytest.mark.parametrize("way", ["role", "block", "unblock"])
def test_only_admins_govern(
    browser_of: Callable[[User], Client], leo: User, ada: User, client: Client, way: str
) -> None:
    address = f"/dashboard/admin/people/{leo.uid}/{way}"
    given = {"role": "admin", "reason": "x"}

    assert client.post(address, given)["Location"].startswith("/auth/login")
    for person in (leo, ada):
        assert browser_of(person).post(address, given)["Location"] == "/"
    leo.refresh_from_db()
    assert (leo.role, leo.is_active) == ("student", True)


def test_only_an_admin_decides_about_a_request_to_teach(leo: User, ada: User) -> None:
    asked = services.request_to_teach(user=leo, reason="I teach chemistry at a school. " * 3, now=timezone.now())

    with pytest.raises(RoleRequired):
        services.decide_teaching_request(uid=asked.uid, by=ada, is_approved=True, answer="", now=timezone.now())

    leo.refresh_from_db()
    assert not leo.can_teach
