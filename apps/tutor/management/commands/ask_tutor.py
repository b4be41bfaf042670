"""``manage.py ask_tutor``: answer the questions of a file, one JSON object a line."""

import json
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from apps.accounts.models import User
from apps.courses.models import Course
from apps.tutor.errors import TutorTurnedOff
from apps.tutor.retrieval.search import Earlier
from apps.tutor.services import ask


class Command(BaseCommand):
    help = (
        'Answer questions. Each line of the file is {"id", "question"} and, if wanted, "course" (its slug) and '
        '"history" ([{"question", "answer"}]). Each line of the output is {"id", "passages": [{"lesson", "text", '
        '"second"}], "declined", "certainty", "answer"}, the best passage first.'
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--user", required=True, help="Email of the user who asks: the tutor uses what they may open."
        )
        parser.add_argument("--course", help="Slug of a course, for lines that name none.")
        parser.add_argument("--file", required=True, help="The questions; - reads them from standard input.")

    def handle(self, *, user: str, course: str | None, file: str, **options: Any) -> None:
        reader = User.objects.filter(email__iexact=user, is_active=True).first()
        if reader is None:
            raise CommandError(f"There is no active user with the email {user}.")
        try:
            text = sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as problem:
            raise CommandError(f"{file} can't be read: {problem}") from problem
        courses = {one.slug: one for one in Course.objects.all()}
        for number, line in enumerate(text.splitlines(), start=1):
            if line.strip():
                self.stdout.write(json.dumps(_answer(reader, number, line, course, courses), ensure_ascii=False))


def _answer(reader: User, number: int, line: str, default: str | None, courses: dict[str, Course]) -> dict[str, Any]:
    try:
        row = json.loads(line)
        question, slug = str(row["question"]), row.get("course") or default
        history = [_earlier(one) for one in row.get("history") or []]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as problem:
        raise CommandError(f'Line {number} isn\'t a JSON object with a "question".') from problem
    if slug is not None and slug not in courses:
        raise CommandError(f"Line {number}: there is no course {slug}.")
    try:
        answer, found = ask(user=reader, question=question, course=courses.get(slug or ""), history=history)
    except TutorTurnedOff as refusal:  # the other lines are answered
        return {
            "id": row.get("id"),
            "passages": [],
            "declined": True,
            "certainty": "none",
            "answer": str(refusal.detail),
        }
    passages = [{"lesson": one.passage.lesson.slug, "text": one.text, "second": one.second} for one in found]
    return {
        "id": row.get("id"),
        "passages": passages,
        "declined": answer.is_declined,
        "certainty": answer.certainty,
        "answer": answer.text,
    }


def _earlier(row: Any) -> Earlier:
    """An exchange as an object with a question and an answer, or as a pair."""
    if isinstance(row, dict):
        return Earlier(str(row["question"]), str(row.get("answer") or ""))
    question, answer = row
    return Earlier(str(question), str(answer))
