"""What exceptions change in the rules of a quiz. Of extra time the most generous in force counts; attempts add up."""

from collections.abc import Iterable
from dataclasses import dataclass

from apps.learning.models import LearnerException

Kind = LearnerException.Kind


def extend_limit(seconds: int, extra: LearnerException) -> int:
    """Return a time limit with extra time, in whole seconds, rounded up; 0: none."""
    if not seconds or extra.is_unlimited:
        return 0
    return seconds + extra.minutes * 60 - (-seconds * extra.percent // 100)


def minutes_again(reopened: LearnerException, extra_times: Iterable[LearnerException]) -> int:
    """Return the minutes in which a reopened attempt can be continued, rounded up; 0: without a limit.

    Its minutes were chosen for what is left to do, so of extra time what is relative to them counts, percent and no
    limit, and minutes only if they were granted later.
    """
    seconds = reopened.minutes * 60
    count = (one for one in extra_times if not one.minutes or one.granted_at > reopened.granted_at)
    return -(-most_generous([seconds, *(extend_limit(seconds, extra) for extra in count)]) // 60)


def most_generous(limits: Iterable[int]) -> int:
    """Return the longest of some time limits in seconds, of which 0 is none."""
    found = list(limits)
    return 0 if 0 in found else max(found)


@dataclass(frozen=True)
class QuizExceptions:
    """What is in force for one learner at one quiz."""

    extra_times: tuple[LearnerException, ...] = ()
    extra_attempts: int = 0
    reopened: LearnerException | None = None
    """An attempt that may be continued, unless a newer one was begun."""

    @classmethod
    def of(cls, exceptions: Iterable[LearnerException]) -> "QuizExceptions":
        """Sort the exceptions that count for a quiz."""
        found = list(exceptions)
        return cls(
            tuple(one for one in found if one.kind == Kind.TIME),
            sum(one.count for one in found),
            next((one for one in found if one.kind == Kind.REOPENED), None),
        )

    def time_limit(self, seconds: int) -> int:
        """Return the learner's time limit, in seconds, where the usual one is ``seconds``; 0: none."""
        return most_generous([seconds, *(extend_limit(seconds, extra) for extra in self.extra_times)])

    def time_limit_again(self, reopened: LearnerException) -> int:
        """Return the learner's time limit, in seconds, of an attempt that was reopened; 0: none."""
        return minutes_again(reopened, self.extra_times) * 60


NO_EXCEPTIONS = QuizExceptions()


def covers(known: Iterable[LearnerException], extra: LearnerException, seconds: int | None) -> bool:
    """Return whether extra time would change nothing beside what is in force.

    :param seconds: the usual time limit of the only quiz it is for; None if it is for all quizzes of a course, where
        minutes and percent cannot be compared.
    """
    found = [one for one in known if one.kind == Kind.TIME]
    if any(one.is_unlimited for one in found):
        return True
    if seconds:
        present, wanted = QuizExceptions(tuple(found)).time_limit(seconds), extend_limit(seconds, extra)
        return most_generous([present, wanted]) == present
    alike = (one for one in found if bool(one.minutes) == bool(extra.minutes) and not extra.is_unlimited)
    return any(one.minutes >= extra.minutes and one.percent >= extra.percent for one in alike)
