"""manage.py import_course FILE --owner EMAIL: make a draft course of an archive."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from apps.accounts.models import User
from apps.courses.services.archive_imports import import_course
from studyplatform.kit.errors import AppError
from studyplatform.kit.text.sizes import as_size


class Command(BaseCommand):
    help = (
        "Create a draft course from an archive written by export_course. If anything fails, nothing is imported. The"
        " course begins without a version history."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="the path of the archive")
        parser.add_argument("--owner", required=True, help="the email of the instructor who will own the course")
        parser.add_argument("--dry-run", action="store_true", help="check the archive without importing it")

    def handle(self, *args: Any, **options: Any) -> None:
        owner = User.objects.filter(email__iexact=options["owner"]).first()
        if owner is None:
            raise CommandError(f"There is no user {options['owner']}.")
        path: Path = options["file"]
        if not path.is_file():
            raise CommandError(f"There is no file {path}.")
        try:
            report = import_course(
                path=path,
                owner=owner,
                now=timezone.now(),
                dry_run=options["dry_run"],
                progress=lambda done, total: self._show(done, total),
            )
        except AppError as refusal:
            raise CommandError(f"{refusal.title}. {refusal.detail}") from None
        except OSError as problem:
            raise CommandError(f"The course couldn't be stored: {problem.strerror}. Nothing is left of it.") from None
        for name in report.left_out:
            self.stderr.write(f"Missing: {name}")
        what = f"{report.lessons} lessons, {report.videos} videos and {report.uploads} files"
        size = as_size(report.total_bytes)
        if report.course is None:
            self.stdout.write(f"“{report.title}” would be made, with {what}, {size}.")
        else:
            self.stdout.write(f"“{report.title}” is the draft {report.course.slug}, with {what}, {size}.")

    def _show(self, done: int, total: int) -> None:
        if self.stderr.isatty():
            self.stderr.write(f"\r{100 * done // max(total, 1)}%", ending="")
