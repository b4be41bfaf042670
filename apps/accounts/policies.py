"""Who may do what, by role and verification."""

from django.contrib.auth.models import AnonymousUser

from apps.accounts.errors import EmailNotVerified, RoleRequired
from apps.accounts.models import Role, User
from studyplatform.kit.errors import NotAuthenticated
from studyplatform.kit.policies import Verdict

AnyUser = User | AnonymousUser


def be_signed_in(user: AnyUser) -> Verdict:
    return None if user.is_authenticated else NotAuthenticated()


def be_verified(user: AnyUser) -> Verdict:
    """Enrolling, posting and teaching require a verified email."""
    if not isinstance(user, User):
        return NotAuthenticated()
    return None if user.email_verified_at else EmailNotVerified()


def teach(user: AnyUser) -> Verdict:
    """Instructors and admins may teach."""
    if not isinstance(user, User):
        return NotAuthenticated()
    return None if user.can_teach else RoleRequired(role=Role.INSTRUCTOR)


def administer(user: AnyUser) -> Verdict:
    if not isinstance(user, User):
        return NotAuthenticated()
    return None if user.is_admin else RoleRequired(role=Role.ADMIN)
