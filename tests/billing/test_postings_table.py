"""The table of postings in docs/accounting.md says what the code posts."""

import re
from collections import defaultdict
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.conf import settings

from apps.billing.models import EntryKind, LedgerEntry
from apps.billing.services import ledger
from apps.billing.services.books_entries import EXPLANATIONS
from apps.billing.services.ledger.payouts import post_payout_reversed, post_payout_transfer
from apps.billing.services.ledger.posting import lines_of
from apps.billing.services.ledger.provider import (
    post_balance_transaction,
    post_by_hand,
    post_difference,
    post_explained,
)

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
AT = {"occurred_at": NOW}
K = EntryKind


def rows() -> list[tuple[str, set[str], set[str]]]:
    """The rows of the table: kind, accounts with + and with −."""
    text = Path(settings.BASE_DIR, "docs/accounting.md").read_text()
    section = text.split("## Postings")[1].split("\n## ")[0]
    found = []
    for line in section.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 4 and cells[1].startswith("`"):
            plus, minus = (set(re.findall(r"`(\w+)`", cell)) for cell in cells[2:])
            found.append((cells[1].strip("`"), plus, plus if cells[3] == "the other one" else minus))
    return found


def post_everything() -> None:
    """Each event at least once, with all accounts that it can move."""
    for number, received in enumerate(("provider", "bank", "deposits")):
        ledger.post_sale(f"pi_{number}", 7, 11_900, 1_900, 7_000, "usd", received_in=received, **AT)
        ledger.post_subscription_payment(f"pi_p{number}", 1_190, 190, "usd", received_in=received, **AT)
    ledger.post_fee("pi_0", 300, "usd", **AT)
    ledger.post_refund_pending("re_1", "pi_0", 1_190, **AT)
    ledger.post_refund("re_1", "pi_0", 1_190, **AT)
    ledger.post_refund("re_2", "pi_0", 1_190, **AT)
    ledger.post_refund_failed("re_2", **AT)
    ledger.post_refund_pending("re_3", "pi_0", 500, **AT)
    ledger.post_refund_failed("re_3", **AT)
    ledger.post_refund_pending("re_4", "pi_p0", 595, **AT)
    ledger.post_refund("re_4", "pi_p0", 595, **AT)
    ledger.post_refund("re_5", "pi_p0", 595, **AT)
    ledger.post_refund("return 1", "pi_2", 1_190, paid_from="bank", **AT)
    ledger.post_refund_failed("return 1", **AT)
    ledger.post_refund("return 2", "pi_p2", 595, paid_from="bank", **AT)
    ledger.post_deposit("1", 100, "usd", **AT)
    ledger.post_deposit_returned("1", 100, "usd", **AT)
    ledger.post_deposit_rejected("1", 100, "usd", **AT)
    ledger.post_transfer_charge("1", 1, "usd", payment_key="pi_2", **AT)
    for name, taken in (("dp_1", 11_900), ("dp_2", 5_000)):
        moves = ledger.DisputeMoves(withdrawn=taken, fee=1_500)
        dispute = {"opened_at": NOW, **AT}
        ledger.post_dispute(name, "pi_1", moves, is_closed=False, **dispute)
        ledger.post_dispute(name, "pi_1", moves, is_closed=True, **dispute)
    won = ledger.DisputeMoves(withdrawn=11_900, reinstated=11_900, fee=1_500, fee_returned=1_500)
    ledger.post_dispute("dp_1", "pi_1", won, is_closed=True, opened_at=NOW, **AT)
    ledger.post_sale("pi_lost", 7, 1_000, 0, 7_000, "usd", **AT)
    moves = ledger.DisputeMoves(withdrawn=1_000)
    ledger.post_dispute("dp_3", "pi_lost", moves, is_closed=True, opened_at=NOW, **AT)
    ledger.post_refund("re_6", "pi_lost", 400, **AT)
    ledger.post_premium_share("2026-06", 500, [ledger.PremiumPart(7, 1, "Rivers", 400)], 7_000, "usd", **AT)
    for name, source in (("a", "provider"), ("b", "bank"), ("c", "")):
        ledger.post_payout_started(name, 7, 1_000, "usd", **AT)
        if source:
            ledger.post_payout_sent(name, source=source, **AT)
        ledger.post_payout_failed(name, **AT)
    post_payout_transfer("a", "tr_1", 1_000, **AT)
    post_payout_reversed("a", "trr_1", 1_000, **AT)
    post_balance_transaction("txn_1", K.PROVIDER_TO_BANK, -1_000, "usd", fee=10, **AT)
    post_balance_transaction("txn_2", K.BANK_TO_PROVIDER, 1_000, "usd", **AT)
    post_balance_transaction("txn_3", K.PROVIDER_FEE, -20, "usd", **AT)
    for number, amount in ((4, -700), (5, 700)):
        post_balance_transaction(f"txn_{number}", K.RESERVE, amount, "usd", **AT)
        post_difference(f"fact_{number}", K.UNEXPLAINED, {"usd": amount}, number=0, **AT)
        for account in EXPLANATIONS:
            key = f"fact {account} {number}"
            post_explained(key, account, amount=amount, currency="usd", number=0, **AT)
    post_difference("fact_6", K.EXCHANGE, {"usd": -100, "eur": 90}, number=0, **AT)
    for kind in (K.TAX_PAID, K.TAX_RETURNED, K.OWNER_IN, K.OWNER_OUT, K.BANK_FEE):
        post_by_hand(f"{kind}", kind, 50, "usd", **AT)


def test_the_table_of_postings_is_the_code():
    post_everything()
    table = rows()
    moved: dict[int, tuple[set[str], set[str]]] = defaultdict(lambda: (set(), set()))
    for entry in LedgerEntry.objects.order_by("pk"):
        signs: tuple[set[str], set[str]] = (set(), set())
        for line in lines_of(entry):
            signs[line.amount < 0].add(line.account.partition(":")[0])
        fitting = [
            number
            for number, (kind, plus, minus) in enumerate(table)
            if kind == entry.kind and signs[0] <= plus and signs[1] <= minus
        ]
        assert fitting, f"{entry.kind} moves + {signs[0]} and − {signs[1]}: not in docs/accounting.md"
        for both, new in zip(moved[fitting[0]], signs, strict=True):
            both |= new

    assert {kind for kind, _plus, _minus in table} == set(EntryKind.values)
    for number, (kind, plus, minus) in enumerate(table):
        assert moved[number] == (plus, minus), f"row {number + 1}, {kind}"
