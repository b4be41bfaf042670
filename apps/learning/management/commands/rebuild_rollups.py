"""``manage.py rebuild_rollups``: count the roll-ups of learners again (docs/operations.md)."""

from argparse import ArgumentParser
from datetime import date
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from django.utils.dateparse import parse_date

from apps.courses.models import Course
from apps.learning.analytics.counting import Counting, rebuild

FIRST_YEAR = 1970  # nothing was recorded before


class Command(BaseCommand):
    help = (
        "Count again what instructors read about their learners: each day, lesson, question and enrollment. The "
        "figures are the same as those that the jobs keep; what differs is corrected. It can be stopped at any moment."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--course", default="", metavar="SLUG", help="only this course, and the people who teach it"
        )
        parser.add_argument("--since", default="", metavar="DAY", help="only the days since this one, like 2026-11-01")
        parser.add_argument("--dry-run", action="store_true", help="only say how many rows would change")

    def handle(self, *, course: str, since: str, dry_run: bool, **options: Any) -> None:
        courses = None
        if course:
            courses = list(Course.objects.filter(slug=course).values_list("pk", flat=True))
            if not courses:
                raise CommandError(f'There is no course "{course}".')
        run = Counting(timezone.now(), report=self._report, is_dry=dry_run)
        rebuild(run, courses=courses, since=_read_day(since))
        for what, changes in run.changes.items():
            self.stdout.write(f"{what}: {changes.added} added, {changes.changed} changed, {changes.removed} removed")
        would = "would be written" if dry_run else "written"
        self.stdout.write(f"{run.total_changes()} rows {would}.")

    def _report(self, what: str, done: int, total: int) -> None:
        """Write the progress: at most twenty lines for each part."""
        if done in {0, total} or done % max(1, total // 20) == 0:
            self.stdout.write(f"Counting {what}: {done} of {total}")
            self.stdout.flush()


def _read_day(text: str) -> date | None:
    """Return the day that was entered; None for none.

    :raises CommandError: it is no day.
    """
    if not text:
        return None
    try:
        day = parse_date(text)
    except ValueError:
        day = None
    if day is None or day.year < FIRST_YEAR:
        raise CommandError(f'"{text}" is no day. Write it like 2026-11-01.')
    return day
