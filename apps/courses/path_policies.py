"""Who may see and change a learning path."""

from apps.accounts.models import User
from apps.accounts.policies import AnyUser
from apps.courses.errors import PathNotFound, WrongCourseStatus
from apps.courses.models import Course, LearningPath
from apps.courses.policies import manage_course
from studyplatform.kit.errors import NotAuthenticated
from studyplatform.kit.policies import Verdict

Status = Course.Status


def manage_path(user: AnyUser, path: LearningPath) -> Verdict:
    """Admins manage every learning path, instructors their own. For others it doesn't exist."""
    if not isinstance(user, User):
        return NotAuthenticated()
    return None if _manages(user, path) else PathNotFound()


def see_path(user: AnyUser, path: LearningPath) -> Verdict:
    """Everyone sees a published learning path; only those who manage it see the others."""
    return None if path.is_published or _manages(user, path) else PathNotFound()


def add_to_path(user: AnyUser, path: LearningPath, course: Course) -> Verdict:
    """Instructors add their own courses, admins any course, but none that is suspended or archived."""
    refusal = manage_path(user, path) or manage_course(user, course)
    if refusal is not None:
        return refusal
    if course.status in {Status.SUSPENDED, Status.ARCHIVED}:
        return WrongCourseStatus(status_now=str(course.get_status_display()))
    return None


def _manages(user: AnyUser, path: LearningPath) -> bool:
    if not isinstance(user, User) or not user.is_active:
        return False
    return user.is_admin or (user.can_teach and path.owner_id == user.pk)
