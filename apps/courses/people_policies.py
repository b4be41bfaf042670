"""Who may change who teaches a course."""

from apps.accounts import policies as accounts
from apps.accounts.models import User
from apps.accounts.policies import AnyUser
from apps.courses import policies
from apps.courses.models import Course
from studyplatform.kit.policies import Verdict


def remove_co_instructor(user: AnyUser, course: Course, user_id: int) -> Verdict:
    """Its instructor removes co-instructors, and each of them may leave."""
    if isinstance(user, User) and user.is_active and user.pk == user_id:
        return None
    return policies.own_course(user, course)


def be_offered_course(user: AnyUser) -> Verdict:
    """Who takes over a course may teach, and their email is proved."""
    return policies.create_course(user)


def transfer_course(user: AnyUser) -> Verdict:
    """Admins give a course to another instructor at once, without an answer."""
    return accounts.administer(user)


def answer_invitation(user: AnyUser) -> Verdict:
    """Who proved that the invited address is theirs answers an invitation."""
    return accounts.be_verified(user)
