"""Promo codes: what they cover, their limits, and giving them back."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
from django.db import connections, transaction

from apps.billing.errors import PromoCodeRefused
from apps.billing.models import PromoCode, Redemption
from apps.billing.purchases import purchase_of_course
from apps.billing.services import promo
from studyplatform.kit.errors import RateLimitExceeded
from tests.factories.accounts import UserFactory
from tests.factories.selling import NOW, PaidCourseFactory, PromoCodeFactory

pytestmark = pytest.mark.database


def find(text, user, course=None, now=NOW):
    purchase = purchase_of_course(course) if course else None
    return promo.find_code(text=text, user=user, purchase=purchase, now=now)


@pytest.fixture
def paid(ada):
    return PaidCourseFactory(instructor=ada)


def test_a_code_is_found_in_any_case_and_with_spaces_around(mia, paid):
    code = PromoCodeFactory(code="HEDGE")

    assert find(" hedge ", mia, paid) == code


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"is_active": False}, "There's no code “HEDGE”."),
        ({"starts_at": NOW + timedelta(days=1)}, "HEDGE starts on 2 June 2026."),
        ({"ends_at": NOW}, "HEDGE expired on 1 June 2026."),
        ({"scope": "premium"}, "HEDGE is for Premium."),
        ({"amount": 500, "currency": "eur"}, "HEDGE is for another currency."),
        ({"limit": 3, "used": 3}, "HEDGE has been used up."),
    ],
)
def test_a_code_that_cannot_be_used_says_why(mia, paid, fields, reason):
    PromoCodeFactory(code="HEDGE", **fields)

    with pytest.raises(PromoCodeRefused) as refused:
        find("HEDGE", mia, paid)

    assert refused.value.detail == reason


@pytest.mark.parametrize("text", ["NONE", "", "\x00", "x" * 5000, "' OR 1=1"])
def test_text_that_is_no_code_is_refused(mia, paid, text):
    with pytest.raises(PromoCodeRefused):
        find(text, mia, paid)


def test_a_code_for_one_course_or_instructor_covers_no_other(mia, paid, eve):
    other = PaidCourseFactory(instructor=eve)
    PromoCodeFactory(code="ONE", scope="course", course=paid)
    PromoCodeFactory(code="ADAS", scope="instructor", instructor=paid.instructor)

    assert find("ONE", mia, paid)
    assert find("ADAS", mia, paid)
    for code in ("ONE", "ADAS"):
        with pytest.raises(PromoCodeRefused, match="isn't for this course"):
            find(code, mia, other)


def test_a_code_for_premium_is_for_premium_alone(mia):
    PromoCodeFactory(code="SPRING", scope="premium")
    PromoCodeFactory(code="ALL")

    assert find("SPRING", mia)
    with pytest.raises(PromoCodeRefused, match="ALL is for courses"):
        find("ALL", mia)


@pytest.mark.parametrize(
    ("fields", "discount"), [({"percent": 10}, 640), ({"percent": 100}, 6400), ({"amount": 9900}, 6400), ({}, 640)]
)
def test_a_code_takes_off_its_percentage_or_amount(db, fields, discount):
    assert promo.discount_of(PromoCodeFactory(currency="usd" if "amount" in fields else "", **fields), 6400) == discount


def test_a_user_uses_a_code_as_often_as_its_limit_per_user_says(mia, leo, paid):
    code = PromoCodeFactory(code="TWICE", limit_per_user=2)
    for _ in range(2):
        promo.reserve(code=find("TWICE", mia, paid), user=mia, now=NOW)

    with pytest.raises(PromoCodeRefused, match="You have already used TWICE 2 times"):
        find("TWICE", mia, paid)
    with pytest.raises(PromoCodeRefused), transaction.atomic():
        promo.reserve(code=code, user=mia, now=NOW)
    code.refresh_from_db()
    assert code.used == 2
    assert find("TWICE", leo, paid) == code


def test_a_use_given_back_is_free_again_and_only_once(mia, leo):
    code = PromoCodeFactory(limit=1)
    taken = promo.reserve(code=code, user=mia, now=NOW)

    promo.give_back(taken, now=NOW)
    promo.give_back(taken, now=NOW)

    code.refresh_from_db()
    assert code.used == 0
    promo.reserve(code=code, user=leo, now=NOW)


def test_a_kept_use_is_not_given_back(mia):
    code = PromoCodeFactory(limit=1)
    taken = promo.reserve(code=code, user=mia, now=NOW)

    promo.keep(taken, now=NOW)
    promo.give_back(taken, now=NOW)

    code.refresh_from_db()
    assert code.used == 1
    taken.refresh_from_db()
    assert taken.state == Redemption.State.USED


def test_a_use_that_was_given_back_before_its_payment_counts_again(mia):
    code = PromoCodeFactory(limit=1)
    taken = promo.reserve(code=code, user=mia, now=NOW)
    promo.give_back(taken, now=NOW)

    promo.keep(taken, now=NOW)

    code.refresh_from_db()
    assert code.used == 1


@pytest.mark.django_db(transaction=True)
def test_a_hundred_users_at_once_get_the_ten_uses_of_a_code() -> None:
    code = PromoCodeFactory(limit=10)
    users = [UserFactory() for _ in range(100)]

    def redeem(user: object) -> bool:
        try:
            promo.reserve(code=code, user=user, now=NOW)
        except PromoCodeRefused:
            return False
        return True

    outcomes = at_once(lambda user=user: redeem(user) for user in users)

    assert sum(outcomes) == 10
    assert PromoCode.objects.get().used == 10
    assert Redemption.objects.filter(state="reserved").count() == 10


@pytest.mark.django_db(transaction=True)
def test_a_user_who_redeems_a_code_twice_at_once_gets_it_once() -> None:
    code, user = PromoCodeFactory(), UserFactory()

    def redeem() -> bool:
        try:
            promo.reserve(code=code, user=user, now=NOW)
        except PromoCodeRefused:
            return False
        return True

    assert sum(at_once([redeem] * 6)) == 1
    code.refresh_from_db()
    assert code.used == 1


def at_once(works) -> list[bool]:
    """Run each in its own thread and connection, 10 of them at a time."""
    works = list(works)
    gate = Barrier(min(10, len(works)))

    def run(index: int, work: Callable[[], bool]) -> bool:
        if index < gate.parties:
            gate.wait()
        try:
            return work()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(gate.parties) as pool:
        return [done.result() for done in [pool.submit(run, *each) for each in enumerate(works)]]


@pytest.mark.django_db
def test_codes_cannot_be_guessed(mia, paid, settings):
    settings.RATE_LIMITS = {**settings.RATE_LIMITS, "promo_code": (2, 3600)}
    PromoCodeFactory(code="HEDGE")
    for guess in ("AAA", "BBB"):
        with pytest.raises(PromoCodeRefused):
            find(guess, mia, paid)

    with pytest.raises(RateLimitExceeded):
        find("HEDGE", mia, paid)
    assert find("HEDGE", mia, paid, NOW + timedelta(hours=1, minutes=1)).code == "HEDGE"
