"""``manage.py reconcile_billing``: find and repair what the payment provider told nobody."""

import json
import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from apps.billing.models import BooksCheck
from apps.billing.services.books_checks import run_check
from studyplatform.kit.errors import AppError


class Command(BaseCommand):
    help = (
        "Compare orders, payments, refunds, disputes and subscriptions with the payment provider and repair what "
        "differs. Exit status 1 if something is left that a human has to look at (with --dry-run: if anything differs)."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--days", type=int, default=30, help="How far back; 30 by default.")
        parser.add_argument("--dry-run", action="store_true", help="Report only, change nothing.")
        parser.add_argument("--json", action="store_true", help="Print the report as JSON.")

    def handle(self, *, days: int, dry_run: bool, **options: Any) -> None:
        now = timezone.now()
        check = BooksCheck(
            kind=BooksCheck.Kind.PROVIDER, repairs=not dry_run, days=min(max(1, days), 3650), started_at=now
        )
        try:
            run_check(check, now=now)
        except AppError as error:
            raise CommandError(
                f"The payment provider doesn't answer: {getattr(error, 'reason', '') or error}"
            ) from error
        self._print(check.findings, as_json=options["json"])
        if check.found != check.repaired:
            sys.exit(1)

    def _print(self, report: list[dict[str, str]], *, as_json: bool) -> None:
        if as_json:
            self.stdout.write(json.dumps({"differences": report}, indent=2))
            return
        for each in report:
            self.stdout.write(f"{each['kind']} {each['name']}: {each['text']} ({each['outcome']})")
        if not report:
            self.stdout.write("Nothing differs.")
