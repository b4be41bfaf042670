"""How a course is doing: the rules, without a database. Pages print them with these numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.courses.models import Course
from apps.learning.analytics.risk import QUIET_AFTER
from apps.learning.analytics.smallest_group import SMALLEST_GROUP

LOSING_SHARE = 0.4
"""Of all present learners, who are quiet and have not finished."""
WEAK_LESSON_SHARE = 0.1
"""Of those who began a lesson, who are stuck there or fail its quiz."""
LOW_RATING = 3.5
"""Stars: a mean below it is low."""


class Health(StrEnum):
    """What is said of a course. Each is a rule of `find_health`; the first that holds is said."""

    SUSPENDED = "suspended"
    NOT_OPEN = "not_open"
    CLOSED = "closed"
    TOO_EARLY = "too_early"
    LOSING = "losing"
    WEAK_LESSON = "weak_lesson"
    LOW_RATING = "low_rating"
    HEALTHY = "healthy"


IN_NEED = frozenset({Health.SUSPENDED, Health.LOSING, Health.WEAK_LESSON, Health.LOW_RATING})
"""Somebody has to do something about such a course."""


@dataclass(frozen=True)
class WeakLesson:
    """A lesson in which many learners are stuck: ``stuck`` of the ``began`` who began it."""

    number: str
    stuck: int
    began: int

    @property
    def share(self) -> float:
        return self.stuck / self.began if self.began else 0.0

    @property
    def is_weak(self) -> bool:
        """At least `WEAK_LESSON_SHARE` don't get past it, and no less than five people."""
        return self.stuck >= SMALLEST_GROUP and self.share >= WEAK_LESSON_SHARE


@dataclass(frozen=True, kw_only=True)
class CourseFigures:
    """What the rules need of one course. People are those who are enrolled now."""

    status: str
    learners: int = 0
    finished: int = 0
    quiet: int = 0
    """Who have not finished and did nothing new for `QUIET_AFTER`."""
    new_this_week: int = 0
    stuck: Sequence[WeakLesson] = ()
    """The lessons in which somebody is stuck."""
    rating_count: int = 0
    rating_sum: int = 0

    @property
    def completion(self) -> float | None:
        """In percent; None without learners."""
        return 100 * self.finished / self.learners if self.learners else None

    @property
    def rating(self) -> float | None:
        return self.rating_sum / self.rating_count if self.rating_count else None

    @property
    def weak_lessons(self) -> list[WeakLesson]:
        """The weakest first."""
        return sorted([one for one in self.stuck if one.is_weak], key=lambda one: (-one.share, -one.stuck, one.number))


def find_health(figures: CourseFigures) -> Health:
    """Return how a course is doing: the first rule that holds, from the most to the least urgent.

    A course that is no longer open to new learners has no health: nobody can change how it went.
    """
    by_status = {
        Course.Status.SUSPENDED: Health.SUSPENDED,
        Course.Status.ARCHIVED: Health.CLOSED,
        Course.Status.DRAFT: Health.NOT_OPEN,
        Course.Status.REVIEW: Health.NOT_OPEN,
    }
    if figures.status != Course.Status.PUBLISHED:
        return by_status[Course.Status(figures.status)]
    if figures.learners < SMALLEST_GROUP:
        return Health.TOO_EARLY
    if figures.quiet >= max(SMALLEST_GROUP, LOSING_SHARE * figures.learners):
        return Health.LOSING
    if figures.weak_lessons:
        return Health.WEAK_LESSON
    if figures.rating is not None and figures.rating_count >= SMALLEST_GROUP and figures.rating < LOW_RATING:
        return Health.LOW_RATING
    return Health.HEALTHY


@dataclass(frozen=True)
class Said:
    """The badge of a course: its label, the shape and the color of it, and one sentence why."""

    label: str
    pip: str
    tone: str
    why: str


def say_health(figures: CourseFigures) -> Said:
    """Return what the page says of a course."""
    health = find_health(figures)
    labels: Mapping[Health, tuple[str, str, str]] = {
        Health.SUSPENDED: (_("Suspended"), "bar", "error"),
        Health.NOT_OPEN: (_("Not open yet"), "", ""),
        Health.CLOSED: (_("Closed"), "bar", ""),
        Health.TOO_EARLY: (_("Too early to say"), "dash", ""),
        Health.LOSING: (_("Losing learners"), "bar", "error"),
        Health.WEAK_LESSON: (_say_weak(len(figures.weak_lessons)), "half", "warn"),
        Health.LOW_RATING: (_("Rated low"), "half", "warn"),
        Health.HEALTHY: (_("Healthy"), "full", "ok"),
    }
    return Said(*labels[health], _say_why(health, figures))


def _say_weak(count: int) -> str:
    return ngettext("%(num)d weak lesson", "%(num)d weak lessons", count) % {"num": count}


def _say_why(health: Health, figures: CourseFigures) -> str:
    said = {
        "quiet": _share(figures.quiet, figures.learners),
        "going": 100 - _share(figures.quiet, figures.learners),
        "stars": f"{figures.rating or 0:.1f}",
    }
    if health is Health.WEAK_LESSON:
        worst = figures.weak_lessons[0]
        said |= {"share": _share(worst.stuck, worst.began), "lesson": worst.number}
    few = ngettext("%(num)d learner so far", "%(num)d learners so far", figures.learners) % {"num": figures.learners}
    is_reviewed = figures.status == Course.Status.REVIEW
    texts = {
        Health.SUSPENDED: lambda: _("Learners can't find it"),
        Health.NOT_OPEN: lambda: _("Opens when it is approved") if is_reviewed else _("You haven't submitted it"),
        Health.CLOSED: lambda: _("Takes no new learners"),
        Health.TOO_EARLY: lambda: few if figures.learners else _("No learners yet"),
        Health.LOSING: lambda: _("%(quiet)d%% stopped before the end") % said,
        Health.WEAK_LESSON: lambda: _("%(share)d in 100 are stuck at %(lesson)s") % said,
        Health.LOW_RATING: lambda: _("%(stars)s stars on average") % said,
        Health.HEALTHY: lambda: _("%(going)d%% keep going or have finished") % said,
    }
    return str(texts[health]())


def _share(part: int, whole: int) -> int:
    return round(100 * part / whole) if whole else 0


def describe_health() -> Mapping[str, str]:
    """Return what the page says each badge means, by the badge's name."""
    said = {"quiet": round(100 * LOSING_SHARE), "weak": round(100 * WEAK_LESSON_SHARE), "stars": f"{LOW_RATING:.1f}"}
    return {
        _("Losing learners"): _(
            "%(quiet)d%% or more of the present learners have done nothing new for %(days)d days and haven't finished."
        )
        % {**said, "days": QUIET_AFTER.days},
        _("Weak lesson"): _(
            "%(weak)d%% or more of those who began a lesson, and at least %(least)d learners, are stuck there or fail "
            "its quiz."
        )
        % {**said, "least": SMALLEST_GROUP},
        _("Rated low"): _("Less than %(stars)s stars on average, from at least %(least)d ratings.")
        % {**said, "least": SMALLEST_GROUP},
        _("Too early to say"): _("Fewer than %(least)d learners.") % {"least": SMALLEST_GROUP},
        _("Healthy"): _("None of these."),
    }


def title_of_health(courses: Sequence[CourseFigures]) -> str:
    """Say how the open courses are doing: "2 of 3 open courses need attention"."""
    found = [find_health(each) for each in courses]
    judged = [each for each in found if each not in {Health.NOT_OPEN, Health.CLOSED}]
    needing = sum(each in IN_NEED for each in judged)
    if not courses:
        return _("Your courses")
    if not judged:
        return _("None of your courses is open yet")
    if not needing:
        is_early = all(each is Health.TOO_EARLY for each in judged)
        return _("It's too early to say how your courses are doing") if is_early else _("Your courses are doing well")
    if len(judged) == 1:
        return _("Your course needs attention")
    words = ngettext(
        "%(needing)d of %(all)d courses needs attention", "%(needing)d of %(all)d courses need attention", needing
    )
    return words % {"needing": needing, "all": len(judged)}
