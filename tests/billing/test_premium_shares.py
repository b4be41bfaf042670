"""Each month of Premium is shared by the minutes that subscribers watched, once and to the cent."""

from datetime import UTC, date, datetime, timedelta

import pytest
import time_machine
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.billing import services
from apps.billing.models import LedgerEntry, Payment, PremiumEarning, PremiumMonth
from apps.billing.queries.ledger import balances
from apps.billing.services.premium import book_premium
from apps.learning.models import Enrollment, WatchedDay
from apps.learning.services import save_watching
from studyplatform.kit import jobs
from studyplatform.kit.models import Job
from tests.billing.test_premium import Subscriber
from tests.factories.accounts import UserFactory
from tests.factories.courses import CourseFactory, LessonFactory
from tests.factories.selling import GrantFactory, PaymentFactory
from tests.learning.test_races import run_simultaneously

pytestmark = [pytest.mark.database, pytest.mark.django_db]
OCTOBER = date(2026, 10, 1)
NOW = datetime(2026, 11, 1, 0, 1, tzinfo=UTC)


def at(month, day, year=2026):
    return datetime(year, month, day, tzinfo=UTC)


def paid(user, start=None, end=None, amount=3100, **facts):
    """A payment for Premium, in the books: for October unless said otherwise."""
    start, end = start or at(10, 1), end or at(11, 1)
    payment = PaymentFactory(
        kind=Payment.Kind.PREMIUM, user=user, course=None, instructor=None, share=0, title="Premium", amount=amount,
        list_price=amount, period_start=start, period_end=end, paid_at=start, **facts,
    )  # fmt: skip
    book_premium(payment)
    return payment


def premium_course(instructor, **facts):
    return CourseFactory(instructor=instructor, status="published", pricing="premium", **facts)


def opened(user, course, since=None, until=None, source="premium"):
    return GrantFactory(user=user, course=course, source=source, created_at=since or at(9, 1), ended_at=until)


def watched(user, course, minutes, day=date(2026, 10, 5)):
    WatchedDay.objects.create(user=user, course=course, day=day, seconds=minutes * 60)


def subscriber(course, minutes, **payment):
    user = UserFactory()
    paid(user, **payment)
    opened(user, course)
    watched(user, course, minutes)
    return user


def owed(user):
    return -balances([f"instructor:{user.pk}"]).get(f"instructor:{user.pk}", {}).get("usd", 0)


def balance(account):
    return balances([account]).get(account, {}).get("usd", 0)


# --- What is shared -------------------------------------------------------------------------------


def test_the_pool_is_divided_by_minutes_between_courses_and_platform(ada, eve):
    maps, bees = premium_course(ada, title="Maps"), premium_course(eve, title="Bees")
    """Each subscriber's money goes by their own minutes: who watches more moves no more money."""
    mia = subscriber(maps, 5, amount=1190, tax=190)
    opened(mia, bees)
    watched(mia, bees, 15)
    subscriber(maps, 50, amount=1190, tax=190)

    [month] = services.share_until(now=NOW)

    assert (month.pool, month.seconds, month.share) == (2000, 4200, 7000)
    rows = PremiumEarning.objects.order_by("course").values_list("course", "instructor", "seconds", "part", "earned")
    assert list(rows) == [(maps.pk, ada.pk, 3300, 1250, 875), (bees.pk, eve.pk, 900, 750, 525)]
    assert (owed(ada), owed(eve), balance("premium"), balance("platform")) == (875, 525, 0, -600)
    entry = LedgerEntry.objects.get(course_id=maps.pk)
    assert (entry.occurred_at, entry.description) == (NOW.replace(minute=0) - timedelta(seconds=1), "Maps")


def test_at_most_three_hours_of_a_learners_day_count_over_all_courses(ada, eve):
    """A day with eight courses at once counts as much as a day of three hours in one."""
    courses = [premium_course(ada) for _ in range(8)]
    bees = premium_course(eve)
    user = subscriber(bees, 180)
    for course in courses:
        opened(user, course)
        watched(user, course, 180, date(2026, 10, 6))

    [month] = services.share_until(now=NOW)

    assert month.seconds == (180 + 180) * 60
    assert owed(eve) == 3100 * 7 // 20
    assert owed(ada) == pytest.approx(owed(eve), abs=8)


def test_a_subscriber_who_watches_all_day_takes_nothing_from_others(ada, eve):
    maps, bees = premium_course(ada), premium_course(eve)
    for _ in range(3):
        subscriber(bees, 10, amount=1000)
    paid(UserFactory(), amount=1000)  # who watched nothing
    greedy = subscriber(maps, 180, amount=1000)
    for day in range(6, 31):
        watched(greedy, maps, 180, date(2026, 10, day))

    services.share_until(now=NOW)

    assert (owed(ada), owed(eve)) == (700, 3 * 700)
    assert (balance("platform"), balance("premium")) == (-(900 + 300 + 1000), 0)


def test_more_subscribers_cost_no_more_queries(ada, eve):
    courses, counts = [premium_course(ada), premium_course(eve)], []
    for month, count in ((9, 2), (10, 20)):
        for number in range(count):
            user = UserFactory()
            paid(user, at(month, 1), at(month + 1, 1))
            for course, minutes in zip(courses, (200, 30) if number % 2 else (30, 200), strict=True):
                opened(user, course)
                watched(user, course, minutes, date(2026, month, 5))
        with CaptureQueriesContext(connection) as queries:
            shared = services.share_month(date(2026, month, 1), "usd", now=NOW)
        assert (shared.pool, shared.seconds) == (count * 3100, count * 180 * 60)
        counts.append(len(queries))

    assert counts[1] <= counts[0]  # the first month also creates accounts


def test_a_month_is_shared_once(ada):
    subscriber(premium_course(ada), 20)
    services.share_until(now=NOW)
    subscriber(premium_course(ada), 20)

    assert services.share_until(now=NOW) == []
    assert services.share_month(OCTOBER, "usd", now=NOW) is None
    assert owed(ada) == 3100 * 7 // 10


def test_a_month_that_has_not_ended_is_not_shared(ada):
    subscriber(premium_course(ada), 20)

    assert services.share_until(now=NOW - timedelta(minutes=2)) == []
    with pytest.raises(ValueError, match="not ended"):
        services.share_month(OCTOBER, "usd", now=NOW - timedelta(minutes=2))


def test_a_month_without_minutes_is_the_platforms():
    paid(UserFactory())

    services.share_until(now=NOW)

    assert (balance("premium"), balance("platform")) == (0, -3100)


def test_a_yearly_payment_is_spread_over_its_months_to_the_cent(ada):
    maps, user = premium_course(ada), UserFactory()
    paid(user, at(1, 15), at(1, 15, 2027), amount=14_003)
    opened(user, maps, at(1, 15))
    for month in range(1, 13):
        watched(user, maps, 10, date(2026, month, 20))
    watched(user, maps, 10, date(2027, 1, 5))

    shared = services.share_until(now=at(2, 1, 2027))

    assert len(shared) == 13
    assert sum(each.pool for each in shared) == 14_003
    assert [each.pool for each in shared[1:3]] == [14_003 * 45 // 365 - shared[0].pool, 1189]
    assert balance("premium") == 0
    assert owed(ada) == sum(each.pool * 7 // 10 for each in shared)


def test_a_refund_after_a_month_was_shared_lowers_what_the_subscriber_contributes_next(ada):
    maps = premium_course(ada)
    user = subscriber(maps, 20)
    services.share_until(now=NOW)
    services.post_refund("re_1", Payment.objects.get().gateway_id, 1000, occurred_at=NOW)
    assert balance("premium") == 1000  # more was shared than is left

    paid(user, at(11, 1), at(12, 1), amount=3000)
    watched(user, maps, 5, date(2026, 11, 7))
    [november] = services.share_until(now=at(12, 1))

    assert november.pool == 2000
    assert owed(ada) == 3100 * 7 // 10 + 2000 * 7 // 10
    assert balance("premium") == 0


def test_what_a_subscriber_does_not_pay_in_the_end_is_the_platforms_loss(ada, eve):
    """Those whose bank took everything back move nothing of what others paid."""
    maps, bees = premium_course(ada), premium_course(eve)
    gone = [subscriber(bees, 60) for _ in range(3)]
    services.share_until(now=NOW)
    for payment in Payment.objects.filter(user__in=gone):
        services.post_refund(f"re_{payment.pk}", payment.gateway_id, 3100, occurred_at=NOW)
    honest = UserFactory()
    paid(honest, at(11, 1), at(12, 1), amount=2000)
    opened(honest, maps)
    watched(honest, maps, 30, date(2026, 11, 7))
    returning = gone[0]
    for month in (11, 12):
        paid(returning, at(month, 1), at(month % 12 + 1, 1, 2026 + month // 12), amount=2000)
        watched(returning, bees, 30, date(2026, month, 7))

    pools = [each.pool for each in services.share_until(now=at(1, 1, 2027))]

    assert pools == [4000 - 3 * 3100, 2000]
    assert owed(ada) == 1400
    assert owed(eve) == 3 * 2170 + 900 * 7 // 10  # of 4,000 paid later, 3,100 were shared in October
    assert (balance("premium"), balance("platform")) == (0, owed(ada) + owed(eve) - 6000)


def test_a_payment_after_its_month_was_shared_is_divided_by_what_was_watched_in_it(ada, eve):
    """A renewal of 21 October failed, and was paid on 3 November; then nothing was watched."""
    maps, bees = premium_course(ada), premium_course(eve)
    subscriber(bees, 10)
    late = UserFactory()
    opened(late, maps)
    watched(late, maps, 60, date(2026, 10, 25))
    services.share_until(now=NOW)
    assert owed(ada) == 0

    payment = paid(late, at(10, 21), at(11, 21), amount=3100)
    Payment.objects.filter(pk=payment.pk).update(paid_at=at(11, 3))
    services.share_until(now=at(12, 1))

    assert owed(ada) == 1100 * 7 // 10
    assert PremiumEarning.objects.get(course=maps).seconds == 3600

    second = UserFactory()
    opened(second, maps)
    watched(second, maps, 60, date(2026, 12, 25))
    payment = paid(second, at(11, 21), at(12, 31), amount=4000)
    Payment.objects.filter(pk=payment.pk).update(paid_at=at(12, 3))
    services.share_until(now=at(1, 1, 2027))
    assert owed(ada) == 770 + 2800  # all of it, by what was watched after it was paid


def test_months_that_were_missed_are_shared_in_order(ada):
    maps, user = premium_course(ada), UserFactory()
    for month in (7, 8, 9):
        paid(user, at(month, 1), at(month + 1, 1), amount=1000)
        watched(user, maps, month, date(2026, month, 3))
    opened(user, maps, at(7, 1))

    assert [each.month.month for each in services.share_until(now=NOW)] == [7, 8, 9, 10]
    assert list(PremiumEarning.objects.order_by("pk").values_list("shared__month__month", "part")) == [
        (7, 1000), (8, 1000), (9, 1000),
    ]  # fmt: skip


def test_each_currency_has_its_own_pool(ada):
    maps = premium_course(ada)
    subscriber(maps, 20)
    subscriber(maps, 10, amount=2000, currency="eur")

    services.share_until(now=NOW)

    rows = PremiumEarning.objects.values_list("shared__currency", "seconds", "part")
    assert set(rows) == {("usd", 1200, 3100), ("eur", 600, 2000)}


# --- Which minutes count --------------------------------------------------------------------------


def counted():
    services.share_until(now=NOW)
    return PremiumMonth.objects.get(month=OCTOBER).seconds // 60


def test_minutes_of_a_day_that_was_not_paid_for_do_not_count(ada):
    """Such as in a free trial, in the grace period, and after a payment was refunded."""
    maps = premium_course(ada)
    user = UserFactory()
    opened(user, maps)
    paid(user, at(10, 10), at(10, 20))
    for day in (9, 10, 19, 20):
        watched(user, maps, day, date(2026, 10, day))
    refunded = subscriber(maps, 100)
    services.post_refund("re_1", Payment.objects.get(user=refunded).gateway_id, 3100, occurred_at=at(10, 8))

    assert counted() == 10 + 19


@pytest.mark.parametrize("source", ["purchase", "staff"])
def test_minutes_in_a_course_that_is_also_bought_or_granted_do_not_count(ada, source):
    maps = premium_course(ada)
    user = subscriber(maps, 20)
    watched(user, maps, 7, date(2026, 10, 20))
    owned = opened(user, maps, at(10, 19), source=source) if source == "staff" else None
    if owned is None:
        payment = PaymentFactory(user=user, course=maps)
        GrantFactory(user=user, course=maps, source=source, payment=payment, created_at=at(10, 19))

    assert counted() == 20


def test_minutes_before_premium_opened_the_course_or_after_it_closed_do_not_count(ada):
    maps, user = premium_course(ada), UserFactory()
    paid(user)
    opened(user, maps, at(10, 5), at(10, 7))
    for day in (4, 5, 6, 7):
        watched(user, maps, day, date(2026, 10, day))

    assert counted() == 5 + 6


def test_minutes_of_other_months_of_free_courses_and_of_the_instructor_do_not_count(ada):
    maps = premium_course(ada)
    user = subscriber(maps, 20)
    watched(user, maps, 40, date(2026, 9, 30))
    watched(user, maps, 80, date(2026, 11, 1))
    subscriber(CourseFactory(instructor=ada, pricing="free"), 160)
    paid(ada)
    opened(ada, maps)
    watched(ada, maps, 320)

    assert counted() == 20


# --- Jobs and races --------------------------------------------------------------------------------


def test_the_job_shares_the_month_and_plans_the_next(ada):
    subscriber(premium_course(ada), 20)
    services.plan_next_share(now=at(10, 9))
    services.plan_next_share(now=at(10, 10))
    planned = Job.objects.get(kind="billing.share_premium")
    assert (planned.key, planned.run_at > at(10, 10)) == ("2026-10-01", True)

    Job.objects.update(run_at=at(10, 1))
    with time_machine.travel(NOW, tick=False):
        jobs.run_pending("default")

    assert owed(ada) == 2170
    assert Job.objects.filter(kind="billing.share_premium", key="2026-11-01", state="queued").exists()


def test_payouts_contain_the_month_that_has_just_ended(ada):
    services.save_bank_account(user=ada, holder="Ada", number="DE89370400440532013000", bank_code="", now=NOW)
    subscriber(premium_course(ada), 20, amount=10_000)
    with time_machine.travel(NOW, tick=False):
        jobs.enqueue("billing.run_payouts", key="2026-11-01", day="2026-11-01")
        jobs.run_pending("default")

    assert ada.payouts.get().amount == 7000


def test_what_a_subscriber_watches_reaches_the_instructor(standin, card_form, leo, ada):
    """From the trial to the books: only what was watched after the first payment counts."""
    course = premium_course(ada, title="Maps")
    lesson = LessonFactory(section__course=course, kind="video", duration=900)
    leo_pays = Subscriber(standin, card_form, leo)
    leo_pays.start(leo_pays.card())
    services.grant_premium(user=leo, course=course, now=leo_pays.now)
    assert Enrollment.objects.active().filter(user=leo, course=course).exists()

    def watch(start, end):
        for passed, seconds in ((0, start + 1), (end - start, end)):
            save_watching(
                user=leo, lesson_uid=lesson.uid, position=seconds, watched=[[start, seconds]],
                now=leo_pays.now + timedelta(seconds=passed),
            )  # fmt: skip

    watch(0, 120)
    leo_pays.wait(days=8)
    leo_pays.sync()
    assert Job.objects.filter(kind="billing.share_premium").exists()
    watch(120, 420)
    period_end = leo_pays.row.period_end
    services.share_until(now=period_end + timedelta(days=32))

    seconds = sum(PremiumEarning.objects.values_list("seconds", flat=True))
    assert 300 <= seconds <= 360
    assert owed(ada) > 0


@pytest.mark.django_db(transaction=True)
def test_two_jobs_at_once_share_a_month_once(ada):
    subscriber(premium_course(ada), 20)

    outcomes = run_simultaneously(*[lambda: services.share_until(now=NOW)] * 3)

    assert not [each for each in outcomes if isinstance(each, Exception)]
    assert sum(len(each) for each in outcomes) == 1
    assert owed(ada) == 2170
    assert balance("premium") == 0
