"""The rules of attempts at a quiz: time limit, number of attempts, waits, and when answers are shown."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from fractions import Fraction

from apps.courses.models import Quiz
from apps.learning.models import Attempt, LearnerException
from apps.learning.quizzes.exceptions import NO_EXCEPTIONS, QuizExceptions
from apps.learning.quizzes.results import round_score

# Answers submitted at the last second may arrive after the time limit.
GRACE = timedelta(seconds=30)


FREE_ATTEMPTS = 2  # with unlimited attempts, the wait between them starts after this many


def ends_at(attempt: Attempt, quiz: Quiz) -> datetime | None:
    """Return when the attempt's time limit ends; None without a limit."""
    limit = time_limit(attempt, quiz)
    return attempt.started_at + timedelta(seconds=limit) if limit else None


def time_limit(attempt: Attempt, quiz: Quiz) -> int:
    """Return the seconds that the attempt may take, as it was opened or raised by extra time; 0: any time."""
    return quiz.time_limit if attempt.time_limit is None else attempt.time_limit


def usual_time_limit(attempt: Attempt, quiz: Quiz) -> int:
    """Return the seconds that the attempt may take without extra time, as it was opened; 0: any time."""
    return time_limit(attempt, quiz) if attempt.usual_time_limit is None else attempt.usual_time_limit


def pass_mark(attempt: Attempt, quiz: Quiz) -> int:
    """Return the percent to pass: as it was submitted, and while it is open the easier of its own and the quiz's."""
    if attempt.pass_percent is None:
        return quiz.pass_percent
    return attempt.pass_percent if attempt.submitted_at else min(attempt.pass_percent, quiz.pass_percent)


def is_over(attempt: Attempt, quiz: Quiz, now: datetime) -> bool:
    """Return whether an open attempt is past its time limit and the grace period."""
    end = ends_at(attempt, quiz)
    return attempt.submitted_at is None and end is not None and now > end + GRACE


def ran_out(attempt: Attempt, quiz: Quiz) -> bool:
    """Return whether an attempt was closed because its time was over, and not by the learner."""
    end = ends_at(attempt, quiz)
    return attempt.submitted_at is not None and end is not None and attempt.submitted_at > end + GRACE


def set_score(attempt: Attempt, earned: Fraction) -> None:
    """Set what a submitted attempt has earned of its points, and whether it is passed. Nothing is saved.

    The percent is rounded down; passing is decided on the exact share: 69.9 % shows as 69 and doesn't pass at 70.
    While essays wait for marks, both are preliminary and the attempt is not passed.
    """
    points = attempt.points
    pass_percent = pass_mark(attempt, attempt.quiz)
    attempt.score = round_score(earned)
    attempt.percent = int(earned * 100 / points) if points else 0
    attempt.is_passed = not attempt.waiting and points > 0 and earned * 100 >= pass_percent * points


@dataclass(frozen=True)
class QuizAttempts:
    """A learner's attempts at one quiz, as they are at the moment ``now``."""

    quiz: Quiz
    attempts: tuple[Attempt, ...]
    now: datetime
    exceptions: QuizExceptions = NO_EXCEPTIONS

    @property
    def most(self) -> int:
        """How many attempts the learner has in all; 0: unlimited."""
        return self.quiz.max_attempts and self.quiz.max_attempts + self.exceptions.extra_attempts

    @property
    def reopened(self) -> LearnerException | None:
        """What lets the learner continue the newest attempt, which was submitted. None at a quiz that was removed."""
        reopened = self.exceptions.reopened
        newest = self.attempts[-1] if self.attempts else None
        if reopened is None or newest is None or newest.submitted_at is None or reopened.attempt_id != newest.pk:
            return None
        return None if self.quiz.lesson.is_removed else reopened

    @property
    def open_attempt(self) -> Attempt | None:
        """The attempt that can be submitted. One whose time is over is none, though it may not be closed yet."""
        return next((one for one in self.attempts if one.submitted_at is None and not self._is_over(one)), None)

    def _is_over(self, attempt: Attempt) -> bool:
        return is_over(attempt, self.quiz, self.now)

    @property
    def submitted(self) -> tuple[Attempt, ...]:
        return tuple(attempt for attempt in self.attempts if attempt.submitted_at is not None)

    @property
    def best(self) -> Attempt | None:
        """The best result counts; of equal ones the first. Attempts that wait for marks have none yet."""
        marked = (attempt for attempt in self.submitted if not attempt.waiting)
        return max(marked, key=lambda attempt: (attempt.percent, -attempt.number), default=None)

    @property
    def attempts_left(self) -> int | None:
        """How many more attempts may be opened; None if they are unlimited."""
        if not self.most:
            return None
        return max(0, self.most - sum(attempt.continues_id is None for attempt in self.attempts))

    @property
    def shows_answers(self) -> bool:
        """Whether the quiz's ``reveal`` rule allows showing the right answers now.

        Not while an attempt that was reopened can be continued, or is: its questions are asked a second time.
        """
        if self.is_continuing:
            return False
        match Quiz.Reveal(self.quiz.reveal):
            case Quiz.Reveal.ALWAYS:
                return bool(self.submitted)
            case Quiz.Reveal.NEVER:
                return False
        used_up = self.attempts_left == 0 and self.open_attempt is None
        return used_up or any(attempt.is_passed for attempt in self.submitted)

    @property
    def is_continuing(self) -> bool:
        """Whether a reopened attempt can be continued, or is."""
        current = self.open_attempt
        return self.reopened is not None or (current is not None and current.continues_id is not None)

    @property
    def attempts_at_once(self) -> int | None:
        """How many more attempts may follow each other without a wait, at least one; None without waits."""
        return max(1, FREE_ATTEMPTS - len(self._closed_at)) if self._has_waits else None

    @property
    def _has_waits(self) -> bool:
        is_passed = any(one.is_passed for one in self.attempts)
        return not self.quiz.max_attempts and self.quiz.retry_wait > 0 and not is_passed

    @property
    def _closed_at(self) -> list[datetime]:
        counted = (attempt for attempt in self.submitted if attempt.continues_id is None)
        return [attempt.submitted_at for attempt in counted if attempt.submitted_at is not None]

    @property
    def seconds_to_wait(self) -> int:
        """The whole seconds until another attempt may be opened, rounded up; 0 after a pass.

        As continued attempts don't count as others, they use up no free attempt and begin no wait.
        """
        closed = self._closed_at
        if not self._has_waits or len(closed) < FREE_ATTEMPTS:
            return 0
        left = max(closed) + timedelta(seconds=self.quiz.retry_wait) - self.now
        return max(0, -(-left // timedelta(seconds=1)))
