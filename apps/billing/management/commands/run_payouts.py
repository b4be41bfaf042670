"""``manage.py run_payouts``: pay instructors now, as the monthly job does (docs/operations.md)."""

import json
import sys
from argparse import ArgumentParser
from datetime import date
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from apps.billing import services
from apps.billing.models import Payout, PayoutRun
from studyplatform.kit.text.money import money

FORMAT = 1  # of the JSON; a change that breaks readers counts it up
WHY = {
    "minimum": "below the minimum",
    "no_account": "no payout details, or a blocked account",
    "open": "another payout is on its way",
}


class Command(BaseCommand):
    help = (
        "Pay instructors what they earned until 14 days before, and resume payouts that were interrupted. Running it "
        "again sends nothing twice. Exits with 1 if a payout is not known to be sent: run it again later."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--day", help="the day of the run, such as 2026-12-01; today by default")
        parser.add_argument("--dry-run", action="store_true", help="only print what would be paid")
        parser.add_argument("--json", action="store_true", dest="as_json", help="print one JSON object")

    def handle(self, *, day: str | None, dry_run: bool, as_json: bool, **options: Any) -> None:
        now = timezone.now()
        try:
            on = date.fromisoformat(day) if day else now.date()
        except ValueError:
            raise CommandError(f"--day must be a date such as 2026-12-01, not {day!r}") from None
        if on > now.date():
            raise CommandError("--day cannot be in the future: sales could still be refunded")
        planned = services.plan_payouts(on)
        unknown, payouts = 0, list[Payout]()
        if not dry_run:
            run, unknown = services.run_payouts(on, now=now)
            payouts = list(PayoutRun.objects.get(pk=run.pk).payouts.order_by("pk"))
        if as_json:
            self._print_json(on, planned, payouts, unknown, dry_run=dry_run)
        else:
            self._print_lines(planned, payouts, unknown, dry_run=dry_run)
        if unknown:
            sys.exit(1)

    def _print_lines(
        self, planned: list[services.Planned], payouts: list[Payout], unknown: int, *, dry_run: bool
    ) -> None:
        for each in planned:
            if each.hindrance:
                why = WHY[each.hindrance]
                self.stdout.write(f"user {each.instructor_id}: {money(each.amount, each.currency)} waits: {why}")
            elif dry_run:
                self.stdout.write(f"user {each.instructor_id}: {money(each.amount, each.currency)} would be paid")
        for payout in payouts:
            amount = money(payout.amount, payout.currency)
            detail = f" ({payout.get_failure_display()})" if payout.failure else ""
            self.stdout.write(f"user {payout.instructor_id}: {amount} {payout.state}{detail}")
        if unknown:
            self.stdout.write(f"Not known to be sent: {unknown}. Run the command again in ten minutes.")

    def _print_json(
        self, day: date, planned: list[services.Planned], payouts: list[Payout], unknown: int, *, dry_run: bool
    ) -> None:
        report = {
            "format": FORMAT,
            "day": day.isoformat(),
            "dry_run": dry_run,
            "planned": [
                {
                    "instructor": each.instructor_id,
                    "amount": each.amount,
                    "currency": each.currency,
                    "waits": each.hindrance,
                }
                for each in planned
            ],
            "payouts": [
                {
                    "uid": str(payout.uid),
                    "instructor": payout.instructor_id,
                    "amount": payout.amount,
                    "currency": payout.currency,
                    "state": payout.state,
                    "failure": payout.failure,
                }
                for payout in payouts
            ],
            "unknown": unknown,
        }
        self.stdout.write(json.dumps(report))
