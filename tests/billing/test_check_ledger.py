"""`manage.py check_ledger` reports everything that was changed behind the ledger's back."""

import json
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import connection, transaction

from apps.billing import services
from apps.billing.models import LEDGER_TRIGGERS, LedgerEntry, LedgerLine
from tests.billing.books import unguarded
from tests.factories.billing import sale

pytestmark = [pytest.mark.database, pytest.mark.django_db]


def report():
    """The exit status, the problems (kind, name) and the balances."""
    out = StringIO()
    status: object = 0
    try:
        call_command("check_ledger", "--json", stdout=out)
    except SystemExit as end:
        status = end.code
    found = json.loads(out.getvalue())
    return status, [(each["kind"], each["name"]) for each in found["problems"]], found["accounts"]


def test_a_true_ledger_passes():
    first = sale(7, 10_000, payment_key="pi_1", description="Flüsse – “Rivers”", tax=77)
    services.post_refund("re_1", "pi_1", 5000, occurred_at=first.occurred_at)

    status, problems, accounts = report()

    assert (status, problems) == (0, [])
    assert accounts["provider"] == {"usd": 5000}


CHANGES = [
    (lambda: platform_lines().update(amount=-1), {"balance", "checksum", "total"}),
    (lambda: platform_lines().delete(), {"lines", "balance", "checksum", "total"}),
    (lambda: LedgerLine.objects.update(currency="eur"), {"checksum"}),
    (lambda: LedgerEntry.objects.update(instructor_id=9), {"checksum"}),
    (lambda: LedgerEntry.objects.update(share_bps=8000), {"checksum"}),
]


def platform_lines():
    return LedgerLine.objects.filter(account__code="platform")


@pytest.mark.parametrize(("change", "kinds"), CHANGES)
def test_a_changed_row_is_reported(change, kinds):
    sale(payment_key="pi_1")
    sale(payment_key="pi_2")
    with unguarded():
        change()

    status, problems, _ = report()

    assert status == 1
    assert {kind for kind, _ in problems} == kinds


def test_money_moved_between_two_accounts_is_reported():
    """Such an entry still balances; only its checksum tells."""
    entry = sale(payment_key="pi_1")
    with unguarded():
        for code, by in (("instructor:1", -100), ("platform", 100)):
            line = entry.lines.get(account__code=code)
            entry.lines.filter(pk=line.pk).update(amount=line.amount + by)

    assert report()[:2] == (1, [("checksum", "sale pi_1")])


@pytest.mark.django_db(transaction=True)
def test_missing_triggers_and_orphaned_lines_are_reported():
    entry = sale()
    orphan = min(entry.lines.values_list("pk", flat=True))
    LEDGER_TRIGGERS.drop()
    if connection.vendor == "sqlite":  # PostgreSQL's foreign keys cannot be turned off
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA foreign_keys = OFF")
            cursor.execute("DELETE FROM billing_ledgerentry")
            cursor.execute("PRAGMA foreign_keys = ON")
    try:
        status, problems, _ = report()
    finally:
        with transaction.atomic():
            LedgerLine.objects.all().delete()
        LEDGER_TRIGGERS.install()

    assert status == 1
    assert ("trigger", "billing_ledgerline") in problems
    assert (("line", str(orphan)) in problems) == (connection.vendor == "sqlite")


def test_the_report_names_accounts_and_problems_in_words():
    sale(7, 12_345, payment_key="pi_1")
    with unguarded():
        LedgerEntry.objects.update(total=5)
    out = StringIO()
    with pytest.raises(SystemExit):
        call_command("check_ledger", stdout=out)

    assert "$123.45 usd" in out.getvalue()
    assert "checksum sale pi_1: it or one of its lines was changed\n" in out.getvalue()
    assert "1 entries with 3 lines. Problems: 1." in out.getvalue()
