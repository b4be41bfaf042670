"""What the learner's dashboard shows."""

from dataclasses import dataclass
from datetime import datetime

from apps.accounts.models import User
from apps.learning.models import Enrollment
from apps.learning.queries.achievements import Shown, achievements_of, next_of
from apps.learning.queries.learned_days import HeatMap, LearningRecord, record_of
from apps.learning.queries.my_learning import MyCourse, counts_of, enrollments_of, filtered, with_resume
from apps.learning.queries.recommendations import Recommendation, recommendations_for
from studyplatform.kit.text.zones import zone_named

COURSES = 4


@dataclass(frozen=True)
class Resume:
    """The lesson where the learner left off. ``position`` and ``left`` in seconds; 0 where nothing was started."""

    my_course: MyCourse
    position: int
    left: int

    @property
    def percent(self) -> int:
        """How much of the lesson is before the position."""
        whole = self.position + self.left
        return 100 * self.position // whole if whole else 0


@dataclass(frozen=True)
class Dashboard:
    """Everything on the dashboard but the cards of other apps. ``hour``: of the learner's day."""

    hour: int
    counts: dict[str, int]
    record: LearningRecord
    heat_map: HeatMap
    achievements: list[Shown]
    resume: Resume | None
    my_courses: list[MyCourse]
    recommendations: list[Recommendation]

    @property
    def earned(self) -> int:
        return sum(one.earned_at is not None for one in self.achievements)

    @property
    def next_achievement(self) -> Shown | None:
        return next_of(self.achievements)


def dashboard_of(user: User, *, now: datetime) -> Dashboard:
    """Return the dashboard of a user. At most 13 queries, two of them for outlines that are not cached."""
    enrollments = enrollments_of(user)
    recent: list[Enrollment] = list(filtered(enrollments, "in_progress")[:COURSES])
    my_courses = with_resume(recent) if recent else []
    record = record_of(user, now=now)
    latest = recent or list(filtered(enrollments, "completed")[:1])
    return Dashboard(
        hour=now.astimezone(zone_named(user.time_zone)).hour,
        counts=counts_of(user),
        record=record,
        heat_map=record.heat_map(),
        achievements=achievements_of(user, record),
        resume=_resume(my_courses),
        my_courses=my_courses,
        recommendations=recommendations_for(user, latest),
    )


def _resume(my_courses: list[MyCourse]) -> Resume | None:
    first = next((one for one in my_courses if one.resume is not None), None)
    if first is None or first.resume is None:
        return None
    left = max(0, first.resume.duration - first.position) if first.position else 0
    return Resume(first, first.position, left)
