"""The statement of a payout adds up to the cent, never changes, and opens for its instructor and admins only."""

from datetime import UTC, datetime, timedelta

import pypdfium2
import pytest
from django.utils import timezone

from apps.billing import services
from apps.billing.models import Payout, PayoutAccount
from apps.billing.queries.payout_statements import statement_of
from apps.billing.queries.yearly_earnings import of_year
from apps.billing.services import ledger, payouts
from apps.billing.statements import yearly_statement
from tests.factories.accounts import UserFactory
from tests.factories.billing import sale

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 6, 1, 3, tzinfo=UTC)


@pytest.fixture
def teacher():
    user = UserFactory(first_name="Ada", role="instructor")
    PayoutAccount.objects.create(user=user, method="bank", holder="Ada", last4="1234", changed_at=NOW)
    return user


def pay_out(teacher, now) -> Payout:
    payouts.run(now.date(), now=now)
    return Payout.objects.filter(instructor=teacher).latest("pk")


def texts_of(answer):
    assert answer.status_code == 200
    return [page.get_textpage().get_text_bounded() for page in pypdfium2.PdfDocument(answer.content)]


def amounts(payout):
    found = statement_of(payout)
    assert found is not None
    assert found.carried + found.earned - found.kept == payout.amount
    assert sum(row.share for row in found.rows) == found.earned
    return [row.share for row in found.rows], found.carried, found.kept


def test_payouts_list_each_sale_once_and_add_up(teacher):
    month = timedelta(days=31)
    sale(teacher.pk, 10_000, at=NOW - month, payment_key="pi_a")
    sale(teacher.pk, 20_000, at=NOW - timedelta(days=2), payment_key="pi_young")
    first = pay_out(teacher, NOW)
    assert amounts(first) == ([7_000], 0, 0)

    services.mark_payout_sent(first.pk, now=NOW)
    ledger.post_refund("re_1", "pi_a", 1_000, occurred_at=NOW + timedelta(days=1))
    second = pay_out(teacher, NOW + month)
    assert sorted(amounts(second)[0]) == [-700, 14_000]

    services.mark_payout_sent(second.pk, now=NOW + month)
    services.fail_payout(second.pk, Payout.Failure.ACCOUNT_CLOSED, now=NOW + month + timedelta(days=2))
    sale(teacher.pk, 5_000, at=NOW + month, payment_key="pi_c")
    third = pay_out(teacher, NOW + 2 * month)
    assert sorted(amounts(third)[0]) == [-700, 3_500, 14_000]  # the failed payout is paid again

    services.mark_payout_sent(third.pk, now=NOW + 2 * month)
    services.fail_payout(first.pk, Payout.Failure.REFUSED, now=NOW + 2 * month + timedelta(days=3))
    fourth = pay_out(teacher, NOW + 3 * month)
    assert amounts(fourth) == ([], 7_000, 0)
    assert amounts(first) == ([7_000], 0, 0)
    assert sorted(amounts(third)[0]) == [-700, 3_500, 14_000]


def test_its_pdf_lists_transactions_in_any_script(teacher, browser_of, sam, leo, client):
    for number in range(60):
        sale(teacher.pk, 1_000, at=NOW - timedelta(days=40), description=f"نهر 河 Rivers {number}")
    payout = pay_out(teacher, NOW)
    address = f"/dashboard/instructor/earnings/payouts/{payout.uid}/statement.pdf"

    pages = texts_of(browser_of(teacher).get(address))
    text = "".join(pages)

    assert len(pages) > 1
    assert "Rivers 59" in text
    assert "$420.00" in text
    assert browser_of(sam).get(address).status_code == 200
    assert browser_of(UserFactory(role="instructor")).get(address).status_code == 404
    assert browser_of(leo).get(address).status_code in {302, 403}
    assert client.get(address).status_code == 302


def test_a_payout_that_is_only_scheduled_has_no_statement(teacher, browser_of):
    sale(teacher.pk, 10_000, at=NOW - timedelta(days=40))
    payouts.schedule(NOW.date(), now=NOW)
    payout = Payout.objects.get()

    assert statement_of(payout) is None
    address = f"/dashboard/instructor/earnings/payouts/{payout.uid}/statement.pdf"
    assert browser_of(teacher).get(address).status_code == 404


def test_payouts_count_in_the_year_in_which_the_ledger_has_them(teacher):
    """One that was noted after midnight counts when it was sent, one that came back in the year of its return."""
    eve = datetime(2026, 12, 31, 23, 50, tzinfo=UTC)
    for key, amount in (("late", 7_000), ("back", 3_000)):
        ledger.post_payout_started(key, teacher.pk, amount, "usd", occurred_at=eve)
        ledger.post_payout_sent(key, occurred_at=eve)
    ledger.post_payout_failed("back", occurred_at=eve + timedelta(days=40))
    ledger.post_payout_reversed("late", "trr_1", 500, occurred_at=eve + timedelta(days=80))

    years = {year: of_year(year, "usd", instructor_id=teacher.pk) for year in (2026, 2027)}
    assert [(each.paid_out, each.payouts) for [each] in years.values()] == [(10_000, 2), (-3_500, 0)]
    for year, texts in ((2026, ["Payout on 31 December 2026", "$30.00"]), (2027, ["Payout returned on", "−$35.00"])):
        pdf = pypdfium2.PdfDocument(yearly_statement(teacher, year, "usd", years[year][0]))
        text = pdf[0].get_textpage().get_text_bounded()
        assert [each for each in texts if each not in text] == []


def test_a_year_names_quarters_and_payouts(teacher, browser_of):
    sale(teacher.pk, 10_000, at=NOW - timedelta(days=40))
    payout = pay_out(teacher, NOW)
    services.mark_payout_sent(payout.pk, now=NOW)
    browser = browser_of(teacher)

    text = "".join(texts_of(browser.get("/dashboard/instructor/earnings/2026.pdf")))

    assert "Payout on 1 June 2026" in text
    assert text.count("$70.00") >= 3
    for year in (2025, 1900, timezone.now().year + 1):
        assert browser.get(f"/dashboard/instructor/earnings/{year}.pdf").status_code == 404
