"""The pages on which instructors and admins give promo codes."""

import re
from datetime import UTC, datetime, timedelta
from html import unescape

import pytest
import time_machine
from django.utils import timezone

from apps.billing.models import PromoCode, Redemption
from apps.billing.purchases import purchase_of_course
from apps.billing.services import checkout, promo
from apps.billing.services.payments import book_sale
from tests.factories.selling import NOW, OrderFactory, PaidCourseFactory, PaymentFactory, PromoCodeFactory

pytestmark = pytest.mark.django_db
OWN = "/dashboard/instructor/promo-codes/"
ALL = "/dashboard/admin/promo-codes"


@pytest.fixture
def paid(ada):
    return PaidCourseFactory(
        instructor=ada, title="How Compilers Think", slug="how-compilers-think", published_at=NOW, price=6400
    )


def filled(**other):
    return {
        "code": "spring-26", "kind": "percent", "percent": "20", "amount": "", "scope": "course",
        "course": "how-compilers-think", "limit": "", "limit_per_user": "1", "first_day": "", "last_day": "",
    } | other  # fmt: skip


def errors_of(answer):
    """The errors below the fields of the page, by the field's name."""
    found = re.findall(r'id="id_(\w+)-e">.*?<span>(.*?)</span>', answer.content.decode(), re.S)
    return {name: unescape(text) for name, text in found}


def used_by(code, user, course, *, refunded=0):
    """A paid order with the code, in the books."""
    redemption = promo.reserve(code=code, user=user, now=NOW)
    order = OrderFactory(
        user=user, course=course, promo_code=code, redemption=redemption, discount=1400, total=5000, status="paid"
    )
    promo.keep(redemption, now=NOW)
    payment = PaymentFactory(
        user=user, course=course, order=order, amount=5000, discount=1400, promo_code=code.code, tax=0
    )
    book_sale(payment)
    return payment


@time_machine.travel(NOW, tick=False)
def test_an_instructor_creates_a_code_whose_days_are_in_their_time_zone(browser_of, ada, mia, paid):
    ada.time_zone = "America/New_York"
    ada.save()
    browser = browser_of(ada)
    assert "How Compilers Think" in browser.get(f"{OWN}new").content.decode()

    answer = browser.post(f"{OWN}new", filled(first_day="2026-06-02", last_day="2026-06-30", limit="10"))

    code = PromoCode.objects.get()
    assert answer["Location"] == f"{OWN}{code.uid}"
    assert (code.code, code.percent, code.course, code.created_by, code.limit) == ("SPRING-26", 20, paid, ada, 10)
    assert code.starts_at == datetime(2026, 6, 2, 4, tzinfo=UTC)
    assert code.ends_at == datetime(2026, 7, 1, 4, tzinfo=UTC)
    page = browser.get(OWN).content.decode()
    assert "Scheduled" in page
    assert "2 June 2026 to 30 June 2026" in page
    assert (
        promo.find_code(text="spring-26", user=mia, purchase=purchase_of_course(paid), now=NOW + timedelta(days=3))
        == code
    )


@pytest.mark.parametrize(
    ("change", "field", "said"),
    [
        ({"code": ""}, "code", "Enter the code."),
        ({"code": "ab"}, "code", "at least 3"),
        ({"code": "SPR\u200bING"}, "code", "invisible character"),
        ({"code": "SPR ING"}, "code", "Use letters"),
        ({"code": "straße"}, "code", "Use letters"),
        ({"code": "taken"}, "code", "Another promo code is already called TAKEN"),
        ({"percent": "0"}, "percent", "from 1 to 100"),
        ({"percent": "101"}, "percent", "from 1 to 100"),
        ({"percent": "9.5"}, "percent", "from 1 to 100"),
        ({"percent": ""}, "percent", "from 1 to 100"),
        ({"kind": "amount", "amount": "64.01"}, "amount", "The course costs $64."),
        ({"kind": "amount", "amount": "0"}, "amount", "Enter an amount"),
        ({"kind": "amount", "amount": ""}, "amount", "Enter an amount"),
        ({"kind": "amount", "amount": "65", "scope": "instructor"}, "amount", "The highest price is $64."),
        ({"course": ""}, "course", "Choose the course."),
        ({"course": "eves-course"}, "course", "not one of the available choices"),
        ({"scope": "all"}, "scope", "not one of the available choices"),
        ({"scope": "premium"}, "scope", "not one of the available choices"),
        ({"limit": "0"}, "limit", "from 1 to 1,000,000"),
        ({"limit_per_user": ""}, "limit_per_user", "Enter how often"),
        ({"first_day": "2026-06-05", "last_day": "2026-06-04"}, "last_day", "before the first one"),
        ({"last_day": "2026-05-31"}, "last_day", "has passed"),
        ({"last_day": "9999-12-31"}, "last_day", "before 2100"),
        ({"first_day": "0001-01-01"}, "first_day", "after 1999"),
    ],
)
@time_machine.travel(NOW, tick=False)
def test_bad_input_is_explained_at_its_field_and_kept(browser_of, ada, eve, paid, change, field, said):
    PaidCourseFactory(instructor=eve, slug="eves-course", published_at=NOW)
    PromoCodeFactory(code="TAKEN")

    answer = browser_of(ada).post(f"{OWN}new", filled(**change))

    assert answer.status_code == 422
    assert said in errors_of(answer)[field]
    assert f'value="{change.get("code", "spring-26")}"' in answer.content.decode()
    assert not PromoCode.objects.exclude(code="TAKEN").exists()


@time_machine.travel(NOW, tick=False)
def test_an_admin_creates_codes_for_one_course_one_instructor_all_and_premium(browser_of, ada, sam, paid):
    browser = browser_of(sam)
    scopes = {
        "ONE": {"scope": "course"},
        "HERS": {"scope": "instructor", "instructor": "ADA"},
        "ALL": {"scope": "all", "kind": "amount", "amount": "9.50"},
        "GEM": {"scope": "premium"},
    }
    for name, change in scopes.items():
        assert browser.post(f"{ALL}/new", filled(code=name, **change)).status_code == 302

    codes = {code.code: code for code in PromoCode.objects.all()}
    assert codes["ONE"].course == paid
    assert codes["HERS"].instructor == ada
    assert (codes["ALL"].scope, codes["ALL"].amount, codes["ALL"].currency) == ("all", 950, "usd")
    assert codes["GEM"].scope == "premium"
    for change, field in [({"scope": "instructor", "instructor": "nobody"}, "instructor"), ({"course": "x"}, "course")]:
        answer = browser.post(f"{ALL}/new", filled(code="OTHER", **change))
        assert (answer.status_code, list(errors_of(answer))) == (422, [field])


def test_an_instructor_sees_codes_for_their_courses_and_changes_their_own(browser_of, ada, eve, sam, paid):
    own = PromoCodeFactory(code="OWN", scope="course", course=paid, created_by=ada)
    given = PromoCodeFactory(code="GIVEN", scope="instructor", instructor=ada, created_by=sam)
    general = PromoCodeFactory(code="GENERAL", created_by=sam)
    browser = browser_of(ada)

    page = browser.get(OWN).content.decode()
    assert ("OWN" in page, "GIVEN" in page, "GENERAL" in page) == (True, True, False)
    assert browser.get(f"{OWN}{given.uid}").status_code == 200
    assert browser.get(f"{OWN}{general.uid}").status_code in {302, 404}
    for code in (given, general):
        browser.post(f"{OWN}{code.uid}/switch", {"on": ""})
        browser.post(f"{OWN}{code.uid}/edit", filled(limit_per_user="7"))
    browser_of(eve).post(f"{OWN}{own.uid}/switch", {"on": ""})
    assert PromoCode.objects.filter(is_active=True, limit_per_user=1).count() == 3

    browser.post(f"{OWN}{own.uid}/switch", {"on": ""})
    assert not PromoCode.objects.get(pk=own.pk).is_active
    assert "Off" in browser.get(f"{OWN}{own.uid}").content.decode()
    browser_of(sam).post(f"{OWN}{own.uid}/switch", {"on": "1"})
    assert PromoCode.objects.get(pk=own.pk).is_active


def test_a_code_of_a_course_that_was_handed_over_belongs_to_its_new_instructor(browser_of, ada, eve, paid):
    code = PromoCodeFactory(code="OLD", scope="course", course=paid, created_by=ada)
    paid.instructor = eve
    paid.save()

    browser_of(ada).post(f"{OWN}{code.uid}/switch", {"on": ""})

    assert PromoCode.objects.get().is_active
    assert "OLD" in browser_of(eve).get(OWN).content.decode()


@pytest.mark.database
@time_machine.travel(NOW, tick=False)
def test_the_terms_of_a_used_code_are_fixed_and_its_limits_are_not(browser_of, ada, mia, paid):
    code = PromoCodeFactory(code="USED", scope="course", course=paid, created_by=ada, limit=5)
    browser, address = browser_of(ada), f"{OWN}{code.uid}/edit"
    browser.post(address, filled(code="used", percent="30"))
    code.refresh_from_db()
    assert (code.percent, code.limit) == (30, None)
    promo.reserve(code=code, user=mia, now=NOW)

    answer = browser.post(address, filled(code="OTHER", percent="90", limit="3", last_day="2026-06-09"))

    assert answer.status_code == 302
    code.refresh_from_db()
    assert (code.code, code.percent, code.limit, code.used) == ("USED", 30, 3, 1)
    promo.reserve(code=PromoCodeFactory(), user=mia, now=NOW)
    PromoCode.objects.filter(pk=code.pk).update(used=3)
    refused = browser.post(address, {"limit": "2", "limit_per_user": "1"})
    assert "so far: 3." in errors_of(refused)["limit"]


@time_machine.travel(NOW, tick=False)
def test_days_that_were_not_changed_keep_their_moments(browser_of, ada, sam, paid):
    starts, ends = NOW + timedelta(hours=1), NOW + timedelta(days=3, hours=1)
    code = PromoCodeFactory(scope="course", course=paid, created_by=ada, starts_at=starts, ends_at=ends)
    sam.time_zone = "Asia/Tokyo"
    sam.save()
    page = browser_of(sam).get(f"{OWN}{code.uid}/edit").content.decode()

    days = {name: re.search(rf'id="id_{name}"[^>]* value="([^"]*)"', page)[1] for name in ("first_day", "last_day")}
    assert days == {"first_day": "2026-06-01", "last_day": "2026-06-04"}
    browser_of(sam).post(f"{OWN}{code.uid}/edit", filled(**days, limit="4"))

    code.refresh_from_db()
    assert (code.limit, code.starts_at, code.ends_at) == (4, starts, ends)


@pytest.mark.database
def test_the_page_of_a_code_shows_its_use_without_emails_to_an_instructor(browser_of, ada, sam, mia, leo, paid):
    code = PromoCodeFactory(code="HEDGE", scope="course", course=paid, created_by=ada, limit=10, limit_per_user=2)
    used_by(code, mia, paid)
    given_back = promo.reserve(code=code, user=leo, now=NOW)
    promo.give_back(given_back, now=NOW)

    page = browser_of(ada).get(f"{OWN}{code.uid}").content.decode()
    assert "1 of 10" in page
    assert "$14" in page
    assert "$50" in page
    assert mia.display_name in page
    assert mia.email not in page
    assert leo.display_name not in page
    assert mia.email in browser_of(sam).get(f"{OWN}{code.uid}").content.decode()


@pytest.mark.database
@time_machine.travel(NOW, tick=False)
def test_the_list_filters_by_state_text_and_course(browser_of, sam, ada, paid):
    PromoCodeFactory(code="NOWON", scope="course", course=paid)
    PromoCodeFactory(code="LATER", starts_at=NOW + timedelta(days=1))
    PromoCodeFactory(code="SPENT", limit=1, used=1)
    PromoCodeFactory(code="ENDED", ends_at=NOW)
    PromoCodeFactory(code="DARK", is_active=False)
    browser = browser_of(sam)

    def codes(query):
        return set(re.findall(r'promo__code" href="[^"]*">(\w+)<', browser.get(f"{ALL}?{query}").content.decode()))

    assert codes("") == {"NOWON", "LATER", "SPENT", "ENDED", "DARK"}
    found = {state: codes(f"state={state}") for state in ("active", "scheduled", "used_up", "expired", "off")}
    assert list(found.values()) == [{"NOWON"}, {"LATER"}, {"SPENT"}, {"ENDED"}, {"DARK"}]
    assert codes("q=compilers") == {"NOWON"}
    assert codes("q=ada") == {"NOWON"}
    assert codes("q=dar&state=off") == {"DARK"}
    assert codes("state=nonsense&page=99&q=%00") == {"NOWON", "LATER", "SPENT", "ENDED", "DARK"}
    other = PaidCourseFactory(slug="other")
    PromoCodeFactory(code="OTHER", scope="course", course=other)
    assert codes(f"course={paid.slug}") == {"NOWON", "LATER", "SPENT", "ENDED", "DARK"}


def test_many_codes_and_uses_cost_ten_queries(browser_of, ada, sam, mia, paid, django_assert_max_num_queries):
    code = PromoCodeFactory(code="HEDGE", scope="course", course=paid, created_by=ada)
    used_by(code, mia, paid)
    PromoCode.objects.bulk_create(
        PromoCode(code=f"C{n}", created_by=ada, scope="course", course=paid, percent=5, created_at=NOW)
        for n in range(400)
    )
    Redemption.objects.bulk_create(
        Redemption(code=code, user=mia, state="used", created_at=NOW, updated_at=NOW) for _ in range(400)
    )
    for person, address in [(ada, OWN), (sam, ALL), (ada, f"{OWN}{code.uid}")]:
        browser = browser_of(person)
        browser.get(address)
        with django_assert_max_num_queries(10):
            assert browser.get(address).status_code == 200


@pytest.mark.parametrize("person", ["mia", "ada"])
def test_a_learner_opens_none_of_the_pages_and_an_instructor_not_those_of_admins(
    request, browser_of, ada, paid, person
):
    code = PromoCodeFactory(scope="course", course=paid, created_by=ada)
    browser = browser_of(request.getfixturevalue(person))
    pages = [ALL, f"{ALL}/new"]
    if person == "mia":
        pages += [OWN, f"{OWN}new", f"{OWN}{code.uid}", f"{OWN}{code.uid}/edit"]
        browser.post(f"{OWN}{code.uid}/switch", {"on": ""})
    for page in pages:
        assert browser.get(page)["Location"] == "/"
    browser.post(f"{ALL}/new", filled(scope="all"))
    assert [each.is_active for each in PromoCode.objects.all()] == [True]


@pytest.mark.parametrize("name", ["used", "limit"])
def test_a_limit_that_is_lowered_while_someone_reserves_is_refused_at_its_field(browser_of, ada, paid, name):
    code = PromoCodeFactory(scope="course", course=paid, created_by=ada, limit=5, used=4)

    answer = browser_of(ada).post(f"{OWN}{code.uid}/edit", filled(code=code.code, limit="3"))

    assert answer.status_code == 422
    assert "so far: 4." in answer.content.decode()
    assert PromoCode.objects.get(pk=code.pk).limit == 5


def test_a_code_that_makes_a_course_free_charges_nothing_at_the_provider(standin, browser_of, ada, mia, paid):
    browser_of(ada).post(f"{OWN}new", filled(code="GIFT", percent="100"))

    begun = checkout.begin_order(
        user=mia, purchase=purchase_of_course(paid),
        code="gift", country="", email="", expected_total=0, expected_currency="usd", card="",
        saves_card=False, agrees=True, now=timezone.now(),
    )  # fmt: skip

    secret = {"Authorization": f"Bearer {standin.secret_key}"}
    assert (begun.order.status, begun.client_secret) == ("paid", "")
    assert standin.call("GET", "/v1/payment_intents", {}, secret).body["data"] == []
    assert "1" in browser_of(ada).get(f"{OWN}{PromoCode.objects.get().uid}").content.decode()


def test_the_instructor_s_list_says_what_each_course_costs_and_the_course_leads_to_its_codes(browser_of, ada, paid):
    PaidCourseFactory(instructor=ada, pricing="premium", price=0, title="Only for subscribers")
    browser = browser_of(ada)

    page = browser.get("/dashboard/instructor/courses/").content.decode()
    assert '<span class="price">$64</span>' in page
    assert re.search(r"badge--premium.*?Premium</span>", page)
    assert (
        f"{OWN}?course={paid.slug}" in browser.get(f"/dashboard/instructor/courses/{paid.slug}/edit").content.decode()
    )
