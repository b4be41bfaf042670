"""What goes wrong with money at Stripe: refunds, disputes, payouts and fees that do not go smoothly, lost events.

Called without HTTP, because each test has many steps. Whatever happens, the balance is the sum of its transactions.
"""

from collections import Counter
from random import Random

import pytest

from apps.billing.standin.errors import ApiError

GOOD, REFUND_PENDING, REFUND_FAILS = "pm_card_visa", "pm_card_pendingRefund", "pm_card_refundFail"
HOUR = 3601


class Api:
    """Stripe's API by method and address."""

    def __init__(self, standin):
        self.standin = standin
        self.account = ""

    def __call__(self, method, path, **form):
        headers = {"Authorization": f"Bearer {self.standin.secret_key}", "Stripe-Account": self.account}
        answer = self.standin.call(method, f"/v1/{path}", form, headers)
        assert answer.status == 200, answer.body
        return answer.body

    def refused(self, method, path, **form):
        headers = {"Authorization": f"Bearer {self.standin.secret_key}", "Stripe-Account": self.account}
        return self.standin.call(method, f"/v1/{path}", form, headers).body["error"]

    def pay(self, method=GOOD, amount=10_000):
        values = {"amount": amount, "currency": "usd", "payment_method": method, "confirm": True}
        return self("POST", "payment_intents", **values)["id"]

    def moved(self):
        """The types of the transactions, oldest first, with what each changed."""
        rows = self("GET", "balance_transactions", limit=100)["data"][::-1]
        assert sum(row["net"] for row in rows) == self.balance()
        return [(row["reporting_category"], row["amount"], row["fee"]) for row in rows]

    def balance(self):
        return self("GET", "balance")["available"][0]["amount"]

    def events(self, prefix):
        found = self("GET", "events", limit=100)["data"][::-1]
        return [one["type"] for one in found if one["type"].startswith(prefix)]

    def charge(self, intent):
        return self("GET", "charges", payment_intent=intent)["data"][0]


@pytest.fixture
def api(standin):
    return Api(standin)


def test_refund_that_fails_after_it_succeeded(standin, api):
    paid = api.pay(REFUND_FAILS)
    refund = api("POST", "refunds", payment_intent=paid)
    assert (refund["status"], api.charge(paid)["refunded"]) == ("succeeded", True)
    standin.clock.advance(HOUR)

    failed = api("GET", f"refunds/{refund['id']}")
    assert (failed["status"], failed["failure_reason"]) == ("failed", "expired_or_canceled_card")
    back = api("GET", f"balance_transactions/{failed['failure_balance_transaction']}")
    assert (back["type"], back["amount"], back["source"]) == ("refund_failure", 10_000, refund["id"])
    assert api.charge(paid)["amount_refunded"] == 0
    assert api.moved() == [("charge", 10_000, 320), ("refund", -10_000, 0), ("refund_failure", 10_000, 0)]
    assert api.events("refund.") == ["refund.created", "refund.updated", "refund.failed"]
    assert api.events("charge.refund.") == ["charge.refund.updated"]
    with pytest.raises(ApiError):
        standin.fail_refund(refund["id"])


def test_pending_refunds_succeed_fail_or_are_canceled(standin, api):
    ended = {}
    for name in ("succeeded", "failed", "canceled"):
        paid = api.pay(REFUND_PENDING)
        refund = api("POST", "refunds", payment_intent=paid, amount=4000)
        assert (refund["status"], refund["pending_reason"]) == ("pending", "processing")
        assert api.charge(paid)["amount_refunded"] == 4000
        ended[name] = (paid, refund["id"])
    standin.fail_refund(ended["failed"][1])
    standin.cancel_refund(ended["canceled"][1])
    assert "status pending" in api.refused("POST", f"refunds/{ended['succeeded'][1]}/cancel")["message"]
    standin.clock.advance(HOUR)

    for name, (paid, refund) in ended.items():
        assert api("GET", f"refunds/{refund}")["status"] == name
        assert api.charge(paid)["amount_refunded"] == (4000 if name == "succeeded" else 0)
    assert api.balance() == 3 * (10_000 - 320) - 4000
    with pytest.raises(ApiError):
        standin.finish_refund(ended["canceled"][1])


def test_refund_in_the_dashboard_has_no_metadata(standin, api):
    paid = api.pay()
    refund = standin.refund(paid, 300)

    assert (refund["amount"], refund["metadata"]) == (300, {})
    [event] = api("GET", "events", type="refund.created")["data"]
    assert event["request"] == {"id": None, "idempotency_key": None}


def test_disputes_of_any_amount_and_outcome(standin, api):
    paid = api.pay()
    api("POST", "refunds", payment_intent=paid, amount=6000)
    first = standin.dispute(paid, 10_000, reason="duplicate")
    assert api.refused("POST", "refunds", payment_intent=paid)["code"] == "charge_disputed"
    assert api.balance() == 10_000 - 320 - 6000 - 10_000 - 1500
    with pytest.raises(ApiError):
        standin.dispute(paid)
    standin.decide_dispute(first["id"], won=True, reinstated=7000, fee_returned=1500)
    assert api.refused("POST", "refunds", payment_intent=paid, amount=1001)["param"] == "amount"
    second = standin.dispute(paid, 500)
    standin.decide_dispute(second["id"], won=False)
    standin.decide_dispute(second["id"], won=True)
    third = standin.dispute(paid, 200)
    standin.withdraw_dispute(third["id"])
    for closed in (first, second, third):
        with pytest.raises(ApiError):
            standin.decide_dispute(closed["id"], won=True)

    assert api.moved()[2:] == [
        ("dispute", -10_000, 1500), ("dispute_reversal", 7000, -1500),
        ("dispute", -500, 1500), ("dispute_reversal", 500, 0),
        ("dispute", -200, 1500), ("dispute_reversal", 200, 0),
    ]  # fmt: skip
    shown = api("GET", f"disputes/{first['id']}")
    assert (shown["status"], [one["net"] for one in shown["balance_transactions"]]) == ("won", [-11_500, 8500])
    assert Counter(api.events("charge.dispute.")) == {
        "charge.dispute.created": 3, "charge.dispute.funds_withdrawn": 3,
        "charge.dispute.funds_reinstated": 3, "charge.dispute.closed": 4,
    }  # fmt: skip


def test_inquiry_takes_money_only_when_it_becomes_a_dispute(standin, api):
    asked, answered = api.pay("pm_card_createDisputeInquiry"), api.pay("pm_card_createDisputeInquiry")
    [inquiry] = api("GET", "disputes", payment_intent=asked)["data"]
    assert (inquiry["status"], inquiry["balance_transactions"]) == ("warning_needs_response", [])
    evidence = {"evidence": {"uncategorized_text": "escalate_inquiry_evidence"}}
    escalated = api("POST", f"disputes/{inquiry['id']}", **evidence)
    assert (escalated["status"], len(escalated["balance_transactions"])) == ("needs_response", 1)
    standin.clock.advance(days=8)

    assert api("GET", f"disputes/{inquiry['id']}")["status"] == "lost"
    assert api("GET", "disputes", payment_intent=answered)["data"][0]["status"] == "warning_closed"
    assert api.balance() == 10_000 - 2 * 320 - 1500


def test_warning_of_fraud_comes_before_the_dispute(standin, api):
    paid = api.pay("pm_card_createIssuerFraudRecord")
    [warning] = api("GET", "radar/early_fraud_warnings", payment_intent=paid)["data"]
    assert api("GET", f"radar/early_fraud_warnings/{warning['id']}")["actionable"]
    assert standin.warn_of_fraud(paid)["charge"] == warning["charge"]
    standin.dispute(paid)

    assert api.events("radar.") == ["radar.early_fraud_warning.created"] * 2
    assert api("GET", "disputes", payment_intent=paid)["data"][0]["status"] == "needs_response"
    api.pay("pm_card_createDisputeProductNotReceived")
    assert {one["reason"] for one in api("GET", "disputes")["data"]} == {"fraudulent", "product_not_received"}


def test_fees_change_and_come_back_as_the_provider_likes(standin, api):
    standin.set_fees(thousandths=10, fixed=5, tax_thousandths=190, refund=25)
    paid = api.pay()
    api("POST", "refunds", payment_intent=paid, amount=1000)
    standin.charge_fee(700, description="Billing - Usage Fee")
    standin.charge_fee(133, type="tax_fee", description="VAT")
    with pytest.raises(ApiError):
        standin.charge_fee(1, type="gift")

    assert api.moved() == [("charge", 10_000, 125), ("refund", -1000, 25), ("fee", -700, 0), ("tax", -133, 0)]
    charged = api("GET", "balance_transactions", type="charge")["data"][0]
    assert [(one["type"], one["amount"]) for one in charged["fee_details"]] == [("stripe_fee", 105), ("tax", 20)]


def test_platform_is_paid_out_by_hand_and_each_night(standin, api):
    assert api("GET", "balance_settings")["payments"]["payouts"]["schedule"]["interval"] == "manual"
    api.pay()
    by_hand = api("POST", "payouts", amount=680, currency="usd")
    api("POST", "balance_settings", payments={"payouts": {"schedule": {"interval": "daily"}}})
    standin.clock.advance(days=1.01)
    [daily] = [one for one in api("GET", "payouts")["data"] if one["automatic"]]
    assert (daily["amount"], api.balance()) == (9000, 0)
    included = api("GET", "balance_transactions", payout=daily["id"])["data"]
    assert [one["type"] for one in included] == ["payout", "charge"]
    standin.clock.advance(days=3)
    assert api("GET", f"payouts/{by_hand['id']}")["status"] == "paid"

    api("POST", "balance_settings", payments={"payouts": {"schedule": {"interval": "manual"}}})
    standin.fail_payout(daily["id"])
    failed = api("GET", f"payouts/{daily['id']}")
    assert (failed["status"], failed["failure_code"], api.balance()) == ("failed", "account_closed", 9000)
    reversed_by = api("POST", f"payouts/{by_hand['id']}/reverse")
    assert (reversed_by["amount"], reversed_by["original_payout"]) == (-680, by_hand["id"])
    assert api.balance() == 9680
    assert api.events("payout.") == [
        "payout.created", "payout.updated", "payout.created", "payout.updated", "payout.paid", "payout.paid",
        "payout.failed", "payout.updated", "payout.created",
    ]  # fmt: skip
    with pytest.raises(ApiError):
        standin.fail_payout(daily["id"])


def test_negative_balance_is_taken_from_the_bank(standin, api):
    paid = api.pay()
    api("POST", "payouts", amount=9680, currency="usd")
    standin.dispute(paid)
    assert api.balance() == -11_500
    api("POST", "balance_settings", payments={"payouts": {"schedule": {"interval": "daily"}}})
    standin.clock.advance(days=1.01)

    assert [one["amount"] for one in api("GET", "payouts")["data"]] == [-11_500, 9680]
    assert api.balance() == 0
    assert api.moved()[-1] == ("payout", 11_500, 0)


def test_transfer_is_reversed_and_a_paid_payout_of_its_receiver_fails(standin, api):
    account = api("POST", "accounts", type="custom", capabilities={"transfers": {"requested": True}})["id"]
    standin.complete_account(account, {"account_number": "000123456789", "routing_number": "110000000"})
    api.pay()
    sent = api("POST", "transfers", amount=4000, currency="usd", destination=account)["id"]
    part = api("POST", f"transfers/{sent}/reversals", amount=1000)
    assert api("GET", f"transfers/{sent}/reversals")["data"][0]["id"] == part["id"]
    standin.clock.advance(days=4)
    assert api.refused("POST", f"transfers/{sent}/reversals")["code"] == "balance_insufficient"
    api.account = account
    [paid] = api("GET", "payouts")["data"]
    assert (paid["status"], paid["amount"], api.balance()) == ("paid", 3000, 0)
    standin.fail_payout(paid["id"], account=account)
    assert api.balance() == 3000
    assert api.events("payout.failed") == ["payout.failed"]
    api.account = ""
    api("POST", f"transfers/{sent}/reversals")

    assert api("GET", f"transfers/{sent}")["reversed"] is True
    assert api.moved()[1:] == [
        ("transfer", -4000, 0), ("transfer_reversal", 1000, 0), ("transfer_reversal", 3000, 0),
    ]  # fmt: skip
    assert api.events("transfer.") == ["transfer.created", "transfer.reversed", "transfer.reversed"]


def test_events_are_lost_repeated_and_late(standin, api):
    arrived = []

    def receive(url, body, headers):
        arrived.append(body)
        return 200

    standin.webhooks.transport = receive
    api("POST", "webhook_endpoints", url="https://site.example", enabled_events={"0": "customer.created"})
    trouble = standin.webhooks.trouble
    trouble.random, trouble.lost, trouble.repeated, trouble.delay_seconds = Random(7), 0.3, 0.4, 300
    made = [api("POST", "customers")["id"] for _ in range(40)]
    waiting = [event["data"]["object"]["id"] for event in standin.webhooks.pending()]
    times = standin.webhooks.deliver_all()

    assert 15 < len(waiting) < 40
    assert waiting != [one for one in made if one in waiting]
    assert len(waiting) < times == len(arrived) < 2 * len(waiting)
    assert standin.webhooks.pending() == []
    assert len(api("GET", "events", limit=100)["data"]) == 40
