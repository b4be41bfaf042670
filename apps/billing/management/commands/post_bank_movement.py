"""``manage.py post_bank_movement``: post what moved at the platform's bank, such as tax that was paid."""

import uuid
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from apps.billing import services
from apps.billing.books_forms import ManualEntryForm
from apps.billing.errors import EntryPosted
from apps.billing.models import ManualEntry
from studyplatform.kit.errors import NotFound
from studyplatform.kit.text.money import money


class Command(BaseCommand):
    help = (
        "Post tax paid to the authorities, money put into or taken out of the platform, or a fee of the bank. Prints "
        "the ID of the entry; --undo ID posts a counter entry."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("kind", nargs="?", choices=ManualEntry.Kind.values, help="what happened")
        parser.add_argument("amount", nargs="?", help="in units of the currency, such as 120.50")
        parser.add_argument("--currency", default=settings.CURRENCY)
        parser.add_argument("--date", help="when the bank moved it, such as 2026-11-30; today by default")
        parser.add_argument("--period", default="", help="what the tax is for, such as 2026-Q3")
        parser.add_argument("--reference", default="", help="such as the number of the tax return")
        parser.add_argument("--id", help="an ID of your own (UUID): posting it again posts nothing")
        parser.add_argument("--undo", metavar="ID", help="undo the entry with this ID")

    def handle(self, **options: Any) -> None:
        if options["undo"]:
            self._undo(options["undo"])
            return
        currency = options["currency"].lower()
        values = {
            "uid": options["id"] or str(uuid.uuid4()),
            "kind": options["kind"],
            "amount": options["amount"],
            "currency": currency,
            "day": options["date"] or timezone.localdate().isoformat(),
            "period": options["period"],
            "reference": options["reference"],
        }
        form = ManualEntryForm(values, currencies=[currency])
        if not form.is_valid():
            raise CommandError("; ".join(f"{name}: {errors[0]}" for name, errors in form.errors.items()))
        found = form.cleaned_data
        try:
            row = services.post_entry(
                uid=found["uid"],
                kind=ManualEntry.Kind(found["kind"]),
                amount=found["minor_amount"],
                currency=currency,
                day=found["day"],
                period=found["period"],
                reference=found["reference"],
                admin=None,
                now=timezone.now(),
            )
        except EntryPosted:
            raise CommandError(f"another entry has the ID {found['uid']}") from None
        self.stdout.write(f"{row.uid} {row.kind} {money(row.amount, row.currency)} on {row.day}")

    def _undo(self, text: str) -> None:
        try:
            row = services.undo_entry(uid=uuid.UUID(text), admin=None, now=timezone.now())
        except (ValueError, NotFound):
            raise CommandError(f"there is no entry with the ID {text}") from None
        self.stdout.write(f"{row.uid} is undone")
