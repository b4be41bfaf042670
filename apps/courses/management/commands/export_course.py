"""manage.py export_course SLUG FILE: write a course with its media to an archive."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from apps.courses.models import Course
from apps.courses.services.archives import export_course
from studyplatform.kit.errors import AppError
from studyplatform.kit.text.sizes import as_size


class Command(BaseCommand):
    help = (
        "Write a course with its lessons, quizzes, files, videos and captions to an archive. The archive contains the"
        " course as it is now. It does not contain the history of its versions, its learners, reviews or sales."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("course", help="the slug of the course")
        parser.add_argument("file", type=Path, help="the path of the archive, such as course.zip")
        parser.add_argument("--dry-run", action="store_true", help="list the contents without writing the archive")

    def handle(self, *args: Any, **options: Any) -> None:
        course = Course.objects.filter(slug=options["course"]).first()
        if course is None:
            raise CommandError(f"There is no course {options['course']}.")
        path: Path = options["file"]
        if not path.parent.is_dir():
            raise CommandError(f"There is no folder {path.parent}.")
        try:
            report = export_course(
                course=course,
                path=path,
                now=timezone.now(),
                dry_run=options["dry_run"],
                progress=lambda done, total: self._show(done, total),
            )
        except AppError as refusal:
            raise CommandError(f"{refusal.title}. {refusal.detail}") from None
        except OSError as problem:
            raise CommandError(f"The archive couldn't be written: {problem.strerror}. Nothing is left of it.") from None
        for name in report.left_out:
            self.stderr.write(f"Left out: {name}")
        written = "would have" if options["dry_run"] else "has"
        self.stdout.write(
            f"{path} {written} {report.lessons} lessons, {report.videos} videos and {report.uploads} files,"
            f" {as_size(report.total_bytes)}."
        )

    def _show(self, done: int, total: int) -> None:
        if self.stderr.isatty():
            self.stderr.write(f"\r{100 * done // max(total, 1)}%", ending="")
