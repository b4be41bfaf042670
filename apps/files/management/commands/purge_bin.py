"""``manage.py purge_bin``: delete what has been in the users' bins for too long (docs/operations.md)."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from apps.files.services import purge_bin


class Command(BaseCommand):
    help = "Delete the files and folders that have been in the bin for 30 days. A job does so every day."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--days", type=int, default=settings.BIN_DAYS, help="days in the bin (%(default)s)")
        parser.add_argument("--dry-run", action="store_true", help="only say how many would be deleted")

    def handle(self, *, days: int, dry_run: bool, **options: Any) -> None:
        if days < 0:
            raise CommandError("--days must not be negative.")
        done = purge_bin(now=timezone.now(), days=days, dry_run=dry_run)
        verb = "would be deleted" if dry_run else "were deleted"
        self.stdout.write(f"{done} files and folders that had been in the bin for {days} days {verb}.")
