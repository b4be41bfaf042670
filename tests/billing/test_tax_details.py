"""Tax details of instructors: checked, encrypted, read by admins only, asked for once a week, deleted in time."""

import csv
import io
from datetime import UTC, date, datetime, timedelta

import pytest
from django.db import connection

from apps.accounts.models import Notification, User
from apps.billing import services
from apps.billing.models import Payout, PayoutAccount, PayoutRun, TaxDetails, TaxDetailsReminder
from apps.billing.queries import yearly_earnings
from apps.billing.queries.tax_details import TaxIdentity, encrypt_identity, identity_of
from apps.billing.services import ledger, tax_details
from apps.billing.tax_details_form import TaxDetailsForm
from apps.billing.tax_numbers import WrongTaxNumber, check_tax_number
from tests.accounts.test_privacy import download_archive
from tests.accounts.test_reauthentication import recently_authenticated
from tests.factories.accounts import UserFactory
from tests.factories.billing import sale

PAGE, REPORT = "/dashboard/instructor/earnings/tax-details", "/dashboard/admin/reports/instructors"
NOW = datetime(2026, 6, 1, 3, tzinfo=UTC)
NUMBER = "86095742719"
PERSON = {
    "name": "Ada Byron", "street": "Hafenstraße 5", "postal_code": "20095", "city": "Hamburg", "country": "DE",
    "residence": "DE", "tax_number": "86 095 742 719", "birth_date": "1985-12-10", "confirms": "on",
}  # fmt: skip
COMPANY = {
    **PERSON, "is_company": "on", "name": "Byron GmbH", "registration_number": "HRB 4711", "birth_date": "",
    "tax_number": "151/815/08156", "vat_id": "de 136 695 976",
}  # fmt: skip


def test_tax_numbers_are_checked_where_their_format_is_known():
    for country, text, stored in [
        ("DE", "86 095 742 719", NUMBER), ("DE", "151/815/08156", "15181508156"), ("US", "536-90-4399", "536904399"),
        ("US", "91-1144442", "911144442"), ("FR", "30 23 217 600 053", "3023217600053"),
        ("PL", "85673462 15", "8567346215"),
        ("IT", "rccmnl83s18d969h", "RCCMNL83S18D969H"), ("ES", "54362315-K", "54362315K"),
        ("LV", "32579461005", "32579461005"),
        ("SE", "20701063-2391", "20701063-2391"), ("GB", "qq123456c", "QQ123456C"), ("HU", "8071592153", "8071592153"),
    ]:  # fmt: skip
        assert check_tax_number(text, country) == stored, country
    for country, text in [
        ("DE", "86095742718"), ("DE", "٨٦٠٩٥٧٤٢٧١٩"), ("US", "12-3456"), ("FR", "12"), ("PL", "8567346216"),
        ("SE", "701063-2392"), ("GB", ""), ("GB", "1" * 31), ("HU", "a\u202eb"), ("BR", "<script>"),
    ]:  # fmt: skip
        with pytest.raises(WrongTaxNumber):
            check_tax_number(text, country)
    assert check_tax_number("86095742718", "DE", is_company=True) == "86095742718"  # of a tax office


def faults(sent, identity=None, **changes):
    return set(TaxDetailsForm({**sent, **changes}, identity=identity).errors)


@pytest.mark.django_db
def test_a_person_and_a_company_give_what_the_law_asks():
    nothing = {"name", "street", "city", "country", "residence", "tax_number", "birth_date", "confirms"}
    assert faults({}) == nothing
    assert faults({}, is_company="on") == nothing - {"birth_date"}
    assert faults(PERSON) == faults(COMPANY) == set()
    assert faults(PERSON, tax_number="86095742718") == {"tax_number"}
    assert faults(PERSON, postal_code="1") == {"postal_code"}
    assert faults(PERSON, vat_id="DE1") == {"vat_id"}
    assert faults(PERSON, birth_date="2999-01-01") == faults(PERSON, birth_date="1.2.3.4") == {"birth_date"}
    assert faults(PERSON, country="ZZ", residence="xx") == {"country", "residence"}
    assert faults(PERSON, tax_number="", has_no_tax_number="on") == {"birth_place"}
    assert faults(PERSON, tax_number="", has_no_tax_number="on", birth_place="Hamburg") == set()
    assert faults(COMPANY, registration_number="", residence="US", tax_number="91-1144442") == set()
    assert faults(COMPANY, registration_number="", residence="US", tax_number="", has_no_tax_number="on") == {
        "registration_number"
    }


@pytest.mark.django_db
def test_an_instructor_saves_them_and_never_sees_the_number_again(browser_of, ada, leo, eve, caplog):
    assert browser_of(ada).get(PAGE)["Location"].startswith("/auth/prove")
    browser = recently_authenticated(browser_of(ada))
    assert recently_authenticated(browser_of(leo)).get(PAGE).status_code in {302, 403}

    wrong = browser.post(PAGE, {**PERSON, "birth_date": ""})
    assert wrong.status_code == 422
    assert "Hafenstraße 5" in wrong.content.decode()
    assert not TaxDetails.objects.exists()
    assert browser.post(PAGE, PERSON)["Location"] == "/dashboard/instructor/earnings/details"

    row = TaxDetails.objects.get()
    assert identity_of(row) == TaxIdentity(NUMBER, "1985-12-10", "")
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM billing_taxdetails")
        stored = str(cursor.fetchall())
    assert NUMBER not in stored
    assert "1985" not in stored
    for address in (PAGE, "/dashboard/instructor/earnings/details"):
        shown = browser.get(address).content.decode()
        assert "719" in shown
        assert NUMBER not in shown
        assert "Ada Byron" not in recently_authenticated(browser_of(eve)).get(address).content.decode()

    browser.post(PAGE, {**PERSON, "tax_number": "", "city": "Kiel", "postal_code": "24103"})
    row.refresh_from_db()
    assert (row.city, identity_of(row).tax_number) == ("Kiel", NUMBER)
    abroad = browser.post(PAGE, {**PERSON, "tax_number": "", "residence": "FR"})
    assert abroad.status_code == 422  # another country's number
    browser.post(PAGE, COMPANY)
    row.refresh_from_db()
    assert (row.is_company, row.vat_id, row.registration_number) == (True, "DE136695976", "HRB 4711")
    assert identity_of(row) == TaxIdentity("15181508156")
    assert NUMBER not in caplog.text


def save(user: User, **changes) -> TaxDetails:
    form = TaxDetailsForm({**PERSON, **changes}, identity=None)
    assert form.is_valid(), form.errors
    return services.save_tax_details(user=user, details=form.cleaned_data, now=NOW)


@pytest.mark.django_db
def test_admins_read_them_with_the_year_that_they_are_reported_for(
    browser_of, sam, ada, eve, django_assert_max_num_queries
):
    sale(ada.pk, 11_900, tax=1_900, at=NOW)
    sale(ada.pk, 5_000, at=NOW - timedelta(days=100))
    sale(eve.pk, 1_000, at=NOW)
    part = ledger.PremiumPart(ada.pk, 7, "Rivers", 900)
    ledger.post_subscription_payment("pi_premium", 1_400, 0, "usd", occurred_at=NOW)
    ledger.post_premium_share("2026-05", 1_300, [part], 7000, "usd", occurred_at=NOW)
    save(ada)
    services.save_bank_account(user=ada, holder="Ada Byron", number="DE89370400440532013000", bank_code="", now=NOW)
    query = {"year": "2026", "currency": "usd"}
    browser = recently_authenticated(browser_of(sam))

    [first, _second] = yearly_earnings.of_year(2026, "usd")
    assert (first.quarter(2).tax, first.quarter(2).activities, first.quarter(2).sales) == (1_900, 2, 1)
    assert (first.year.activities, first.year.paid) == (3, 15_900)

    listed = browser.get(REPORT, query).content.decode()
    assert f"/instructors/{ada.uid}?" in listed
    assert "1 instructor has no tax details" in listed
    assert eve.display_name in listed
    assert NUMBER not in listed
    shown = browser.get(f"{REPORT}/{ada.uid}", query).content.decode()
    for text in (NUMBER, "Hafenstraße 5", "10 December 1985", "DE89370400440532013000", "$19.00", "Ada Byron"):
        assert text in shown
    assert "hasn't added tax details" in browser.get(f"{REPORT}/{eve.uid}", query).content.decode()

    content = b"".join(browser.get(f"{REPORT}.csv", query).streaming_content).decode("utf-8-sig")
    rows = {row["email"]: row for row in csv.DictReader(io.StringIO(content))}
    row = rows[ada.email]
    assert (row["tax_number"], row["birth_date"], row["legal_city"]) == (NUMBER, "1985-12-10", "Hamburg")
    assert (row["account_number"], row["legal_residence"]) == ("DE89370400440532013000", "DE")
    assert (row["q2_tax_withheld"], row["q2_activities"], row["tax_withheld"]) == ("19.00", "2", "19.00")
    assert rows[eve.email]["tax_number"] == rows[eve.email]["legal_name"] == ""
    for address in (f"{REPORT}/{ada.uid}", f"{REPORT}.csv"):
        assert browser_of(sam).get(address, query)["Location"].startswith("/auth/prove")
        for other in (ada, eve):
            assert recently_authenticated(browser_of(other)).get(address, query).status_code in {302, 403}

    TaxDetails.objects.update(encrypted_identity="lost")
    assert "can't be decrypted" in browser.get(f"{REPORT}/{ada.uid}", query).content.decode()
    assert recently_authenticated(browser_of(ada)).get(PAGE).status_code == 200


@pytest.mark.django_db
def test_each_is_reminded_once_a_week_and_not_after_adding_them(browser_of, sam, ada, eve):
    for teacher in (ada, eve):
        sale(teacher.pk, 1_000, at=datetime(2026, 5, 1, tzinfo=UTC))
    save(ada)
    browser, address = browser_of(sam), f"{REPORT}/remind?year=2026&currency=usd"
    asked = Notification.objects.filter(kind="billing.tax_details_missing")

    browser.post(address)
    browser.post(address, {"instructor": str(eve.uid)})
    again = browser.post(address, follow=True).content.decode()

    assert [each.user for each in asked] == [eve]
    assert "No one was reminded" in again
    later = TaxDetailsReminder.objects.get().sent_at + timedelta(days=7)
    assert services.remind_of_tax_details([ada, eve], year=2026, now=later - timedelta(seconds=1)) == 0
    assert services.remind_of_tax_details([ada, eve], year=2026, now=later) == 1
    assert asked.all().count() == 2
    save(eve)
    assert not TaxDetailsReminder.objects.exists()
    assert services.remind_of_tax_details([eve], year=2026, now=later + timedelta(days=9)) == 0
    assert browser_of(ada).post(address).status_code in {302, 403}
    assert asked.all().count() == 2


@pytest.mark.django_db
def test_payouts_continue_without_them_and_admins_see_it(browser_of, sam, ada):
    PayoutAccount.objects.create(user=ada, method="bank", holder="Ada", last4="1234", changed_at=NOW)
    sale(ada.pk, 100_000, at=NOW)
    browser = browser_of(sam)

    assert "No tax details" in browser.get("/dashboard/admin/payouts").content.decode()
    save(ada)
    assert "No tax details" not in browser.get("/dashboard/admin/payouts").content.decode()
    services.schedule_payouts(date(2026, 7, 1), now=NOW + timedelta(days=30))
    assert Payout.objects.filter(instructor=ada).exists()


@pytest.mark.django_db
def test_they_are_deleted_with_the_account_unless_something_was_earned(leo):
    earner, payee, nobody = UserFactory(role="instructor"), UserFactory(role="instructor"), UserFactory()
    sale(earner.pk, 1_000, at=NOW)
    run = PayoutRun.objects.create(day=NOW.date(), created_at=NOW)
    Payout.objects.create(
        run=run, instructor=payee, amount=5, currency="usd", sales_until=NOW, method="bank", created_at=NOW
    )
    for user in (earner, payee, nobody):
        save(user)
        services.forget_payout_data(user_id=user.pk, now=NOW)
    assert set(TaxDetails.objects.values_list("user", flat=True)) == {earner.pk, payee.pk}

    tax_details.delete_expired_tax_details(now=datetime(2037, 1, 2, tzinfo=UTC))
    assert TaxDetails.objects.count() == 2  # their accounts are not deleted
    User.objects.update(deleted_at=NOW)
    assert tax_details.delete_expired_tax_details(now=datetime(2036, 12, 31, tzinfo=UTC)) == 0
    assert tax_details.delete_expired_tax_details(now=datetime(2037, 1, 2, tzinfo=UTC)) == 2


@pytest.mark.django_db
def test_the_archive_has_them_without_the_number(browser_of, leo):
    leo.role = "instructor"
    leo.save()
    save(leo)

    packed = download_archive(recently_authenticated(browser_of(leo)), leo)

    found = packed.read("billing/tax_details.json").decode()
    assert "Hafenstra" in found
    assert '"719"' in found
    everything = b"".join(packed.read(name) for name in packed.namelist()).decode()
    assert NUMBER not in everything
    assert encrypt_identity(TaxIdentity("1")) not in everything
