"""Which courses somebody reads figures of: asked of the database with each request, as rights end at once."""

from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import cached_property

from django.db.models import Exists, OuterRef, QuerySet, Subquery

from apps.accounts.models import User
from apps.courses.errors import CourseNotFound
from apps.courses.models import Course, Right
from apps.courses.policies import hold_right
from apps.learning.models import CourseDay, RollupState, TeacherRollup
from studyplatform.kit.policies import enforce


@dataclass(frozen=True)
class Scope:
    """The courses of which somebody reads figures now. Everything that reads figures takes one, and trusts it.

    ``choices``: all that they teach or co-teach, by title. ``courses``: these, or the one that was chosen.
    ``counted_until``: when the jobs counted last; None: never. ``has_actives``: whether different people over all of
    ``courses`` are counted. They are not, until the next run of the job, after somebody left a course, or joined one in
    which somebody was active.
    """

    user: User
    choices: tuple[Course, ...]
    courses: tuple[Course, ...]
    chosen: Course | None
    counted_until: datetime | None
    has_actives: bool

    @cached_property
    def pks(self) -> tuple[int, ...]:
        return tuple(course.pk for course in self.courses)

    @property
    def counted_day(self) -> date | None:
        """The last day (UTC) of which something is counted."""
        return self.counted_until.astimezone(UTC).date() if self.counted_until is not None else None


def courses_read_by(user: User) -> QuerySet[Course]:
    """Return the courses that the user teaches or co-teaches (`Right.VIEW`), by title. No working copies.

    Admins, too, see those they teach; `course_read_by` opens them any one.
    """
    if not user.is_active or not user.can_teach:
        return Course.objects.none()
    return Course.objects.taught_by(user.pk, Right.VIEW).order_by("title", "pk")


def course_read_by(user: User, slug: str) -> Course:
    """Return a course of whose learners the user may read. Two queries at most.

    :raises CourseNotFound: there is none.
    :raises NotCourseStaff: the user doesn't teach it.
    """
    course = Course.objects.filter(slug=slug).first()
    if course is None:
        raise CourseNotFound
    enforce(hold_right(user, course, Right.VIEW))
    return course


def scope_of(user: User, slug: str = "") -> Scope:
    """Return what the user reads: all their courses, or the one that ``slug`` chooses. One query; four for an admin who
    chooses a course that they don't teach.

    :raises CourseNotFound: there is no such course.
    :raises NotCourseStaff: the user doesn't teach it.
    """
    state = RollupState.objects.filter(pk=RollupState.ONLY_PK).values("counted_until")
    active = CourseDay.objects.filter(course=OuterRef("pk"), active_learners__gt=0)
    found = courses_read_by(user).annotate(
        counted_until=Subquery(state),
        counted=Subquery(TeacherRollup.objects.filter(user=user.pk).values("courses")[:1]),
        has_activity=Exists(active),
    )
    choices = tuple(found)
    chosen = None
    if slug:
        chosen = next((course for course in choices if course.slug == slug), None) or course_read_by(user, slug)
    until = choices[0].counted_until if choices else state.values_list("counted_until", flat=True).first()
    courses = choices if chosen is None else (chosen,)
    return Scope(user, choices, courses, chosen, until, chosen is not None or len(choices) < 2 or _are_counted(choices))


def _are_counted(courses: tuple[Course, ...]) -> bool:
    """Whether the counted days of their teacher are about exactly these courses, but for some without activity."""
    pks = {course.pk: course.has_activity for course in courses}  # type: ignore[attr-defined]  # annotated
    counted = set(courses[0].counted or [])  # type: ignore[attr-defined]  # annotated
    return counted <= set(pks) and not any(is_active for pk, is_active in pks.items() if pk not in counted)
