"""The instructor's part of a sale is divided at its moment, and given back by whom it was given to."""

import random
from datetime import UTC, date, datetime, timedelta

import pytest
from django.core.management import call_command

from apps.accounts.models import Role
from apps.billing import services
from apps.billing.models import Document, LedgerEntry, PremiumEarning
from apps.billing.queries import earnings, reports, yearly_earnings
from apps.billing.queries.ledger import balances
from apps.billing.queries.payouts import payable
from apps.billing.queries.report_selection import Selection
from apps.billing.services.issuing import issue_documents
from apps.billing.services.payments import book_sale
from apps.billing.services.revenue_shares import divide_sale
from apps.billing.splits import split_sale
from apps.courses.services import people as courses
from tests.billing.test_premium_shares import NOW as SHARED_AT
from tests.billing.test_premium_shares import OCTOBER, opened, paid, premium_course, subscriber, watched
from tests.cases import all_cases
from tests.factories.co_instructors import CoInstructorFactory, RevenueShareFactory
from tests.factories.selling import PaidCourseFactory, PaymentFactory

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 3, 15, 10, 0, tzinfo=UTC)
LATER = NOW + timedelta(days=3)


@pytest.fixture
def course(ada):
    return PaidCourseFactory(instructor=ada)


def join(course, percent, **user):
    member = CoInstructorFactory(course=course, **{f"user__{name}": value for name, value in user.items()})
    RevenueShareFactory(course=course, user=member.user, percent=percent)
    return member.user


def sell(course, amount=10_000, tax=0, *, at=NOW):
    payment = PaymentFactory(course=course, amount=amount, list_price=amount, tax=tax, paid_at=at, fee=None)
    payment.order.lines.update(total=amount, tax=tax, list_price=amount, discount=0)
    book_sale(payment)
    return payment


def earned(user):
    return -balances([f"instructor:{user.pk}"]).get(f"instructor:{user.pk}", {}).get("usd", 0)


def test_a_sale_is_divided_by_the_shares_of_its_moment(course, ada):
    bo, cy = join(course, 25), join(course, 5)
    sell(course)
    assert (earned(ada), earned(bo), earned(cy)) == (4_900, 1_750, 350)
    courses.remove_co_instructor(course=course, by=ada, user_id=bo.pk, now=LATER)
    sell(course, at=LATER)
    assert (earned(ada), earned(bo), earned(cy)) == (4_900 + 6_650, 1_750, 700)
    sell(course, at=LATER - timedelta(seconds=1))  # paid before, and told to us late
    assert (earned(ada), earned(bo), earned(cy)) == (2 * 4_900 + 6_650, 3_500, 1_050)


def test_booking_a_sale_again_changes_nothing_though_shares_have_changed(course, ada):
    bo = join(course, 25)
    payment = sell(course)
    courses.change_co_instructor(course=course, by=ada, user_id=bo.pk, role="edit", percent=90, now=LATER)
    book_sale(payment)
    assert (earned(ada), earned(bo)) == (5_250, 1_750)


def test_who_may_not_get_money_leaves_their_share_to_the_instructor(course, ada):
    others = [
        join(course, 10, role=Role.STUDENT), join(course, 10, email_verified_at=None), join(course, 10, is_active=False)
    ]  # fmt: skip
    sell(course)
    assert [earned(user) for user in (ada, *others)] == [7_000, 0, 0, 0]


def test_an_instructor_who_shares_everything_gets_nothing(course, ada):
    bo = join(course, 100)
    sell(course, 1_001, tax=100)
    assert (earned(ada), earned(bo)) == (0, split_sale(1_001, 100, 7_000).instructor)


def test_a_refund_takes_back_from_each_what_they_got(course, ada):
    bo = join(course, 30)
    payment = sell(course, 999, tax=159)
    courses.remove_co_instructor(course=course, by=ada, user_id=bo.pk, now=LATER)
    for number, amount in enumerate((100, 1, 898)):
        services.post_refund(f"re_{number}", payment.gateway_id, amount, occurred_at=LATER)
        assert earned(bo) >= 0
    assert (earned(ada), earned(bo)) == (0, 0)


def test_documents_have_one_line_for_a_course_that_is_shared(course, ada):
    join(course, 30)
    payment = sell(course, 999, tax=159)
    services.post_refund("re_1", payment.gateway_id, 500, occurred_at=LATER)
    issue_documents(payment=payment, now=LATER)
    credit_note = Document.objects.get(kind="credit_note")
    [item] = credit_note.snapshot["facts"]["items"]
    assert (credit_note.total, item["total"]) == (500, 500)
    call_command("check_ledger")


def test_reports_count_one_sale_and_each_their_part(course, ada):
    bo = join(course, 25)
    payment = sell(course, 10_000)
    [by_course] = reports.report(Selection("usd"), "course")
    assert (by_course.count, by_course.amounts["sold"]) == (1, 10_000)
    people = {row.label: row.amounts["sold"] for row in reports.report(Selection("usd"), "instructor")}
    assert people == {ada.display_name: 7_500, bo.display_name: 2_500}
    [year] = yearly_earnings.of_year(2026, "usd", instructor_id=bo.pk)
    assert (year.year.paid, year.year.earned, year.year.sales) == (2_500, 1_750, 1)
    [row] = earnings.transactions(bo.pk, "usd")
    assert (row.paid, row.share) == (2_500, 1_750)
    assert payable(payment.paid_at + timedelta(days=1), instructor_id=bo.pk) == {(bo.pk, "usd"): 1_750}
    assert payable(payment.paid_at, instructor_id=bo.pk) == {}


def test_all_sums_agree_whatever_is_sold_and_given_back(course, ada):
    """Of 60 sales and refunds beside joining, leaving and changing, nobody gets what wasn't theirs at the sale."""
    rng = random.Random(35)
    expected: dict[int, int] = {}
    shares: dict[int, int] = {}
    people = [join(course, 1) for _ in range(3)]
    for user in people:
        courses.change_co_instructor(course=course, by=ada, user_id=user.pk, role="edit", percent=0, now=NOW)
    for number in range(60):
        user = rng.choice(people)
        percent = rng.randint(0, 100 - sum(each for pk, each in shares.items() if pk != user.pk))
        courses.change_co_instructor(
            course=course, by=ada, user_id=user.pk, role="edit", percent=percent, now=NOW + timedelta(hours=number)
        )
        shares[user.pk] = percent
        total = rng.randint(1, 9_999)
        tax = rng.randint(0, total // 3)
        payment = sell(course, total, tax, at=NOW + timedelta(hours=number))
        entries = LedgerEntry.objects.filter(payment_key=payment.gateway_id)
        assert (sum(one.total for one in entries), sum(one.tax for one in entries)) == (total, tax)
        theirs = {user for user, percent in {**shares, ada.pk: 100 - sum(shares.values())}.items() if percent}
        assert {one.instructor_id for one in entries} <= theirs
        whole = split_sale(total, tax, 7_000).instructor
        got = {pk: split_sale(each, part, 7_000).instructor for pk, each, part in _parts(total, tax, ada.pk, shares)}
        assert whole - len(got) < sum(got.values()) <= whole
        back = rng.choice((0, 0, rng.randint(1, total), total))
        if back:
            services.post_refund(f"re_{number}", payment.gateway_id, back, occurred_at=LATER)
        if back < total:
            for pk, amount in got.items():
                expected[pk] = expected.get(pk, 0) + amount
                if back:
                    expected[pk] -= amount * back // total
    for user in (ada, *people):
        assert abs(earned(user) - expected.get(user.pk, 0)) <= 60  # a cent of rounding for each refund
    everything = balances(["provider", "tax", "platform", "refunds", *(f"instructor:{u.pk}" for u in (ada, *people))])
    assert sum(each.get("usd", 0) for each in everything.values()) == 0


def _parts(total, tax, owner, shares):
    return divide_sale(total, tax, owner, {user: percent for user, percent in shares.items() if percent})


def test_the_order_of_shares_decides_nothing():
    one = divide_sale(101, 17, 1, {2: 33, 3: 33})
    assert one == divide_sale(101, 17, 1, {3: 33, 2: 33})
    assert (sum(total for _, total, _ in one), sum(tax for *_, tax in one)) == (101, 17)


def october(day, hour=0):
    return datetime(2026, 10, day, hour, tzinfo=UTC)


def premium_parts():
    services.share_month(OCTOBER, "usd", now=SHARED_AT)
    return dict(PremiumEarning.objects.values_list("instructor", "part"))


def test_premium_belongs_to_those_who_had_it_when_it_was_watched(ada):
    course, other = premium_course(ada), premium_course(ada)
    bo, cy = (CoInstructorFactory(course=course).user for _ in range(2))
    RevenueShareFactory(course=course, user=bo, percent=50, since=october(1), until=october(10, 12))
    RevenueShareFactory(course=course, user=cy, percent=20, since=october(20))
    user = subscriber(course, 10)  # on the 5th
    for minutes, day in ((5, 10), (10, 15), (6, 25)):
        watched(user, course, minutes, date(2026, 10, day))
    opened(user, other)
    watched(user, other, 31, date(2026, 10, 7))
    services.share_month(OCTOBER, "usd", now=SHARED_AT)
    parts = dict(PremiumEarning.objects.filter(course=course).values_list("instructor", "part"))
    # 1,550 for 31 minutes: half of ten minutes and a quarter of five are Bo's, a fifth of six is Cy's.
    assert parts == {bo.pk: 312, cy.pk: 60, ada.pk: 1_178}
    assert earned(bo) == 312 * 7 // 10


def test_premium_of_a_course_that_changed_hands_belongs_to_the_instructor_of_the_day(ada, sam):
    course = premium_course(ada)
    bo = CoInstructorFactory(course=course).user
    courses.offer_course(course=course, by=ada, user_id=bo.pk, now=october(9))
    courses.answer_offer(course=course, by=bo, accepts=True, now=october(10, 12))
    courses.transfer_course(course=course, by=sam, to=ada, now=october(20))
    user = subscriber(course, 10)
    for minutes, day in ((8, 10), (4, 15), (9, 20)):
        watched(user, course, minutes, date(2026, 10, day))
    assert premium_parts() == {ada.pk: 2_300, bo.pk: 800}


def test_who_left_after_the_month_still_gets_what_is_paid_late_for_it(ada):
    course = premium_course(ada)
    bo = CoInstructorFactory(course=course).user
    RevenueShareFactory(course=course, user=bo, percent=50, since=october(1), until=datetime(2026, 11, 1, tzinfo=UTC))
    user = subscriber(course, 10, confirmed_at=datetime(2026, 11, 2, tzinfo=UTC))
    watched(user, course, 30, date(2026, 11, 3))
    november = date(2026, 11, 1)
    services.share_month(november, "usd", now=datetime(2026, 12, 1, 1, tzinfo=UTC))
    assert dict(PremiumEarning.objects.values_list("instructor", "part")) == {ada.pk: 1_550, bo.pk: 1_550}


def test_what_people_of_a_course_watch_of_it_themselves_does_not_count(ada):
    course = premium_course(ada)
    member = CoInstructorFactory(course=course, joined_at=october(3), removed_at=october(9))
    for day in (2, 5, 12):
        watched(member.user, course, day, date(2026, 10, day))
    opened(member.user, course)
    paid(member.user)
    courses_before = premium_course(member.user)
    new = CoInstructorFactory(course=courses_before).user
    courses.offer_course(course=courses_before, by=member.user, user_id=new.pk, now=october(9))
    courses.answer_offer(course=courses_before, by=new, accepts=True, now=october(9))
    opened(member.user, courses_before)
    watched(member.user, courses_before, 60, date(2026, 10, 4))
    services.share_month(OCTOBER, "usd", now=SHARED_AT)
    assert list(PremiumEarning.objects.values_list("course", "seconds")) == [(course.pk, 14 * 60)]


def test_a_sale_belongs_to_the_instructor_of_its_moment(course, ada):
    bo = join(course, 25)
    courses.offer_course(course=course, by=ada, user_id=bo.pk, now=NOW)
    courses.answer_offer(course=course, by=bo, accepts=True, now=LATER)
    order = PaymentFactory(course=course, fee=None, instructor=ada).order
    for moment, instructor in ((LATER, bo), (LATER - timedelta(seconds=1), ada)):
        [line] = services.payments._lines_at(order, moment)
        assert line.instructor_id == instructor.pk
    payment = PaymentFactory(course=course, fee=None, instructor=ada, amount=10_000, paid_at=NOW)
    book_sale(payment)  # told to us after the course had changed hands
    assert (earned(ada), earned(bo)) == (5_250, 1_750)


def test_a_dispute_after_the_removal_is_divided_as_the_sale_was_and_comes_back_when_it_is_won(course, ada):
    bo = join(course, 30)
    payment = sell(course, 999, tax=159)
    before = (earned(ada), earned(bo))
    courses.remove_co_instructor(course=course, by=ada, user_id=bo.pk, now=LATER)
    for reinstated, expected in ((0, (0, 0)), (999, before)):
        moves = services.DisputeMoves(999, reinstated)
        services.post_dispute("dp_1", payment.gateway_id, moves, is_closed=True, opened_at=LATER, occurred_at=LATER)
        assert (earned(ada), earned(bo)) == expected


@all_cases("total", [0, 1, 2, 99, 1_000, 999_999_999, 12_345])
def test_the_parts_of_a_sale_add_up_in_every_currency(total):
    """Amounts are in the smallest unit, so yen, cents and fils are divided alike."""
    for tax in (0, total // 6, total):
        for shares in ({}, {2: 100}, {2: 33, 3: 33, 4: 33}, {2: 1, 3: 1}):
            parts = divide_sale(total, tax, 1, shares)
            assert (sum(part for _, part, _ in parts), sum(part for *_, part in parts)) == (total, tax)
            assert all(0 <= part_of_tax <= part for _, part, part_of_tax in parts)
            whole = split_sale(total, tax, 7_000).instructor
            got = sum(split_sale(part, part_of_tax, 7_000).instructor for _, part, part_of_tax in parts)
            assert whole - max(0, len(parts) - 1) <= got <= whole


def test_the_earnings_page_names_the_share(course, browser_of):
    bo = join(course, 25)
    sell(course)
    page = browser_of(bo).get("/dashboard/instructor/earnings/?period=all").content.decode()
    assert "Your share: 25\N{NO-BREAK SPACE}%" in page or "Your share: 25 %" in page
