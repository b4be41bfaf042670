"""What the pages say a subscriber will be charged is what the provider charges, in every case and on every page."""

import re
from datetime import UTC, datetime, timedelta
from html import unescape

import pytest
from django.test import Client

from apps.accounts.models import Notification
from apps.billing import gateway
from apps.billing.errors import PriceChanged
from apps.billing.models import Customer, Subscription
from apps.billing.plans import Offer
from apps.billing.prices import settle_balance
from apps.billing.queries.next_charge import NextCharge, charge_without_cancellation, next_charge
from apps.billing.services import customers, plan_changes, premium_notices, subscriptions
from apps.billing.services.premium_terms import price_with, terms_for
from apps.billing.services.upcoming import add_months
from studyplatform.kit.text.money import money, price_step, smallest_charge
from tests.billing.conftest import FAILS_LATER, GOOD
from tests.billing.subscribers import Subscriber
from tests.factories.accounts import UserFactory
from tests.factories.selling import PromoCodeFactory

pytestmark = [pytest.mark.database, pytest.mark.django_db]
PAGE = "/billing/subscriptions"


def predicted(charge: NextCharge, payments: int) -> list[int]:
    """The amounts of the next payments, as they are told."""
    told = []
    for amount, count in [(charge.amount, charge.count), *((each.amount, each.count) for each in charge.later)]:
        told += [amount] * (count or payments)
    return told[:payments]


def text_of(user, page):
    browser = Client()
    browser.force_login(user)
    return unescape(" ".join(browser.get(page).content.decode().split()))


class Case(Subscriber):
    """A subscriber whose discounts, balance and card are changed at the provider, as its dashboard does."""

    def __init__(self, standin, card_form, settings):
        super().__init__(standin, card_form, UserFactory(role="student"))
        self.settings = settings

    def subscribe(self, *, plan="monthly", trial=7, number=GOOD, **code):
        self.settings.PREMIUM_TRIAL_DAYS = trial
        name = PromoCodeFactory(scope="premium", **code).code if code else ""
        terms = terms_for(user=self.user, plan=plan, code=name, country="", now=self.now)
        card = self.card(number)
        started = self.start(card, plan=plan, total=terms.due, trial=trial, code=name, currency=self.settings.CURRENCY)
        if started.client_secret:
            self.form.confirm(started.client_secret, method=card.gateway_id)
        self.sync()
        return terms

    def ask(self, method, path, **params):
        head = {"Authorization": f"Bearer {self.standin.secret_key}"}
        answer = self.standin.call(method, f"/v1/{path}", params, head)
        assert answer.status == 200, answer.body
        return answer.body

    def discount(self, **coupon):
        made = self.ask("POST", "coupons", **coupon)
        self.ask("POST", f"subscriptions/{self.row.gateway_id}", discounts=[{"coupon": made["id"]}])

    def set_balance(self, balance):
        self.ask("POST", f"customers/{Customer.objects.get(user=self.user).gateway_id}", balance=balance)

    def change(self, plan):
        preview = plan_changes.preview_change(user=self.user, plan=plan, now=self.now)
        plan_changes.change_plan(
            user=self.user, plan=plan, moment=preview.moment, expected_amount=preview.amount_due,
            expected_currency=preview.currency, now=self.now,
        )  # fmt: skip
        return preview

    def invoices(self):
        """What each invoice charged, the oldest first."""
        found = self.ask("GET", "invoices", subscription=self.row.gateway_id, limit=100)["data"]
        return [each["amount_paid"] for each in reversed(found)]

    def charged_since(self, before):
        return self.invoices()[before:]


def trial_with_code(one):
    one.subscribe(percent=50)
    return "$7.00, then $14.00 a month"


def code_once(one):
    assert one.subscribe(trial=0, percent=50).due == 700
    return "$14.00"


def code_for_three_months(one):
    one.subscribe()
    one.discount(percent_off=50, duration="repeating", duration_in_months=3)
    return "$7.00 a month, then $14.00 a month from"


def code_for_all_of_it(one):
    assert one.subscribe(percent=100).due == 0
    return "$0.00, then $14.00 a month"


def amount_above_the_price(one):
    one.subscribe(amount=10000)
    return "$0.00, then $14.00 a month"


def code_that_leaves_too_little(one):
    assert one.subscribe(amount=1380).due == 0
    return "$0.00, then $14.00 a month"


def yearly_with_code(one):
    one.subscribe(plan="yearly", percent=25)
    return "$105.00, then $140.00 a year"


def changed_to_monthly_in_the_trial(one):
    one.subscribe(plan="yearly", amount=1380)
    assert one.change("monthly").invoice.amount_due == 0
    return "$0.00, then $14.00 a month"


def changed_to_yearly_in_the_trial(one):
    one.subscribe(amount=1380)
    assert one.change("yearly").invoice.amount_due == 12620
    return "$126.20, then $140.00 a year"


def credit_from_the_dashboard(one):
    one.subscribe()
    one.set_balance(-3000)
    return "$0.00 a month, $12.00 on"


def credit_beside_a_code_for_two_months(one):
    one.subscribe()
    one.discount(amount_off=400, currency="usd", duration="repeating", duration_in_months=2)
    one.set_balance(-300)
    return "$7.00, $10.00 on"


def debt_from_before(one):
    one.subscribe()
    one.set_balance(30)
    return "$14.30, then $14.00 a month"


def discount_without_an_end(one):
    one.subscribe()
    one.discount(percent_off=30, duration="forever")
    return "$9.80"


def code_for_one_month_from_the_start(one):
    one.subscribe(trial=0)
    one.discount(percent_off=50, duration="repeating", duration_in_months=1)
    return "$"


def discount_taken_in_the_middle_of_a_period(one):
    """It counts from the day it was given, not from the next payment."""
    one.subscribe(trial=20)
    one.discount(amount_off=300, currency="usd", duration="repeating", duration_in_months=3)
    return "$11.00 a month, then $14.00 a month from"


CASES = [
    trial_with_code, code_once, code_for_three_months, code_for_all_of_it, amount_above_the_price,
    code_that_leaves_too_little, yearly_with_code, changed_to_monthly_in_the_trial, changed_to_yearly_in_the_trial,
    credit_from_the_dashboard, credit_beside_a_code_for_two_months, debt_from_before, discount_without_an_end,
    code_for_one_month_from_the_start, discount_taken_in_the_middle_of_a_period,
]  # fmt: skip


QUICK = [trial_with_code, code_for_three_months, credit_beside_a_code_for_two_months]


def test_what_every_page_tells_is_what_is_charged(standin, card_form, settings):
    """Three cases, half a year, every page."""
    live_through(QUICK, standin, card_form, settings, days=160, pages=(PAGE, "/premium", "/me/dashboard"))


@pytest.mark.long
def test_what_is_told_is_what_is_charged_in_every_case(standin, card_form, settings):
    """All cases live through the same fifteen months."""
    live_through(CASES, standin, card_form, settings, days=455, pages=(PAGE, "/premium", "/me/dashboard"))


def live_through(cases, standin, card_form, settings, *, days, pages):
    """Let subscribers of all cases live through the same days; compare what they were told with what was charged."""
    shown = []
    for case in cases:
        one = Case(standin, card_form, settings)
        amounts = case(one)
        row = one.sync()
        charge = next_charge(row)
        assert charge.amounts_text.startswith(amounts), case.__name__
        assert charge.at == row.period_end
        for page in pages:
            told = charge.text if page == "/premium" else charge.amounts_text
            assert told in text_of(one.user, page), (case.__name__, page)
        premium_notices.tell_of_trial(row, now=one.now + 5 * (row.period_end - row.period_start))
        if row.status == "trialing":
            [notice] = Notification.objects.filter(user=one.user, kind="billing.trial_ends")
            assert notice.params["amount"] == charge.amounts_text
        shown.append((case.__name__, one, charge, len(one.invoices())))
    settings.PREMIUM_MONTHLY, settings.PREMIUM_YEARLY = 2400, 24000  # subscribers keep their price
    standin.clock.advance(days=days)

    for name, one, charge, since in shown:
        charged = one.charged_since(since)
        assert len(charged) >= 2, name
        assert predicted(charge, len(charged)) == charged, name
        assert next_charge(one.sync()).amount == charged[-1], name


def test_an_upgrade_charges_what_it_showed(standin, card_form, settings):
    one = Case(standin, card_form, settings)
    one.subscribe(trial=0)
    one.set_balance(-1000)
    page, before = text_of(one.user, f"{PAGE}/plan?to=yearly"), len(one.invoices())
    form = dict(re.findall(r'<input type="hidden" name="(plan|amount|currency|moment)" value="(.*?)">', page))
    amount = int(form["amount"])
    assert 14000 - 1400 - 1000 <= amount < 14000 - 1000
    for each in (14000, amount + 1000 - 14000, -1000, amount):
        assert money(each, "usd", cents=True) in page

    browser = Client()
    browser.force_login(one.user)
    browser.post(f"{PAGE}/plan/agree", form)

    assert one.charged_since(before) == [amount]
    assert next_charge(one.row).amounts_text == "$140.00"


def test_an_upgrade_with_a_discount_charges_what_it_showed(standin, card_form, settings):
    """A discount of one month takes off the year that is paid now; what a code had made cheaper is credited at that."""
    one = Case(standin, card_form, settings)
    assert one.subscribe(trial=0, percent=50).due == 700
    one.discount(amount_off=1000, currency="usd", duration="repeating", duration_in_months=1)
    before = len(one.invoices())

    preview = one.change("yearly")

    assert 690 <= preview.credit <= 700
    assert preview.invoice.discount == 1000
    assert one.charged_since(before) == [preview.amount_due] == [14000 - preview.credit - 1000]


def test_an_upgrade_that_costs_too_little_says_where_the_amount_goes(standin, card_form, settings):
    settings.PREMIUM_YEARLY = 1420
    one = Case(standin, card_form, settings)
    one.subscribe(trial=0)
    page = text_of(one.user, f"{PAGE}/plan?to=yearly")

    preview = one.change("yearly")

    assert 0 < preview.invoice.balance_after < 50
    carried = money(preview.invoice.balance_after, "usd", cents=True)
    assert f"{carried} is too little to charge, so it's added to a later payment." in page
    assert next_charge(one.row).amount == 1420 + preview.invoice.balance_after


def test_a_failed_renewal_with_a_code_is_due_at_the_lower_amount(standin, card_form, settings):
    one = Case(standin, card_form, settings)
    one.subscribe(number=FAILS_LATER, percent=50)
    one.wait(days=8)
    row = one.sync()
    premium_notices.tell_of_failure(row, now=one.now)

    assert row.status == Subscription.Status.PAST_DUE
    for page in (PAGE, "/billing/renew", "/premium", "/me/dashboard"):
        assert "$7.00" in text_of(one.user, page), page
    assert "Your payment of $7.00 failed" in text_of(one.user, PAGE)
    assert Notification.objects.get(kind="billing.renewal_failed").params["amount"] == "$7.00"
    one.pay(one.card(GOOD))
    assert one.row.payments.get().amount == 700
    before = len(one.invoices())
    one.wait(days=31)
    assert one.charged_since(before) == predicted(next_charge(one.row), 1) == [1400]


def test_canceled_is_charged_nothing_and_says_what_resuming_costs(standin, card_form, settings):
    one = Case(standin, card_form, settings)
    one.subscribe(percent=50)
    row = subscriptions.cancel(user=one.user, now=one.now)

    assert next_charge(row).amount == 0
    assert charge_without_cancellation(row).amounts_text == "$7.00, then $14.00 a month"
    assert "Resume Premium, and you pay $7.00 on" in text_of(one.user, PAGE)
    assert "Canceled. You keep Premium until" in text_of(one.user, "/premium")
    subscriptions.resume(user=one.user, now=one.now)
    before = len(one.invoices())
    one.wait(days=10)
    assert one.charged_since(before) == [700]


def test_a_new_subscription_deducts_the_credit_that_the_checkout_showed(standin, card_form, settings, webhooks):
    one = Case(standin, card_form, settings)
    one.subscribe()
    subscriptions.end_now(subscription=one.row, now=one.now)
    one.set_balance(-600)
    with pytest.raises(PriceChanged):  # the provider has not told of it yet
        one.subscribe(trial=0)
    assert customers.balance_of(one.user, "usd") == -600

    assert one.subscribe(trial=0).due == 800
    assert one.row.payments.get().amount == 800


def test_a_balance_changed_in_the_dashboard_reaches_the_page(standin, card_form, settings, webhooks):
    one = Case(standin, card_form, settings)
    one.subscribe()
    webhooks()
    one.set_balance(-1000)
    webhooks()

    assert next_charge(one.row).amounts_text == "$4.00, then $14.00 a month"
    assert gateway.get_balance(Customer.objects.get(user=one.user).gateway_id) == (-1000, "usd")


@pytest.mark.parametrize(
    ("currency", "price", "code"),
    [
        ("jpy", 1980, {"amount": 1940}), ("jpy", 1980, {"percent": 99}), ("huf", 499000, {"percent": 97}),
        ("kwd", 4990, {"percent": 33}), ("kwd", 4990, {"amount": 4900}), ("isk", 1990, {"percent": 96}),
    ],
)  # fmt: skip
def test_no_code_leaves_what_the_currency_can_not_charge(standin, card_form, settings, currency, price, code):
    settings.CURRENCY, settings.PREMIUM_MONTHLY, settings.PREMIUM_YEARLY = currency, price, 10 * price
    one = Case(standin, card_form, settings)
    given = {**code, "currency": currency} if "amount" in code else code
    terms = one.subscribe(**given)

    assert terms.due % price_step(currency) == 0
    assert terms.due == 0 or terms.due >= smallest_charge(currency)
    charge = next_charge(one.row)
    assert (charge.amount, charge.carried) == (terms.due, 0)
    before = len(one.invoices())
    one.wait(days=40)
    state = one.sync()
    paid = list(state.payments.order_by("pk").values_list("amount", flat=True))
    assert paid == [each for each in predicted(charge, len(one.charged_since(before))) if each]


def test_amounts_are_told_in_words():
    day = [datetime(2026, month, 1, 12, tzinfo=UTC) for month in range(1, 13)]
    charge = NextCharge("renewal", 700, "usd", "monthly", at=day[0], count=2, later=())
    assert charge.text == "$7.00 a month from 1 January 2026"
    assert NextCharge("renewal", 700, "usd", "monthly", at=day[0]).text == "$7.00 on 1 January 2026"
    assert NextCharge("open_invoice", 700, "usd", "monthly").text == "$7.00"
    covered = NextCharge("renewal", 0, "usd", "monthly", price=1400, balance_before=-5000, balance_after=-3600)
    assert (covered.credit, covered.free_reason) == (1400, "Your credit covers this payment.")


def test_balances_are_settled_as_the_provider_does():
    assert settle_balance(1400, 0, "usd") == (1400, 0)
    assert settle_balance(1400, -1370, "usd") == (0, 30)
    assert settle_balance(1400, -2000, "usd") == (0, -600)
    assert settle_balance(40, 0, "usd") == (0, 40)
    assert settle_balance(40, 10, "usd") == (50, 0)
    assert add_months(datetime(2026, 1, 31, tzinfo=UTC), 1) == datetime(2026, 2, 28, tzinfo=UTC)
    assert price_with(None, Offer("monthly", 4991, "kwd"), "").total == 4990


def test_the_country_and_the_day_of_the_charge_decide_its_tax(standin, card_form, settings):
    """A country that is changed between two payments counts from the next one; a new rate from its day."""
    one = Case(standin, card_form, settings)
    one.subscribe()
    settings.SELLER_COUNTRY, settings.TAX_RATES = "EE", {"DE": 1900, "FI": 2550, "EE": 2400}
    settings.TAX_RATE_CHANGES = [("FI", 2700, (one.now + timedelta(days=3)).date())]
    assert next_charge(one.row).tax == 271  # no country was asked for: the seller's
    assert "Your next payment is taxed in Estonia." in text_of(one.user, PAGE)
    browser = Client()
    browser.force_login(one.user)
    for country, tax in (("DE", 224), ("FI", 298)):
        assert browser.post("/billing/details", {"country": country}).status_code == 302
        assert next_charge(one.row).tax == tax
    assert "Your next payment is taxed in Finland." in text_of(one.user, PAGE)
    assert money(298, "usd", cents=True) in text_of(one.user, PAGE)

    one.wait(days=8)
    payment = one.sync().payments.get()
    assert (payment.amount, payment.tax, payment.country) == (1400, 298, "FI")
