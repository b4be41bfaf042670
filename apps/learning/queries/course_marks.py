"""What a list of courses marks on its cards for one user: enrolled, completed, bookmarked."""

from dataclasses import dataclass, field

from apps.accounts.models import User
from apps.learning.models import Enrollment
from apps.learning.queries.bookmarks import bookmarked_courses


@dataclass(frozen=True)
class CourseMarks:
    """A user's courses by primary key; ``percents`` is the progress in each course they are enrolled in."""

    percents: dict[int, int] = field(default_factory=dict)
    completed: frozenset[int] = frozenset()
    bookmarked: frozenset[int] = frozenset()

    def of(self, name: str) -> frozenset[int]:
        """Return the courses of one filter: learning, in_progress, completed, bookmarked."""
        match name:
            case "in_progress":
                return frozenset(self.percents) - self.completed
            case "completed":
                return self.completed
            case "bookmarked":
                return self.bookmarked
            case _:
                return frozenset(self.percents)


def course_marks_of(user: User) -> CourseMarks:
    """Return the marks of all courses of the user. Two queries."""
    enrollments = Enrollment.objects.active().of(user.pk).values_list("course_id", "percent", "completed_at")
    percents = {}
    completed = set()
    for course_id, percent, completed_at in enrollments:
        percents[course_id] = percent
        if completed_at is not None:
            completed.add(course_id)
    return CourseMarks(percents, frozenset(completed), bookmarked_courses(user))
