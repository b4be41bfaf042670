"""Bundles: who makes them, when they are for sale, what they cost, and what becomes of their parts."""

import html

import pytest
from django.utils import timezone
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.billing import extensions, policies
from apps.billing.errors import BundleNotForSale, BundleOwned, BundleRefused, PriceChanged, PromoCodeRefused
from apps.billing.models import Bundle, BundleCourse, Grant, Order, Payment, Refund
from apps.billing.prices import quote
from apps.billing.purchases import lines_of, purchase_of_bundle, purchase_of_course
from apps.billing.queries.bundles import bundle_by_slug, bundles_with, purchase_for, views_of
from apps.billing.queries.ledger import balances
from apps.billing.services import bundles, checkout, disputes, refund_rule, refunds
from apps.billing.services.bundles import BundleTerms
from apps.billing.tax import Tax, TaxTreatment
from apps.courses.models import Course
from studyplatform.kit import jobs
from studyplatform.kit.errors import AppError
from tests.factories.selling import GrantFactory, PaidCourseFactory, PromoCodeFactory

pytestmark = pytest.mark.database
NOW = timezone.now()
OWN, ALL = "/dashboard/instructor/bundles/", "/dashboard/admin/bundles"


@pytest.fixture
def rivers(ada):
    return PaidCourseFactory(instructor=ada, title="Rivers", slug="rivers", price=6400)


@pytest.fixture
def maps(ada):
    return PaidCourseFactory(instructor=ada, title="Maps", slug="maps", price=3200)


@pytest.fixture
def coasts(eve):
    return PaidCourseFactory(instructor=eve, title="Coasts", slug="coasts", price=3200)


def make(by, courses, price=8000, title="Water"):
    terms = BundleTerms(title=title, summary="", price=price, courses=courses)
    return bundles.create_bundle(by=by, terms=terms, now=NOW)


@pytest.fixture
def water(sam, rivers, maps, coasts):
    """Three courses of two instructors for 96.00 instead of 128.00."""
    return make(sam, [rivers, maps, coasts], price=9600)


def begin(user, bundle, *, total, code="", card=""):
    purchase = purchase_for(user, bundle_by_slug(bundle.slug))
    return checkout.begin_order(
        user=user, purchase=purchase, code=code, country="", email="", expected_total=total, expected_currency="usd",
        card=card, saves_card=False, agrees=True, now=timezone.now(),
    )  # fmt: skip


def buy(card_form, user, bundle, *, total=9600, code=""):
    begun = begin(user, bundle, total=total, code=code)
    card_form.confirm(begun.client_secret)
    checkout.sync_order(order=begun.order, now=timezone.now())
    return Payment.objects.get(order=begun.order)


def open_to(user):
    return set(Grant.objects.active().of(user.pk).values_list("course__slug", flat=True))


# --- The division -------------------------------------------------------------------------------------


@settings(max_examples=150, deadline=None, derandomize=True, database=None)
@given(
    prices=st.lists(st.integers(1, 99_999), min_size=2, max_size=20),
    percent=st.integers(1, 99),
    off=st.integers(0, 100),
    rate=st.sampled_from([0, 700, 1900, 2100]),
    owned=st.sets(st.integers(0, 19)),
)
def test_lines_add_up_to_what_is_charged(prices, percent, off, rate, owned):
    courses = [Course(pk=number, title="x", price=price, instructor_id=1) for number, price in enumerate(prices)]
    bundle = Bundle(title="x", price=max(1, sum(prices) * percent // 100), currency="usd")
    whole = purchase_of_bundle(bundle, courses)
    part = purchase_of_bundle(bundle, courses, owned=owned)
    rest = purchase_of_bundle(bundle, courses, owned=set(range(20)) - owned)
    assert whole.price == bundle.price
    assert part.price + rest.price == bundle.price

    price = quote(
        list_price=part.price,
        discount=part.price * off // 100,
        currency="usd",
        tax=Tax(rate, TaxTreatment.STANDARD, "DE"),
    )
    lines = lines_of(part, price)
    for name in ("list_price", "discount", "total", "tax"):
        assert sum(getattr(line, name) for line in lines) == (getattr(price, name) if part.price else 0)
    for line in lines:
        assert line.total == line.list_price - line.discount
        assert 0 <= line.tax <= line.total


# --- Selling ------------------------------------------------------------------------------------------


def test_a_bundle_opens_all_its_courses_and_pays_their_instructors(
    standin, card_form, webhooks, water, mia, ada, eve, rivers
):
    payment = buy(card_form, mia, water)
    webhooks()

    assert open_to(mia) == {"rivers", "maps", "coasts"}
    assert (payment.title, payment.course, payment.instructor) == ("Water", None, None)
    assert [line.total for line in payment.lines] == [4800, 2400, 2400]
    found = balances([f"instructor:{ada.pk}", f"instructor:{eve.pk}", "platform"])
    assert {code: sums["usd"] for code, sums in found.items()} == {
        f"instructor:{ada.pk}": -5040, f"instructor:{eve.pk}": -1680, "platform": -2880,
    }  # fmt: skip
    with pytest.raises(BundleOwned):
        begin(mia, water, total=9600)

    bundles.change_bundle(
        by=water.created_by,
        bundle=water,
        terms=BundleTerms(title="Water", summary="", price=5000, courses=[rivers, *Course.objects.filter(slug="maps")]),
        now=NOW,
    )
    bundles.switch_bundle(by=water.created_by, bundle=water, on=False, now=NOW)
    assert open_to(mia) == {"rivers", "maps", "coasts"}  # those who bought it keep it


def test_courses_that_the_buyer_owns_are_left_out_with_their_part_of_the_price(card_form, water, mia, rivers):
    GrantFactory(user=mia, course=rivers)
    with pytest.raises(PriceChanged):
        begin(mia, water, total=9600)

    payment = buy(card_form, mia, water, total=4800)

    assert [(line.title, line.total) for line in payment.lines] == [("Maps", 2400), ("Coasts", 2400)]
    assert Grant.objects.filter(user=mia, course=rivers).count() == 1


def test_a_course_bought_meanwhile_is_given_back_with_its_part(card_form, webhooks, water, mia, rivers):
    begun = begin(mia, water, total=9600)
    alone = checkout.begin_order(
        user=mia, purchase=purchase_of_course(rivers), code="", country="", email="", expected_total=6400,
        expected_currency="usd", card="", saves_card=False, agrees=True, now=timezone.now(),
    )  # fmt: skip
    for each in (alone, begun):
        card_form.confirm(each.client_secret)
        checkout.sync_order(order=each.order, now=timezone.now())
    jobs.run_pending("default")
    jobs.run_pending("default")

    payment = Payment.objects.get(order=begun.order)
    assert payment.refunded == 4800
    assert open_to(mia) == {"rivers", "maps", "coasts"}
    refunds.refund_duplicate(payment=payment, now=timezone.now())
    payment.refresh_from_db()
    assert payment.refunded == 4800


def test_a_whole_refund_closes_all_and_a_lost_dispute_too(card_form, webhooks, water, mia, leo, ada, eve, standin):
    payment = buy(card_form, mia, water)
    assert refunds.is_immediate(payment=payment, now=timezone.now())
    refunds.request_refund(user=mia, payment=payment, reason="", now=timezone.now())
    assert open_to(mia) == set()

    contested = buy(card_form, leo, water)
    dispute = standin.dispute(contested.gateway_id)["id"]
    disputes.sync_dispute(dispute=dispute, now=timezone.now())
    assert open_to(leo) == {"rivers", "maps", "coasts"}  # while the bank decides
    standin.decide_dispute(dispute, won=False)
    disputes.sync_dispute(dispute=dispute, now=timezone.now())

    assert open_to(leo) == set()
    found = balances([f"instructor:{one.pk}" for one in (ada, eve)])
    assert [sums["usd"] for sums in found.values()] == [0, 0]


def test_a_bundle_with_a_consumed_course_is_not_refunded_automatically(
    browser_of, standin, card_form, water, mia, maps, monkeypatch, settings
):
    """However small its part of the price is: here a quarter."""
    payment = buy(card_form, mia, water)
    used = {maps.pk: settings.REFUND_PERCENT - 1}
    monkeypatch.setattr(extensions, "consumed_percents", lambda pairs: {pair: used.get(pair[1], 0) for pair in pairs})
    page = f"/billing/transactions/{payment.uid}/refund"
    assert "used at most 19% of each course" in browser_of(mia).get(page).content.decode()

    used[maps.pk] = 60
    assert refund_rule.consumed_percents([payment])[payment.pk] == 15 < settings.REFUND_PERCENT
    assert "used 60% of one of the courses" in html.unescape(browser_of(mia).get(page).content.decode())
    refund = refunds.request_refund(user=mia, payment=payment, reason="x", now=timezone.now())
    assert refund.status == Refund.Status.REQUESTED


def test_what_changes_while_the_checkout_is_open_is_shown_again(water, mia, maps, standin, sam):
    first = begin(mia, water, total=9600).order
    Course.objects.filter(pk=maps.pk).update(status="archived")
    with pytest.raises(BundleNotForSale):
        begin(mia, water, total=9600)
    Course.objects.filter(pk=maps.pk).update(status="published", price=9600)

    # The total is the same, but the parts of the instructors are not: another order.
    second = begin(mia, water, total=9600).order

    assert [line.total for line in second.lines.all()] == [3200, 4800, 1600]
    first.refresh_from_db()
    assert first.status == Order.Status.CANCELED
    bundles.switch_bundle(by=sam, bundle=water, on=False, now=NOW)
    with pytest.raises(BundleNotForSale):
        begin(mia, water, total=9600)


def test_promo_codes_for_all_courses_apply_and_others_say_why_not(card_form, water, mia, ada, rivers):
    PromoCodeFactory(code="ALL10")
    PromoCodeFactory(code="ADA", scope="instructor", instructor=ada)
    PromoCodeFactory(code="ONE", scope="course", course=rivers)
    for code in ("ADA", "ONE"):
        with pytest.raises(PromoCodeRefused, match="single courses"):
            begin(mia, water, total=8640, code=code)

    payment = buy(card_form, mia, water, total=8640, code="all10")

    assert [(line.discount, line.total) for line in payment.lines] == [(480, 4320), (240, 2160), (240, 2160)]


# --- When it is for sale ------------------------------------------------------------------------------


def test_each_obstacle_is_named_and_ends_the_sale(water, rivers, maps, ada, eve, coasts):
    changes = [
        (Bundle, water.pk, {"is_active": False}, "withdrawn"),
        (Bundle, water.pk, {"currency": "eur"}, "another currency"),
        (Bundle, water.pk, {"price": 12_800}, "saves nothing"),
        (Bundle, water.pk, {"instructor": ada}, "another instructor"),
        (Course, rivers.pk, {"status": "suspended"}, "“Rivers” isn't published"),
        (Course, rivers.pk, {"pricing": "premium", "price": 0}, "no longer has a one-time price"),
        (Course, rivers.pk, {"currency": "eur"}, "“Rivers” is priced in another"),
        (type(eve), eve.pk, {"is_active": False}, "The instructor of “Coasts” has left"),
        (type(eve), eve.pk, {"deleted_at": NOW}, "The instructor of “Coasts” has left"),
    ]
    for model, pk, change, reason in changes:
        before = model.objects.filter(pk=pk).values(*change).get()
        model.objects.filter(pk=pk).update(**change)
        view = bundle_by_slug("water")
        assert any(reason in text for text in view.obstacles), (change, view.obstacles)
        assert not Bundle.objects.for_sale().exists(), change
        assert bundles_with(maps) == []
        model.objects.filter(pk=pk).update(**before)
    assert bundle_by_slug("water").obstacles == ()
    [link] = bundles_with(maps)
    assert (link.saving, link.course_count) == (3200, 3)


@pytest.mark.parametrize("price", [0, 49, 9600, 12_000])
def test_a_price_that_is_too_low_or_saves_nothing_is_refused(ada, rivers, maps, price):
    with pytest.raises(BundleRefused):
        make(ada, [rivers, maps], price=price)
    assert not Bundle.objects.exists()


def test_instructors_bundle_their_own_courses_alone(ada, eve, mia, rivers, maps, coasts):
    free = PaidCourseFactory(instructor=ada, pricing="free", price=0)
    draft = PaidCourseFactory(instructor=ada, status="draft")
    for other in (coasts, free, draft, rivers):
        with pytest.raises(BundleRefused):
            make(ada, [rivers, other], price=5000)
    with pytest.raises(AppError):
        make(mia, [rivers, maps])
    own = make(ada, [rivers, maps])
    with pytest.raises(AppError):
        bundles.switch_bundle(by=eve, bundle=own, on=False, now=NOW)
    assert make(ada, [rivers, maps]).slug == "water-2"


# --- Pages --------------------------------------------------------------------------------------------


def test_an_instructor_makes_changes_and_withdraws_a_bundle(browser_of, ada, rivers, maps, water):
    browser = browser_of(ada)
    assert "Water" in browser.get(OWN).content.decode()  # of an admin, with courses of theirs
    assert browser.get(f"{OWN}new").status_code == 200
    wrong = browser.post(f"{OWN}new", {"title": "Land", "courses": ["rivers", "coasts"], "price": "80"})
    assert (wrong.status_code, "coasts" in wrong.content.decode()) == (422, True)

    made = browser.post(f"{OWN}new", {"title": "Land", "courses": ["rivers", "maps"], "price": "80.50"})
    land = Bundle.objects.get(title="Land")
    assert (made.status_code, land.price, land.instructor) == (302, 8050, ada)
    edit = f"{OWN}{land.uid}/edit"
    assert 'value="80.50"' in browser.get(edit).content.decode()
    assert browser.post(edit, {"title": "Land", "courses": ["rivers", "maps"], "price": "96"}).status_code == 422
    browser.post(edit, {"title": "Shore", "courses": ["maps", "rivers"], "price": "70"})
    browser.post(f"{OWN}{land.uid}/switch", {"on": ""})
    land.refresh_from_db()
    assert (land.title, land.price, land.slug, land.is_active) == ("Shore", 7000, "land", False)
    assert "Withdrawn" in browser.get(OWN).content.decode()


def test_who_may_open_the_pages_of_bundles(browser_of, client, mia, eve, sam, ada, rivers, maps):
    own = make(ada, [rivers, maps])
    edit, switch = f"{OWN}{own.uid}/edit", f"{OWN}{own.uid}/switch"
    for page in (OWN, f"{OWN}new", edit, ALL):
        assert client.get(page).status_code == 302
        assert browser_of(mia).get(page).status_code == 302
    assert browser_of(eve).get(edit).status_code in {302, 404}
    for visitor in (client, browser_of(mia), browser_of(eve)):
        visitor.post(switch, {"on": ""})
    own.refresh_from_db()
    assert own.is_active
    admin = browser_of(sam)
    assert "Water" in admin.get(ALL).content.decode()
    assert admin.get(edit).status_code == 200
    for visitor in (client, browser_of(mia), browser_of(ada)):
        assert "Rivers" in visitor.get("/bundles/water/").content.decode()
    assert browser_of(mia).get("/bundles/fire/").status_code == 404
    assert policies.manage_bundle(eve, own) is not None


def test_the_page_says_what_the_learner_saves_and_owns(browser_of, client, mia, rivers, water):
    shown = client.get("/bundles/water/").content.decode()
    assert "$96" in shown
    assert "Save $32" in shown
    GrantFactory(user=mia, course=rivers)
    shown = browser_of(mia).get("/bundles/water/").content.decode()
    assert "$48" in shown
    assert "you pay for the others only" in shown
    page = browser_of(mia).get("/billing/checkout?bundle=water").content.decode()
    assert "Yours already" in page
    assert "$48.00" in page
    Course.objects.filter(slug="maps").update(status="draft")
    shown = client.get("/bundles/water/").content.decode()
    assert "Maps" not in shown  # a draft is not shown to others
    assert "Not for sale" in shown
    assert browser_of(mia).get("/billing/checkout?bundle=water")["Location"] == "/bundles/water/"


def test_a_course_and_the_catalog_lead_to_the_bundle(browser_of, client, water):
    page = client.get("/courses/maps").content.decode()
    assert "Also in a bundle:" in page
    assert "save $32" in page
    for query in ("", "?q=water", "?q=coasts"):
        assert "/bundles/water/" in client.get(f"/courses/{query}").content.decode()
    assert "/bundles/water/" not in client.get("/courses/?q=zebra").content.decode()
    assert "/bundles/water/" in client.get("/bundles/").content.decode()


def test_the_api_sells_either_a_course_or_a_bundle(browser_of, mia, water):
    browser = browser_of(mia)
    quote_of = {"course": "", "bundle": "water"}
    answer = browser.post("/api/v1/billing/quote/", quote_of, content_type="application/json")
    assert (answer.status_code, answer.json()["total"]) == (200, 9600)
    for wrong in ({"course": "rivers", "bundle": "water"}, {}, {"bundle": ""}):
        assert browser.post("/api/v1/billing/quote/", wrong, content_type="application/json").status_code == 400
    assert browser.post("/api/v1/billing/quote/", {"bundle": "x"}, content_type="application/json").status_code == 404


def test_many_bundles_cost_no_query_each(browser_of, sam, ada, client, django_assert_max_num_queries):
    courses = [PaidCourseFactory(instructor=ada) for _ in range(4)]
    rows = Bundle.objects.bulk_create(
        Bundle(slug=f"b{n}", title=f"Bundle {n}", price=5000, created_by=sam, created_at=NOW, updated_at=NOW)
        for n in range(45)
    )
    BundleCourse.objects.bulk_create(
        BundleCourse(bundle=row, course=course, position=n) for row in rows for n, course in enumerate(courses)
    )
    admin = browser_of(sam)
    with django_assert_max_num_queries(9):
        assert admin.get(f"{ALL}?page=2").content.decode().count("table__title") == 20
    with django_assert_max_num_queries(6):
        client.get("/bundles/?page=2")
    assert len(views_of(rows)) == 45
