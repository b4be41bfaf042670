"""What one person holds over all courses: enough to mark every card of a list."""

from dataclasses import dataclass, field

from apps.accounts.models import User
from apps.learning.models import Bookmark, Enrollment


@dataclass(frozen=True)
class Holdings:
    """Seats with their percentage and ribbons, by course id."""

    seats: dict[int, int] = field(default_factory=dict)
    completed: frozenset[int] = frozenset()
    ribbons: frozenset[int] = frozenset()

    def of(self, name: str) -> frozenset[int]:
        """The courses of one filter: learning, in_progress, completed, bookmarked."""
        match name:
            case "in_progress":
                return frozenset(self.seats) - self.completed
            case "completed":
                return self.completed
            case "bookmarked":
                return self.ribbons
            case _:
                return frozenset(self.seats)


def holdings_of(user: User) -> Holdings:
    """Two queries."""
    seats = Enrollment.objects.active().of(user.pk).values_list("course_id", "percent", "completed_at")
    percent = {}
    completed = set()
    for course_id, share, done in seats:
        percent[course_id] = share
        if done is not None:
            completed.add(course_id)
    ribbons = Bookmark.objects.filter(user=user).values_list("course_id", flat=True)
    return Holdings(percent, frozenset(completed), frozenset(ribbons))


def has_ribbon(user: User, course_id: int) -> bool:
    """Whether the person bookmarked the course. One query."""
    return Bookmark.objects.filter(user=user, course_id=course_id).exists()
