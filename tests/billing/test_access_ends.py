"""When the access to a course ends, as far as it is known: lessons that a browser stores expire then."""

from datetime import timedelta

import pytest

from apps.billing.access import access_ends, lost_accesses
from apps.billing.models import Grant, Seat, Subscription
from tests.cases import all_cases
from tests.factories.accounts import UserFactory
from tests.factories.courses import CourseFactory
from tests.factories.seats import open_seats
from tests.factories.selling import NOW, GrantFactory, PaidCourseFactory, PaymentFactory, SubscriptionFactory

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)
END = NOW + 12 * DAY


@pytest.fixture
def premium_course():
    return CourseFactory(status="published", pricing="premium")


def end_of(user, course, now=NOW):
    return access_ends(user, [course], now=now).get(course.pk)


def hold(pack, user):
    Seat.objects.filter(pk=pack.rows.filter(holder=None)[0].pk).update(holder=user, assigned_at=NOW)


@all_cases(
    "facts, end",
    [
        ({"status": "active", "cancels_at_period_end": True}, END),
        # A renewal that fails leaves Premium open for GRACE_DAYS.
        ({"status": "active"}, END + 7 * DAY),
        ({"status": "trialing"}, END + 7 * DAY),
        ({"status": "trialing", "cancels_at_period_end": True}, END),
        ({"status": "past_due", "grace_until": NOW + 3 * DAY, "period_end": NOW - DAY}, NOW + 3 * DAY),
        ({"status": "past_due", "grace_until": NOW - DAY}, None),
        ({"status": "ended"}, None),
        ({"status": "incomplete"}, None),
        ({"status": "active", "period_end": None}, None),
    ],
)
def test_premium_ends_with_its_period(leo, premium_course, settings, facts, end):
    settings.GRACE_DAYS = 7
    Subscription.objects.all().delete()
    SubscriptionFactory(user=leo, **{"period_end": END, **facts})

    assert end_of(leo, premium_course) == end


def test_a_seat_ends_with_the_year_of_its_pack_and_the_later_end_counts(leo, mia, premium_course, settings):
    settings.GRACE_DAYS = 0
    pack = open_seats(now=NOW)
    hold(pack, leo)
    assert end_of(leo, premium_course) == pack.ends_at
    assert end_of(mia, premium_course) is None

    SubscriptionFactory(user=leo, period_end=END)
    assert end_of(leo, premium_course) == pack.ends_at
    Subscription.objects.update(period_end=pack.ends_at + DAY)
    assert end_of(leo, premium_course) == pack.ends_at + DAY


def test_what_premium_opened_once_ends_with_premium_whatever_the_course_costs_now(leo):
    course = PaidCourseFactory()
    SubscriptionFactory(user=leo, period_end=END, cancels_at_period_end=True)
    assert end_of(leo, course) is None  # opened by nothing: its learners enrolled before it had a price

    GrantFactory(user=leo, course=course, source=Grant.Source.PREMIUM)
    assert end_of(leo, course) == END


@pytest.mark.parametrize("source", ["purchase", "staff", "seat"])
def test_what_lasts_has_no_end(leo, premium_course, source):
    SubscriptionFactory(user=leo, period_end=END, cancels_at_period_end=True)
    by = {"purchase": {"payment": PaymentFactory}, "seat": {"seat": lambda: open_seats(now=NOW).rows.first()}}
    GrantFactory(user=leo, course=premium_course, source=Grant.Source.PREMIUM)
    assert end_of(leo, premium_course) == END

    grant = GrantFactory(
        user=leo, course=premium_course, source=source, **{name: make() for name, make in by.get(source, {}).items()}
    )

    assert end_of(leo, premium_course) is None
    Grant.objects.filter(pk=grant.pk).update(ended_at=NOW)
    assert end_of(leo, premium_course) == END


def test_free_courses_and_staff_have_no_end_and_ask_nothing(ada, django_assert_num_queries):
    SubscriptionFactory(user=ada, period_end=END, cancels_at_period_end=True)
    courses = [CourseFactory(status="published"), CourseFactory(instructor=ada, pricing="premium")]

    with django_assert_num_queries(0):
        assert access_ends(ada, courses, now=NOW) == {}


def test_many_courses_cost_four_queries(leo, django_assert_max_num_queries):
    SubscriptionFactory(user=leo, period_end=END, cancels_at_period_end=True)
    courses = CourseFactory.create_batch(12, status="published", pricing="premium")

    with django_assert_max_num_queries(4):
        assert access_ends(leo, courses, now=NOW) == {course.pk: END for course in courses}


def test_the_last_access_that_was_lost_is_told_of_each_course(leo, django_assert_num_queries):
    ended = {"user": leo, "ended_at": NOW, "end_reason": Grant.End.PREMIUM_ENDED, "source": Grant.Source.PREMIUM}
    first, second = (GrantFactory(**ended) for _each in range(2))
    later = GrantFactory(**{**ended, "ended_at": NOW + DAY, "course": first.course})
    GrantFactory(**{**ended, "user": UserFactory(), "course": second.course, "ended_at": NOW + 2 * DAY})
    GrantFactory(user=leo, course=first.course, ended_at=NOW + 9 * DAY, end_reason=Grant.End.REFUND)

    with django_assert_num_queries(1):
        found = lost_accesses(leo, [first.course, second.course])

    assert found == {first.course_id: later, second.course_id: second}
