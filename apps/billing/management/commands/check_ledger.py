"""``manage.py check_ledger``: compare the ledger with what was posted (docs/operations.md)."""

import json
import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from apps.billing.models import LedgerEntry, LedgerLine
from apps.billing.queries.ledger import balances
from apps.billing.queries.ledger_check import problems
from studyplatform.kit.text.money import money

FORMAT = 1  # of the JSON; a change that breaks readers counts it up


class Command(BaseCommand):
    help = (
        "Check that every entry of the ledger balances and says what was posted, that its keys are unique, that "
        "payouts, invoices and credit notes agree with it, and that the triggers that protect it are installed; "
        "print the balance of each account. Exits with 1 if something is wrong."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", dest="as_json", help="print one JSON object")

    def handle(self, *, as_json: bool, **options: Any) -> None:
        found = list(problems())
        accounts = balances()
        entries, lines = LedgerEntry.objects.count(), LedgerLine.objects.count()
        if as_json:
            report = {
                "format": FORMAT,
                "problems": [{"kind": each.kind, "name": each.name, "text": each.text} for each in found],
                "accounts": accounts,
                "entries": entries,
                "lines": lines,
            }
            self.stdout.write(json.dumps(report))
        else:
            for account in sorted(accounts):
                amounts = (
                    f"{money(amount, currency):>16} {currency}" for currency, amount in accounts[account].items()
                )
                self.stdout.write(f"{account:30}{'  '.join(amounts)}")
            for each in found:
                self.stdout.write(f"{each.kind} {each.name}: {each.text}")
            self.stdout.write(f"{entries} entries with {lines} lines. Problems: {len(found)}.")
        if found:
            sys.exit(1)
