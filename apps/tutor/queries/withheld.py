"""Answers that explain a quiz: they are withheld while its learner may not read its explanations."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.courses.models import Lesson
from apps.learning.queries.openable import lessons_being_taken, readable_lessons
from apps.tutor.models import Answer


@dataclass(frozen=True)
class Readable:
    """What of some answers their learner may read now, as primary keys of lessons."""

    lessons: frozenset[int] = frozenset()
    """Lessons that answers cite or explain, and that the learner may read."""
    hidden: frozenset[int] = frozenset()
    """Quizzes that answers explain, and whose explanations the learner may not read."""
    taken: frozenset[int] = frozenset()
    """Of those the ones with an open attempt."""

    def why_withheld(self, answer: Answer) -> str:
        """Return the sentence that stands for an answer that is withheld; "" for others."""
        if answer.kind in {Answer.Kind.DECLINED, Answer.Kind.FILTERED}:  # it says nothing
            return ""
        hidden = explained_by(answer) & self.hidden
        if not hidden:
            return ""
        if hidden <= self.taken:
            return _(
                "This answer is hidden because it explains a quiz you're taking. It will reappear when you submit."
            )
        return _(
            "This answer is hidden because it explains a quiz you haven't finished. It will reappear when the quiz's "
            "answers do."
        )


def readable_of(user: User, answers: Iterable[Answer]) -> Readable:
    """Return what the learner may read of these answers, which have their citations with lessons prefetched.

    No query if the answers cite and explain nothing; otherwise at most nine, eleven if they explain quizzes.
    """
    rows = list(answers)
    lessons = {one.lesson.pk: one.lesson for row in rows for one in row.citations.all() if one.lesson}
    explained = {pk for row in rows for pk in explained_by(row)}
    if unknown := explained - set(lessons):
        lessons |= Lesson.objects.in_bulk(unknown)
    readable = readable_lessons(user, lessons.values())
    hidden = frozenset(explained & set(lessons)) - readable  # those of a deleted quiz harm nobody
    return Readable(readable, hidden, lessons_being_taken(user) & hidden if hidden else frozenset())


def why_withheld(user: User, answer: Answer) -> str:
    """Return why an answer is withheld from its learner now; "" if it isn't."""
    return readable_of(user, [answer]).why_withheld(answer)


def withheld_answers(user: User) -> dict[int, str]:
    """Return all answers that are withheld from their learner now, by primary key, each with its sentence."""
    own = Answer.objects.filter(exchange__user=user)
    rows = list(own.exclude(explains=[]).only("pk", "kind", "explains").prefetch_related("citations__lesson"))
    readable = readable_of(user, rows)
    return {row.pk: why for row in rows if (why := readable.why_withheld(row))}


def explained_by(answer: Answer) -> set[int]:
    """Return the lessons of the quizzes that an answer may explain, by primary key."""
    told: list[Any] = answer.explains
    return {pk for pk in told if isinstance(pk, int)}
