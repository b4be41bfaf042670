"""The pages about the people of a course, and the page of an invitation."""

import pytest

from apps.accounts.models import Role
from apps.courses.models import CoInstructor, CoInstructorInvitation, Course, RevenueShare
from apps.courses.services import invitations
from tests.factories.accounts import UserFactory
from tests.factories.co_instructors import CoInstructorFactory, RevenueShareFactory
from tests.factories.courses import CourseFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def course(ada):
    return CourseFactory(instructor=ada, slug="maps", title="Maps")


@pytest.fixture
def token(monkeypatch):
    monkeypatch.setattr(invitations.secrets, "token_urlsafe", lambda _length: "token")
    return "token"


PAGE = "/dashboard/instructor/courses/maps/people"


def body(answer):
    return answer.content.decode()


def test_the_instructor_invites_and_the_other_accepts(course, ada, browser_of, token):
    hers = browser_of(ada)
    bad = hers.post(PAGE, {"email": "no address", "role": "edit", "percent": "25"})
    assert bad.status_code == 422
    assert "no address" in body(bad)
    too_much = hers.post(PAGE, {"email": "bo@example.com", "role": "edit", "percent": "101"})
    assert too_much.status_code == 422
    assert hers.post(PAGE, {"email": "bo@example.com", "role": "teach", "percent": "25"}).status_code == 302
    assert "bo@example.com" in body(hers.get(PAGE))
    bo = UserFactory(email="bo@example.com", role=Role.INSTRUCTOR)
    eve = browser_of(UserFactory())
    assert "CO_INSTRUCTOR_INVITATION_OF_ANOTHER" in body(eve.get("/teach/token"))
    assert eve.post("/teach/token", {"answer": "accept"}).status_code == 403
    his = browser_of(bo)
    assert "Maps" in body(his.get("/teach/token"))
    assert his.post("/teach/token", {"answer": "accept"}).url == "/dashboard/instructor/courses/maps/edit"
    assert CoInstructor.objects.get().user == bo
    assert his.get("/teach/token").status_code == 404
    page = body(his.get(PAGE))
    assert "25" in page
    assert "Send the invitation" not in page


def test_a_visitor_is_led_to_an_account(course, ada, browser_of, token, client):
    browser_of(ada).post(PAGE, {"email": "bo@example.com", "role": "view", "percent": ""})
    page = body(client.get("/teach/token"))
    assert "/auth/register?next=/teach/token" in page
    assert client.post("/teach/token", {"answer": "accept"}).status_code in {302, 401}
    assert client.get("/teach/other").status_code == 404


def test_an_invitation_is_sent_again_revoked_and_declined(course, ada, browser_of, monkeypatch):
    sent = iter(["one", "two", "three"])
    monkeypatch.setattr(invitations.secrets, "token_urlsafe", lambda _length: next(sent))
    hers, his = browser_of(ada), browser_of(UserFactory(email="bo@example.com"))
    hers.post(PAGE, {"email": "bo@example.com", "role": "view", "percent": ""})
    row = CoInstructorInvitation.objects.get()
    hers.post(f"{PAGE}/{row.uid}/send")
    assert his.get("/teach/one").status_code == 404
    assert his.get("/teach/two").status_code == 200
    hers.post(f"{PAGE}/{row.uid}/revoke")
    assert his.get("/teach/two").status_code == 404
    hers.post(PAGE, {"email": "bo@example.com", "role": "view", "percent": ""})
    his.post("/teach/three", {"answer": "decline"})
    assert not CoInstructor.objects.exists()


def test_roles_removal_and_another_instructor(course, ada, browser_of):
    member = CoInstructorFactory(course=course, role="view")
    RevenueShareFactory(course=course, user=member.user)
    hers, his = browser_of(ada), browser_of(member.user)
    address = f"{PAGE}/{member.uid}"
    assert hers.post(f"{address}/change", {"role": "edit", "percent": "30"}).status_code == 302
    for browser, given in (
        (hers, {"role": "all"}),
        (hers, {"role": "edit", "percent": "101"}),
        (his, {"role": "edit"}),
    ):
        browser.post(f"{address}/change", given)
    assert RevenueShare.objects.get(until=None).percent == 30
    assert his.post(PAGE, {"email": "cy@example.com", "role": "view"}).status_code == 422
    assert not CoInstructorInvitation.objects.exists()
    hers.post(f"{address}/give")
    assert "Accept the course" in body(his.get(PAGE))
    hers.post(f"{PAGE}/offer", {"answer": "withdraw"})
    his.post(f"{PAGE}/offer", {"answer": "accept"})
    assert Course.objects.get().instructor == ada
    hers.post(f"{address}/give")
    his.post(f"{PAGE}/offer", {"answer": "accept"})
    assert Course.objects.get().instructor == member.user
    former = CoInstructor.objects.active().get()
    assert former.user == ada
    assert hers.post(f"{PAGE}/{former.uid}/remove").url == "/dashboard/instructor/courses/"
    assert hers.get(PAGE).url == "/"


def test_only_staff_read_the_page_and_only_the_instructor_reads_addresses(course, browser_of):
    member, other = CoInstructorFactory(course=course), CoInstructorFactory(course=course)
    assert browser_of(CourseFactory().instructor).get(PAGE).url == "/"
    page = body(browser_of(member.user).get(PAGE))
    assert other.user.display_name in page
    assert other.user.email not in page


def test_the_page_asks_as_many_queries_for_many_people(course, ada, browser_of, django_assert_max_num_queries):
    for _ in range(10):
        CoInstructorFactory(course=course)
    browser = browser_of(ada)
    with django_assert_max_num_queries(24):
        browser.get(PAGE)
