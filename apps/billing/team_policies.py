"""Who may do what with teams and their seats."""

from apps.accounts.models import User
from apps.accounts.policies import AnyUser, be_verified
from apps.billing.models import Seat, Team
from studyplatform.kit.errors import NotFound
from studyplatform.kit.policies import Verdict


def manage_team(user: AnyUser, team: Team) -> Verdict:
    """Only its owner sees who has the seats of a team, and gives them."""
    return None if isinstance(user, User) and team.owner_id == user.pk else NotFound()


def hand_over_team(user: AnyUser, team: Team) -> Verdict:
    """Its owner hands a team over, or an admin, as after the owner has left."""
    allowed = isinstance(user, User) and (team.owner_id == user.pk or user.is_admin)
    return None if allowed else NotFound()


def take_seat(user: AnyUser) -> Verdict:
    """Users with a verified email take seats."""
    return be_verified(user)


def hold_seat(user: AnyUser, seat: Seat) -> Verdict:
    """For everyone but who holds it, a seat doesn't exist."""
    return None if isinstance(user, User) and seat.holder_id == user.pk else NotFound()
