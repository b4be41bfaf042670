"""Promo codes as calls: what the course wizard lists, adds and ends."""

import pytest
from django.test import Client

from apps.billing.models import PromoCode
from tests.factories.courses import CourseFactory
from tests.factories.selling import PaidCourseFactory, PromoCodeFactory

pytestmark = pytest.mark.django_db
ENDING = "/api/v1/billing/promo-codes/{}/end/"


def codes_of(course):
    return f"/api/v1/billing/courses/{course.slug}/promo-codes/"


def as_user(user):
    client = Client()
    client.force_login(user)
    return client


def new_code(**other):
    return {"code": "spring-26", "kind": "percent", "percent": 20} | other


def test_codes_of_a_course_are_listed_added_and_ended(ada, eve):
    course = PaidCourseFactory(instructor=ada, published_at=None, status="draft", price=4900)
    teacher = as_user(ada)
    added = teacher.post(codes_of(course), new_code(limit=5), content_type="application/json")
    assert added.status_code == 201
    assert {key: added.json()[key] for key in ("code", "discount", "state", "limit", "may_end")} == {
        "code": "SPRING-26", "discount": "20%", "state": "active", "limit": 5, "may_end": True,
    }  # fmt: skip
    listed = teacher.get(codes_of(course)).json()["results"]
    assert [code["code"] for code in listed] == ["SPRING-26"]
    again = teacher.post(codes_of(course), new_code(), content_type="application/json")
    assert (again.status_code, again.json()["code"]) == (409, "PROMO_CODE_TAKEN")

    uid = added.json()["uid"]
    assert as_user(eve).post(ENDING.format(uid)).status_code == 404
    for _ in range(2):
        ended = teacher.post(ENDING.format(uid))
        assert (ended.status_code, ended.json()["state"]) == (200, "off")
    assert not PromoCode.objects.get().is_active


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ({"percent": 101}, "percent"),
        ({"percent": "1.5"}, "percent"),
        ({"percent": None}, "percent"),
        ({"limit": 0}, "limit"),
        ({"kind": "amount", "amount": "60"}, "amount"),
        ({"kind": "amount", "amount": "NaN"}, "amount"),
        ({"code": "a b"}, "code"),
        ({"last_day": "2001-01-01"}, "last_day"),
    ],
)
def test_a_wrong_code_names_its_field_and_is_not_stored(ada, sent, field):
    course = PaidCourseFactory(instructor=ada, price=4900)
    refused = as_user(ada).post(codes_of(course), new_code(**sent), content_type="application/json")
    assert refused.status_code == 400
    text = refused.json()["fields"][field][0]["message"]
    if field in {"percent", "limit"}:
        assert text.startswith("Enter a whole number from 1 to ")
    assert not PromoCode.objects.exists()


def test_only_for_ones_own_courses_with_a_price(ada, eve):
    theirs, free = PaidCourseFactory(instructor=eve), CourseFactory(instructor=ada)
    PromoCodeFactory(scope="course", course=theirs, created_by=eve)
    teacher = as_user(ada)
    assert teacher.get(codes_of(theirs)).status_code == 404
    assert teacher.post(codes_of(theirs), new_code(), content_type="application/json").status_code == 404
    refused = teacher.post(codes_of(free), new_code(), content_type="application/json")
    assert "course" in refused.json()["fields"]
