"""Courses that admins give to learners."""

import pytest
from django.utils import timezone

from apps.billing import services
from apps.billing.access import access_to
from apps.billing.models import Grant
from apps.learning.models import Enrollment
from studyplatform.kit.errors import AppError
from tests.factories.selling import NOW, GrantFactory, PaidCourseFactory, PaymentFactory

pytestmark = pytest.mark.django_db
GRANTS = "/dashboard/admin/grants"


@pytest.fixture
def paid(ada):
    return PaidCourseFactory(instructor=ada, title="How Compilers Think", slug="how-compilers-think", published_at=NOW)


def fields(**other):
    return {"person": "mia", "course": "how-compilers-think", "reason": "Won the spring prize"} | other


@pytest.mark.database
def test_an_admin_gives_a_course_and_ends_it_again(browser_of, sam, mia, paid):
    browser = browser_of(sam)
    assert browser.get(GRANTS).status_code == 200

    browser.post(GRANTS, fields(person=mia.email.upper()))

    assert access_to(mia, paid).source == "grant"
    enrollment = Enrollment.objects.active().get(user=mia, course=paid)
    Enrollment.objects.filter(pk=enrollment.pk).update(percent=40)
    told = mia.notifications.get(kind="billing.granted")
    assert told.params["reason"] == "Won the spring prize"
    page = browser.get(f"{GRANTS}?q=compilers").content.decode()
    assert "Won the spring prize" in page
    assert mia.email in page

    grant = Grant.objects.get()
    browser.post(f"{GRANTS}/end", {"grant": grant.pk})
    again = browser.post(f"{GRANTS}/end", {"grant": grant.pk}, follow=True)

    assert "had already ended" in again.content.decode()
    assert access_to(mia, paid) is None
    assert not Enrollment.objects.active().exists()
    assert Enrollment.objects.get().percent == 40
    assert mia.notifications.filter(kind="billing.grant_ended").count() == 1


def test_who_has_bought_the_course_keeps_it_when_a_grant_ends(browser_of, sam, mia, paid):
    browser_of(sam).post(GRANTS, fields())
    services.grant_purchase(payment=PaymentFactory(user=mia, course=paid), now=timezone.now())

    browser_of(sam).post(f"{GRANTS}/end", {"grant": Grant.objects.get(source="staff").pk})

    assert access_to(mia, paid).source == "purchase"
    assert not mia.notifications.filter(kind="billing.grant_ended").exists()


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"person": "nobody"}, "person"),
        ({"person": "ben"}, "person"),
        ({"person": "ada"}, "person"),  # its instructor
        ({"person": "a\x00b"}, "person"),
        ({"course": "no-such-course"}, "course"),
        ({"course": "a-draft"}, "course"),
        ({"reason": ""}, "reason"),
        ({"reason": "two\nlines"}, "reason"),
    ],
)
def test_bad_input_is_explained_and_gives_nothing(browser_of, sam, mia, ben, ada, paid, change, field):
    PaidCourseFactory(slug="a-draft", status="draft", published_at=None)

    answer = browser_of(sam).post(GRANTS, fields(**change))

    assert answer.status_code == 422
    assert f'id="id_{field}-e"' in answer.content.decode()
    assert not Grant.objects.exists()


@pytest.mark.parametrize("number", ["", "0", "x", "9" * 30])
def test_a_grant_that_does_not_exist_is_not_found(browser_of, sam, number):
    assert browser_of(sam).post(f"{GRANTS}/end", {"grant": number}).status_code in {302, 404}


def test_only_admins_give_courses(browser_of, ada, mia, leo, paid):
    grant = GrantFactory(user=leo, course=paid)
    for person in (ada, mia):
        browser = browser_of(person)
        assert browser.get(GRANTS)["Location"] == "/"
        browser.post(GRANTS, fields())
        browser.post(f"{GRANTS}/end", {"grant": grant.pk})
        with pytest.raises(AppError):
            services.grant_by_staff(user=mia, course=paid, granted_by=person, reason="x", now=NOW)
        with pytest.raises(AppError):
            services.withdraw_grant(admin=person, grant=grant, now=NOW)
    assert list(Grant.objects.values_list("user__username", "ended_at")) == [("leo", None)]


def test_the_list_costs_ten_queries(browser_of, sam, paid, django_assert_max_num_queries):
    GrantFactory.create_batch(15, course=paid, granted_by=sam)
    browser = browser_of(sam)
    browser.get(GRANTS)
    with django_assert_max_num_queries(10):
        browser.get(GRANTS)
