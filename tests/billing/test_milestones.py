"""Milestones of instructors are told once, counted in their share."""

import pytest
from django.utils import timezone

from apps.accounts.models import Notification
from apps.billing import services
from apps.billing.models import EarningsMilestone
from apps.billing.queries import milestones
from apps.billing.queries.milestones import label_of
from apps.billing.queries.payouts import minimum
from apps.courses.models import Course
from studyplatform.kit import jobs
from tests.factories.accounts import UserFactory
from tests.factories.billing import sale
from tests.factories.courses import CourseFactory
from tests.factories.learning import EnrollmentFactory

pytestmark = pytest.mark.django_db
NOW = timezone.now()


def reached(user):
    jobs.run_pending("default")
    return set(EarningsMilestone.objects.filter(user=user).values_list("name", flat=True))


def test_money_counts_as_the_share_net_of_refunds(ada):
    sale(ada.pk, 14_000, payment_key="pi_1")  # a share of $98
    services.post_refund("re_1", "pi_1", 1000, occurred_at=NOW)
    assert reached(ada) == set()

    sale(ada.pk, 1286)
    assert reached(ada) == {"revenue_100"}

    sale(ada.pk, 150_000)
    assert reached(ada) == {"revenue_100", "revenue_1000", "month_1000"}
    sale(ada.pk, 600_000)
    assert "revenue_5000" in reached(ada)


def test_a_milestone_is_told_once_and_stays_after_a_refund(ada):
    sale(ada.pk, 20_000, payment_key="pi_1")
    reached(ada)
    services.post_refund("re_1", "pi_1", 20_000, occurred_at=NOW)
    sale(ada.pk, 20_000)

    assert reached(ada) == {"revenue_100"}
    told = Notification.objects.filter(user=ada, kind="billing.milestone")
    assert [each.params["milestone"] for each in told] == ["First $100"]


def test_sums_are_round_in_the_currency(settings):
    settings.CURRENCY = "jpy"
    assert label_of("revenue_1000") == "¥100,000 in total"
    assert [minimum("jpy"), minimum("usd"), minimum("kwd")] == [50, 50, 500]  # the smallest sum is 50 yen here


def test_a_good_month_is_not_one_over_several(ada):
    for month in range(3):
        sale(ada.pk, 60_000, at=timezone.now().replace(year=2025, month=1 + month))

    assert reached(ada) == {"revenue_100", "revenue_1000"}


def test_students_are_the_different_people_of_all_courses(ada, monkeypatch):
    monkeypatch.setattr(milestones, "STUDENTS", {"students_100": 3, "students_1000": 4})
    people = UserFactory.create_batch(3)
    for course, enrolled in ((CourseFactory(instructor=ada), people[:2]), (CourseFactory(instructor=ada), people[1:2])):
        Course.objects.filter(pk=course.pk).update(learner_count=2)
        for one in enrolled:
            EnrollmentFactory(course=course, user=one)
    EnrollmentFactory(course=course, user=UserFactory(deleted_at=NOW))
    EnrollmentFactory(course=course, revoked_at=NOW)
    assert services.note_milestones(instructor_id=ada.pk, now=NOW) == []

    EnrollmentFactory(course=course, user=people[2])
    assert services.note_milestones(instructor_id=ada.pk, now=NOW) == ["students_100"]
    assert services.note_milestones(instructor_id=ada.pk, now=NOW) == []


def test_a_deleted_account_reaches_nothing(ada):
    ada.deleted_at = NOW
    ada.save()
    sale(ada.pk, 20_000)

    assert reached(ada) == set()
