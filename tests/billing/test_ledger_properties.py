"""Any sequence of business facts leaves the ledger balanced and equal to a simple model of who should have what.

`SEQUENCES=1000` generates more.
"""

import os
from collections import defaultdict
from fractions import Fraction

import pytest
from django.db import transaction
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from apps.billing import services
from apps.billing.queries.ledger import balances
from apps.billing.splits import split_by_weight, split_returned, split_sale

NOW = timezone.now()
sequences = settings(
    max_examples=int(os.environ.get("SEQUENCES", "100")),
    deadline=None,
    derandomize="SEQUENCES" not in os.environ,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
amounts = st.integers(1, 99_999)
shares = st.integers(0, 10_000)


class Model:
    """What each party should have, kept as plain sums per sale, without accounts or lines."""

    def __init__(self):
        self.sales = {}  # key: [instructor, total, tax, share, currency, given back]
        self.provider = defaultdict(int)
        self.other = defaultdict(int)  # what instructors have beside their sales: payouts
        self.refunds = {}
        self.disputes = {}
        self.payouts = {}

    def owed(self, instructor, currency):
        """The instructor's share of what remains of the sales; how many of them are rounded twice."""
        exact, loose = Fraction(self.other[instructor, currency]), 0
        for who, total, tax, share, money, back in self.sales.values():
            if (who, money) == (instructor, currency) and not back:
                exact += (total - tax) * share // 10_000
            elif (who, money) == (instructor, currency):
                rest = Fraction(max(total - back, 0), total)
                exact += Fraction((total - tax) * share, 10_000) * rest
                loose += 1 if back < total else 0
        return exact, loose


class Sequence:
    """Draws facts and tells them to both the ledger and the model."""

    def __init__(self, data):
        self.data, self.model = data, Model()

    def pick(self, options):
        return self.data.draw(st.sampled_from(sorted(options)))

    def run(self):
        for number in range(self.data.draw(st.integers(1, 9))):
            possible = ["sale"]
            possible += ["refund"] * bool(self.refundable())
            possible += ["fail_refund"] * bool(self.model.refunds)
            possible += ["dispute"] * bool(self.model.sales) + ["decide"] * bool(self.model.disputes)
            possible += ["payout"] * bool(self.model.sales) + ["settle"] * bool(self.model.payouts)
            step = getattr(self, self.data.draw(st.sampled_from(possible)))
            step(number)

    def refundable(self):
        return [key for key, (_, total, *_, back) in self.model.sales.items() if back < total]

    def twice(self, function, *args, **options):
        first = function(*args, occurred_at=NOW, **options)
        assert function(*args, occurred_at=NOW, **options) == first

    def sale(self, number):
        total, currency = self.data.draw(amounts), self.pick(["usd", "eur"])
        tax, fee = self.data.draw(st.integers(0, total)), self.data.draw(st.integers(0, 500))
        share, who = self.data.draw(shares), self.pick([1, 2])
        self.twice(services.post_sale, f"pi_{number}", who, total, tax, share, currency)
        self.twice(services.post_fee, f"pi_{number}", fee, currency)
        self.model.sales[f"pi_{number}"] = [who, total, tax, share, currency, 0]
        self.model.provider[currency] += total - fee

    def refund(self, number):
        key = self.pick(self.refundable())
        _, total, _, _, currency, back = self.model.sales[key]
        amount = self.data.draw(st.integers(1, total - back))
        self.twice(services.post_refund, f"re_{number}", key, amount)
        self.model.sales[key][-1] += amount
        self.model.provider[currency] -= amount
        self.model.refunds[f"re_{number}"] = key, amount

    def fail_refund(self, number):
        name = self.pick(self.model.refunds)
        key, amount = self.model.refunds.pop(name)
        self.twice(services.post_refund_failed, name)
        self.model.sales[key][-1] -= amount
        self.model.provider[self.model.sales[key][4]] += amount

    def dispute(self, number):
        key = self.pick(self.model.sales)
        amount, fee = self.data.draw(st.integers(1, self.model.sales[key][1])), self.data.draw(st.integers(0, 1500))
        self.post_dispute(f"dp_{number}", key, (amount, 0, fee, 0), is_closed=False)
        self.model.provider[self.model.sales[key][4]] -= amount + fee
        self.model.disputes[f"dp_{number}"] = key, amount, fee

    def decide(self, number):
        """Won, lost, or won in part."""
        name = self.pick(self.model.disputes)
        key, amount, fee = self.model.disputes.pop(name)
        reinstated = self.data.draw(st.sampled_from([0, amount, amount // 3]))
        returned = self.data.draw(st.sampled_from([0, fee]))
        self.post_dispute(name, key, (amount, reinstated, fee, returned), is_closed=True)
        self.model.provider[self.model.sales[key][4]] += reinstated + returned
        self.model.sales[key][-1] += amount - reinstated

    def post_dispute(self, name, key, moves, *, is_closed):
        moves = services.DisputeMoves(*moves)
        for _ in range(2):
            services.post_dispute(name, key, moves, is_closed=is_closed, opened_at=NOW, occurred_at=NOW)

    def payout(self, number):
        who, currency, amount = self.pick([1, 2]), self.pick(["usd", "eur"]), self.data.draw(amounts)
        self.twice(services.post_payout_started, f"po_{number}", who, amount, currency)
        self.model.other[who, currency] -= amount
        self.model.payouts[f"po_{number}"] = who, currency, amount, False

    def settle(self, number):
        name = self.pick(self.model.payouts)
        who, currency, amount, was_sent = self.model.payouts.pop(name)
        if not was_sent and self.data.draw(st.booleans()):
            self.twice(services.post_payout_sent, name)
            self.model.provider[currency] -= amount
            self.model.payouts[name] = who, currency, amount, True
        else:
            self.twice(services.post_payout_failed, name)
            self.model.provider[currency] += amount * was_sent
            self.model.other[who, currency] += amount


@pytest.mark.django_db
@sequences
@given(st.data())
def test_any_sequence_stays_balanced_and_equals_the_model(data):
    with transaction.atomic():
        sequence = Sequence(data)
        sequence.run()
        found = balances()
        for currency in ("usd", "eur"):
            assert sum(sums.get(currency, 0) for sums in found.values()) == 0
            assert found.get("provider", {}).get(currency, 0) == sequence.model.provider[currency]
            for instructor in (1, 2):
                owed = -found.get(f"instructor:{instructor}", {}).get(currency, 0)
                exact, loose = sequence.model.owed(instructor, currency)
                assert abs(owed - exact) <= 2 * loose
        transaction.set_rollback(True)


@sequences
@given(amounts, st.integers(0, 100), shares, st.lists(amounts, max_size=6))
def test_steps_of_giving_back_add_up_to_the_sale(total, tax_percent, share, steps):
    tax = total * tax_percent // 100
    sale, before, returned = split_sale(total, tax, share), split_returned(total, tax, share, 0), 0
    assert (sale.tax + sale.instructor + sale.platform, before.instructor) == (total, 0)
    for step in [*steps, total]:
        returned = min(total, returned + step)
        now = split_returned(total, tax, share, returned)
        part = now - before
        assert min(part.tax, part.instructor, part.platform) >= 0
        assert now.tax + now.instructor + now.platform == returned
        before = now
    assert before == sale


@sequences
@given(st.integers(0, 10**9), st.dictionaries(st.integers(1, 50), st.integers(0, 10**6), max_size=20))
def test_a_divided_pool_has_no_remainder(amount, weights):
    parts = split_by_weight(amount, weights)
    whole = sum(weights.values())

    assert sum(parts.values()) == (amount if whole else 0)
    for key, part in parts.items():
        assert abs(part - Fraction(amount * weights[key], whole)) < 1
    assert parts == split_by_weight(amount, dict(reversed(weights.items())))
