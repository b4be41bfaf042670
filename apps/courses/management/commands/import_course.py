"""manage.py import_course FILE --owner EMAIL: make a draft course of an archive."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from apps.accounts.models import User
from apps.courses.management.archive_command import ArchiveCommand
from apps.courses.services.archive_imports import import_course
from studyplatform.kit.text.sizes import as_size


class Command(ArchiveCommand):
    help = (
        "Create a draft course from an archive written by export_course. If anything fails, nothing is imported. The"
        " course begins without a version history."
    )

    dry_run_help = "check the archive without importing it"
    failure = "The course couldn't be stored"
    left_out = "Missing"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="the path of the archive")
        parser.add_argument("--owner", required=True, help="the email of the instructor who will own the course")
        super().add_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        owner = User.objects.filter(email__iexact=options["owner"]).first()
        if owner is None:
            raise CommandError(f"There is no user {options['owner']}.")
        path: Path = options["file"]
        if not path.is_file():
            raise CommandError(f"There is no file {path}.")
        report = self.report_of(
            lambda progress: import_course(
                path=path, owner=owner, now=timezone.now(), dry_run=options["dry_run"], progress=progress
            )
        )
        what = f"{report.lessons} lessons, {report.videos} videos and {report.uploads} files"
        size = as_size(report.total_bytes)
        if report.course is None:
            self.stdout.write(f"“{report.title}” would be made, with {what}, {size}.")
        else:
            self.stdout.write(f"“{report.title}” is the draft {report.course.slug}, with {what}, {size}.")
