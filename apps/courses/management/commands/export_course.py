"""manage.py export_course SLUG FILE: write a course with its media to an archive."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from apps.courses.management.archive_command import ArchiveCommand
from apps.courses.models import Course
from apps.courses.services.archives import export_course
from studyplatform.kit.text.sizes import as_size


class Command(ArchiveCommand):
    help = (
        "Write a course with its lessons, quizzes, files, videos and captions to an archive. The archive contains the"
        " course as it is now. It does not contain the history of its versions, its learners, reviews or sales."
    )

    dry_run_help = "list the contents without writing the archive"
    failure = "The archive couldn't be written"
    left_out = "Left out"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("course", help="the slug of the course")
        parser.add_argument("file", type=Path, help="the path of the archive, such as course.zip")
        super().add_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        course = Course.objects.filter(slug=options["course"]).first()
        if course is None:
            raise CommandError(f"There is no course {options['course']}.")
        path: Path = options["file"]
        if not path.parent.is_dir():
            raise CommandError(f"There is no folder {path.parent}.")
        report = self.report_of(
            lambda progress: export_course(
                course=course, path=path, now=timezone.now(), dry_run=options["dry_run"], progress=progress
            )
        )
        written = "would have" if options["dry_run"] else "has"
        self.stdout.write(
            f"{path} {written} {report.lessons} lessons, {report.videos} videos and {report.uploads} files,"
            f" {as_size(report.total_bytes)}."
        )
