"""People are removed at the very moment at which they act: one comes before the other, and nothing is lost."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import transaction

from apps.billing.models import LedgerEntry
from apps.billing.services import payments
from apps.billing.services.payments import book_sale
from apps.courses import services
from apps.courses.errors import CourseNotFound, NotCourseStaff
from apps.courses.models import CoInstructor, Course, RevenueShare
from apps.courses.services import CourseTexts, people
from tests.factories.co_instructors import CoInstructorFactory, RevenueShareFactory
from tests.factories.courses import CourseFactory
from tests.factories.selling import PaidCourseFactory, PaymentFactory
from tests.learning.test_races import run_simultaneously

pytestmark = [pytest.mark.database, pytest.mark.django_db(transaction=True)]
NOW = datetime(2026, 3, 15, 10, 0, tzinfo=UTC)


def test_an_edit_beside_a_removal_comes_before_it_or_is_refused():
    member = CoInstructorFactory(course=CourseFactory(title="Before"))
    course = member.course
    present = {name: getattr(course, name) for name in CourseTexts.__dataclass_fields__ if name != "prerequisites"}

    def edit():
        try:
            services.edit_course(
                course=course, by=member.user, texts=CourseTexts(**{**present, "title": "After"}), now=NOW
            )
        except (CourseNotFound, NotCourseStaff):
            return "refused"
        return "edited"

    def remove():
        people.remove_co_instructor(course=course, by=course.instructor, user_id=member.user_id, now=NOW)
        return "removed"

    found = run_simultaneously(edit, remove)
    assert "removed" in found
    assert Course.objects.get().title == ("After" if "edited" in found else "Before")
    assert not CoInstructor.objects.active().exists()


def test_two_removals_end_the_rights_once():
    member = CoInstructorFactory()
    RevenueShareFactory(course=member.course, user=member.user)

    def remove(by):
        people.remove_co_instructor(course=member.course, by=by, user_id=member.user_id, now=NOW)

    assert run_simultaneously(lambda: remove(member.course.instructor), lambda: remove(member.user)) == [None, None]
    assert CoInstructor.objects.get().removed_at == NOW
    assert RevenueShare.objects.get().until == NOW


def test_a_sale_beside_a_removal_is_divided_as_it_was_before_or_after():
    course = PaidCourseFactory()
    member = CoInstructorFactory(course=course)
    RevenueShareFactory(course=course, user=member.user, percent=25)
    payment = PaymentFactory(course=course, list_price=10_000, fee=None)

    def sell():
        with transaction.atomic():
            book_sale(payment)

    outcomes = run_simultaneously(
        sell,
        lambda: people.remove_co_instructor(
            course=course, by=course.instructor, user_id=member.user_id, now=NOW + timedelta(seconds=1)
        ),
    )
    assert outcomes == [None, None]
    totals = sorted(LedgerEntry.objects.values_list("total", flat=True))
    assert totals in ([2_500, 7_500], [10_000])
    assert RevenueShare.objects.get().until is not None


def test_a_sale_beside_a_transfer_belongs_to_one_instructor_and_its_shares_add_up():
    course = PaidCourseFactory()
    ada, bo = course.instructor, CoInstructorFactory(course=course).user
    RevenueShareFactory(course=course, user=bo, percent=25)
    order = PaymentFactory(course=course, list_price=10_000, fee=None, paid_at=NOW + timedelta(seconds=2)).order
    people.offer_course(course=course, by=ada, user_id=bo.pk, now=NOW)

    def sell():
        with transaction.atomic():
            [line] = payments._lines_at(order, NOW + timedelta(seconds=2))
            book_sale(order.payment)
            return line.instructor_id

    seller, _none = run_simultaneously(
        sell,
        lambda: people.answer_offer(course=course, by=bo, accepts=True, now=NOW + timedelta(seconds=1)),
    )
    entries = dict(LedgerEntry.objects.values_list("instructor_id", "total"))
    assert entries == ({ada.pk: 7_500, bo.pk: 2_500} if seller == ada.pk else {bo.pk: 10_000})
