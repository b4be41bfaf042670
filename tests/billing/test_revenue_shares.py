"""The instructor's part of a sale is divided at its moment, and given back by whom it was given to."""

import random
from datetime import UTC, datetime, timedelta

import pytest
from django.core.management import call_command

from apps.accounts.models import Role, User
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
from tests.billing.test_premium_shares import OCTOBER, premium_course, subscriber
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
    sell(course)
    assert (earned(ada), earned(bo), earned(cy)) == (4_900 + 6_650, 1_750, 700)


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


def test_premium_is_divided_by_the_days_of_each_share(ada):
    course = premium_course(ada)
    member = CoInstructorFactory(course=course)
    start = datetime(2026, 10, 1, tzinfo=UTC)
    # Half of the instructor's part, for half of the month.
    RevenueShareFactory(
        course=course, user=member.user, percent=50, since=start, until=start + timedelta(days=15, hours=12)
    )
    subscriber(course, 60)
    services.share_month(OCTOBER, "usd", now=SHARED_AT)
    rows = dict(PremiumEarning.objects.values_list("instructor", "part"))
    assert rows == {ada.pk: 2_325, member.user_id: 775}
    assert earned(member.user) == 542
    assert User.objects.filter(pk__in=rows).count() == 2


def test_an_order_that_is_paid_later_belongs_to_who_has_the_course_then(course, ada):
    bo = join(course, 25)
    payment = PaymentFactory(course=course, fee=None)
    courses.offer_course(course=course, by=ada, user_id=bo.pk, now=NOW)
    courses.answer_offer(course=course, by=bo, accepts=True, now=NOW)
    [line] = services.payments._present_lines(payment.order)
    assert line.instructor_id == bo.pk


def test_the_earnings_page_names_the_share(course, browser_of):
    bo = join(course, 25)
    sell(course)
    page = browser_of(bo).get("/dashboard/instructor/earnings/?period=all").content.decode()
    assert "Your share: 25\N{NO-BREAK SPACE}%" in page or "Your share: 25 %" in page
