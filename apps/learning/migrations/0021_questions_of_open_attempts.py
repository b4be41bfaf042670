"""Store with each open attempt of long ago what it asks and its rules, as those that are opened today do.

Versions of a course change and remove questions. Without this, such an attempt would ask, and be marked by, whatever
its quiz has by the time it is submitted: the answers to a question that is gone would be refused.
"""

from typing import Any

from django.db import migrations
from django.db.models import OuterRef, Q, Subquery

BATCH = 500  # quizzes whose questions are read together
KEPT = ("kind", "prompt", "options", "answer", "points", "explanation", "remarks", "all_or_nothing", "rewatch_at")


def keep_questions(apps: Any, schema_editor: Any) -> None:
    attempts = apps.get_model("learning", "Attempt").objects.filter(submitted_at=None)
    quiz = apps.get_model("courses", "Quiz").objects.filter(pk=OuterRef("quiz"))
    for rule in ("pass_percent", "time_limit"):
        attempts.filter(**{rule: None}).update(**{rule: Subquery(quiz.values(rule)[:1])})
    bare = attempts.filter(asked=[])
    quizzes = sorted(set(bare.order_by().values_list("quiz", flat=True)))
    for first in range(0, len(quizzes), BATCH):
        for pk, rows in _questions_of(apps, quizzes[first : first + BATCH]).items():
            bare.filter(quiz=pk).update(asked=rows)


def _questions_of(apps: Any, quizzes: list[int]) -> dict[int, list[dict[str, Any]]]:
    """Return by quiz the questions that its attempts asked until now, as attempts store them."""
    asked: dict[int, list[dict[str, Any]]] = {}
    is_gone = Q(is_withdrawn=True) | Q(removed_at__isnull=False)
    questions = apps.get_model("courses", "Question")._base_manager.filter(quiz__in=quizzes).exclude(is_gone)
    for one in questions.select_related("rewatch_lesson").order_by("quiz", "position"):
        lesson = one.rewatch_lesson
        row = {"uid": str(one.uid), **{name: getattr(one, name) for name in KEPT}}
        row["rewatch"] = {"number": lesson.number, "title": lesson.title, "slug": lesson.slug} if lesson else None
        asked.setdefault(one.quiz_id, []).append(row)
    return asked


class Migration(migrations.Migration):
    dependencies = [("courses", "0039_discarded_versions"), ("learning", "0020_rules_of_open_attempts")]

    operations = [migrations.RunPython(keep_questions, migrations.RunPython.noop, elidable=True)]
