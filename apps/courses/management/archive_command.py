"""What the commands that write and read archives of courses share."""

from collections.abc import Callable

from django.core.management.base import BaseCommand, CommandError, CommandParser

from apps.courses.services.archives import Progress, Report
from studyplatform.kit.errors import AppError


class ArchiveCommand(BaseCommand):
    """A command that shows how far it is, and what was left out."""

    dry_run_help: str
    failure: str
    """What went wrong if the disk refuses, without a period."""
    left_out: str
    """What is said before the name of each thing that is left out."""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help=self.dry_run_help)

    def report_of(self, work: Callable[[Progress], Report]) -> Report:
        """Do the work and say what was left out.

        :raises CommandError: it was refused or failed.
        """
        try:
            report = work(self._show)
        except AppError as refusal:
            raise CommandError(f"{refusal.title}. {refusal.detail}") from None
        except OSError as problem:
            raise CommandError(f"{self.failure}: {problem.strerror}. Nothing is left of it.") from None
        for name in report.left_out:
            self.stderr.write(f"{self.left_out}: {name}")
        return report

    def _show(self, done: int, total: int) -> None:
        if self.stderr.isatty():
            self.stderr.write(f"\r{100 * done // max(total, 1)}%", ending="")
