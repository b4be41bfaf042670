"""What a study plan is made of: a learner's due cards, next lessons and goals."""

from dataclasses import dataclass
from datetime import datetime

from apps.accounts.models import User
from apps.courses.models import Course
from apps.learning.queries.learned_days import record_of
from apps.learning.queries.my_learning import enrollments_of, with_resume
from apps.learning.queries.practice import due_today

MOST_PLANNED = 3
"""Courses in a plan."""


@dataclass(frozen=True)
class Step:
    """The next lesson of an unfinished course."""

    course: str
    percent: int
    number: str
    lesson: str
    url: str
    minutes: int


@dataclass(frozen=True)
class Facts:
    """``goal`` and ``learned`` are minutes a day and minutes today; a goal of 0 means none."""

    due: int
    steps: tuple[Step, ...]
    goal: int
    learned: int

    @property
    def is_empty(self) -> bool:
        return not self.due and not self.steps

    def text(self) -> str:
        """The facts for a model, a line each. They are not translated: nobody reads them."""
        lines = [f"Cards due for practice: {self.due}"]
        lines += [
            f"Course {one.course}: {one.percent} % done; next lesson {one.number} {one.lesson}, {one.minutes} min"
            for one in self.steps
        ]
        lines += [] if self.steps else ["No unfinished course"]
        lines.append(f"Goal: {self.goal} min a day" if self.goal else "No daily goal")
        lines.append(f"Learned today: {self.learned} min")
        return "\n".join(lines)


def facts_of(user: User, course: Course | None, now: datetime) -> Facts:
    """Return the facts of this learner, of the course alone if it is unfinished. About nine queries."""
    rows = [one for one in enrollments_of(user) if one.completed_at is None]
    if course is not None:
        rows = [one for one in rows if one.course_id == course.pk] or rows
    steps = tuple(
        Step(
            course=one.enrollment.course.title,
            percent=one.enrollment.percent,
            number=one.resume.number,
            lesson=one.resume.title,
            url=one.resume_url,
            minutes=max(1, round(one.resume.duration / 60)),
        )
        for one in with_resume(rows[:MOST_PLANNED])
        if one.resume is not None
    )
    due, record = due_today(user, now).count, record_of(user, now=now)
    return Facts(due, steps, user.daily_minutes or 0, record.learned_today.seconds // 60)
