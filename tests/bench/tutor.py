"""How often the tutor finds the passage that answers a question, on the embedded profile.

    python -m tests.bench tutor             the questions of tests/bench/tutor_questions
    python -m tests.bench tutor FILE.jsonl  others of the same form
    python -m tests.bench tutor stream      what a streamed answer costs besides

``BENCH_DATA`` is a folder that keeps the indexed courses for the next run. With ``TUTOR_EMBEDDINGS_URL`` and
``TUTOR_EMBEDDINGS_MODEL`` set, passages and questions are embedded there, too.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.bench.chat import bench_stream

if TYPE_CHECKING:
    from apps.tutor.retrieval.search import Found

QUESTIONS = Path(__file__).parent / "tutor_questions" / "questions.jsonl"
ANSWERABLE = ("direct", "paraphrase", "misspelled", "across", "follow_up")
RUN = 5  # words in a row that a passage and a quote have in common


def bench_tutor(words: list[str]) -> None:
    """Index the demo's courses, ask all questions as an admin, and print recall and declined questions by kind."""
    is_stream = words == ["stream"]
    if is_stream:
        words = []
    questions = [json.loads(line) for line in Path((words or [str(QUESTIONS)])[0]).read_text().splitlines() if line]
    with tempfile.TemporaryDirectory() as folder:
        _start(os.environ.get("BENCH_DATA") or folder)
        spent = time.process_time()
        passages = _index()
        spent = time.process_time() - spent
        print(f"{passages} passages, indexed with {spent:.0f} s of CPU")
        if is_stream:
            bench_stream()
            return
        _print(questions, [_ask(row) for row in questions])


def _start(folder: str) -> None:
    os.environ |= {
        "DATA_DIR": folder,
        "DATABASE_URL": f"sqlite:///{folder}/tutor.sqlite3",
        "DJANGO_SETTINGS_MODULE": "studyplatform.settings.embedded",
    }
    import django

    django.setup()
    from django.core.management import call_command
    from django.utils import timezone

    from apps.accounts.models import Role, User
    from studyplatform.demo.library import read_library
    from studyplatform.demo.seeding import seed_course, seed_film, seed_person, seed_subjects
    from studyplatform.kit.models import Job

    call_command("prepare_database", verbosity=0)
    library, now = read_library(), timezone.now()
    seed_subjects()
    for person in library.people:
        if person.role != "student":
            seed_person(person, "!", now)
    for course in library.courses:
        seed_course(course, now)
        for lesson in course.lessons:
            if lesson.film is not None:
                seed_film(course, lesson, now)
    Job.objects.all().delete()
    User.objects.get_or_create(username="bench", defaults={"email": "bench@example.org", "role": Role.ADMIN})


def _index() -> int:
    from django.utils import timezone

    from apps.courses.models import Course
    from apps.tutor.services.embedding import embed_course
    from apps.tutor.services.indexing import index_course

    count = 0
    for pk in Course.objects.values_list("pk", flat=True):
        count += index_course(course_id=pk, now=timezone.now())
        embed_course(course_id=pk)
    return count


def _ask(row: dict[str, Any]) -> tuple[list[bool], str, float]:
    """Return which passages are right, how certain the tutor was, and the seconds it took."""
    from apps.accounts.models import User
    from apps.courses.models import Course
    from apps.tutor.retrieval.search import Earlier
    from apps.tutor.services import ask

    user = User.objects.get(username="bench")
    course = Course.objects.filter(slug=row.get("course") or "").first()
    history = [Earlier(one["question"], one["answer"]) for one in row.get("history", [])]
    start = time.perf_counter()
    answer, found = ask(user=user, question=row["question"], course=course, history=history)
    return [_is_right(one, row) for one in found], answer.certainty.value, time.perf_counter() - start


def _plain(text: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", text.casefold()))


def _is_right(found: Found, row: dict[str, Any]) -> bool:
    """Whether the passage contains a quote that answers the question, or five of its words in a row."""
    text = f" {_plain(found.text)} "
    for wanted in row["answers"]:
        if wanted["lesson"] == found.passage.lesson.slug:
            words = _plain(wanted["text"]).split()
            runs = (" ".join(words[start : start + RUN]) for start in range(max(1, len(words) - RUN + 1)))
            if any(f" {run} " in text for run in runs):
                return True
    return False


def _print(questions: list[dict[str, Any]], outcomes: list[tuple[list[bool], str, float]]) -> None:
    by_kind = defaultdict(list)
    for row, outcome in zip(questions, outcomes, strict=True):
        by_kind[row["kind"]].append(outcome)
        if row["kind"] in ANSWERABLE:
            by_kind["answerable"].append(outcome)
    print(f"{'kind':14}{'questions':>10}{'recall@5':>10}{'first':>8}{'declined':>10}{'possible':>10}")
    for kind, rows in by_kind.items():
        recall = sum(any(right) for right, _, _ in rows) / len(rows)
        first = sum(right[:1] == [True] for right, _, _ in rows) / len(rows)
        declined = sum(certainty == "none" for _, certainty, _ in rows) / len(rows)
        possible = sum(certainty == "possible" for _, certainty, _ in rows) / len(rows)
        shown = f"{recall:>10.2f}{first:>8.2f}" if kind in {*ANSWERABLE, "answerable"} else " " * 18
        print(f"{kind:14}{len(rows):>10}{shown}{declined:>10.2f}{possible:>10.2f}")
    seconds = sorted(second for _, _, second in outcomes)
    print(f"a question takes {1000 * seconds[len(seconds) // 2]:.0f} ms (median)")
