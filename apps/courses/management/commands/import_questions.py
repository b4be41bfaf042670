"""``manage.py import_questions``: import a file of questions into a quiz or the question bank of a course."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from apps.courses import services
from apps.courses.imports.reading import FORMATS
from apps.courses.models import Course, Lesson, Quiz
from studyplatform.kit.errors import AppError


class Command(BaseCommand):
    help = "Import GIFT, Aiken, Moodle XML or CSV into the question bank of a course, or into one of its quizzes."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("course", help="The course, as in its address.")
        parser.add_argument("file", type=Path)
        parser.add_argument("--quiz", default="", help="The quiz, as in its address. Without it: the question bank.")
        parser.add_argument("--format", default="", choices=["", *FORMATS], help="Without it, it is recognized.")
        parser.add_argument("--tags", default="", help="For all questions, separated by commas.")
        parser.add_argument("--check", action="store_true", help="Only print the report.")

    def handle(self, *args: Any, **options: Any) -> None:
        course = Course.with_working_copies.select_related("instructor").filter(slug=options["course"]).first()
        if course is None:
            raise CommandError(f"There is no course {options['course']}.")
        now, by = timezone.now(), course.instructor
        try:
            raw = options["file"].read_bytes()
        except OSError as error:
            raise CommandError(str(error)) from None
        file = services.QuestionFile(
            raw=raw, name=options["file"].name, form=options["format"], tags=options["tags"].split(",")
        )
        try:
            found = services.check_questions(quiz=_quiz(course, options["quiz"]), by=by, file=file, now=now)
            if not options["check"]:
                found = services.import_questions(checked=found, by=by, now=now)
        except AppError as refusal:
            raise CommandError(str(refusal.detail)) from None
        for note in found.notes:
            self.stdout.write(note)
        for row in found.rows:
            self.stdout.write(f"{row['number']:>4}  line {row['line']:>5}  {row['state']:8}  {row['excerpt']}")
            for note in filter(None, [row["problem"], *row["notes"]]):
                self.stdout.write(f"{'':29}{note}")
        if options["check"]:
            found.delete()
        else:
            self.stdout.write(f"{len(found.created)} questions imported.")


def _quiz(course: Course, slug: str) -> Quiz:
    if not slug:
        return services.open_bank(course=course)
    lesson = course.lessons.select_related("quiz").filter(slug=slug, kind=Lesson.Kind.QUIZ).first()
    if lesson is None:
        raise CommandError(f"The course has no quiz {slug}.")
    lesson.course = course
    lesson.quiz.lesson = lesson
    return lesson.quiz
