"""Who orders seats for a team."""

from apps.accounts.models import User
from apps.accounts.policies import AnyUser, be_verified
from apps.billing.models import Team
from apps.billing.policies import buy
from apps.courses.models import Course
from studyplatform.kit.errors import NotAuthenticated, NotFound
from studyplatform.kit.policies import Verdict


def order_seats(user: AnyUser, team: Team | None, course: Course | None) -> Verdict:
    """Users with a verified email order seats; more of them, or another year, only for a team of their own."""
    if not isinstance(user, User):
        return NotAuthenticated()
    if team is not None and team.owner_id != user.pk:
        return NotFound()
    refusal = buy(user, course, is_gift=True) if course is not None else None
    return refusal or be_verified(user)
