"""Seats as the people see them who hold one, or could take one."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, OuterRef, Q

from apps.accounts.models import User
from apps.billing.mail_domains import domain_of, is_public_domain
from apps.billing.models import Seat, SeatPack, Team
from apps.courses.models import Course

LIVE = (SeatPack.State.OPEN, SeatPack.State.PAUSED)
MAX_OFFERS = 5


@dataclass(frozen=True)
class SeatOffer:
    """A seat that a user can take with one click: they are invited, or have an address at the team's domain."""

    team: Team
    course: Course | None
    pack: SeatPack
    is_invitation: bool


def seats_held_by(user: User) -> list[Seat]:
    """Return the seats of a user in packs that haven't ended, the newest first. One query."""
    held = Seat.objects.filter(holder=user, pack__state__in=LIVE)
    return list(held.select_related("pack__team", "pack__course").order_by("-assigned_at", "-pk"))


def premium_seat_of(user: User) -> Seat | None:
    """Return a seat by which the user has Premium, or would have if it weren't paused. One query."""
    seats = Seat.objects.filter(holder=user, pack__state__in=LIVE, pack__kind=SeatPack.Kind.PREMIUM)
    return seats.select_related("pack__team").order_by("-pack__state", "-pack__ends_at", "pk").first()


def offers_for(user: User, *, now: datetime) -> list[SeatOffer]:
    """Return the seats that a user with a verified email can take. One query; none without a verified email."""
    if user.email_verified_at is None:
        return []
    domain = domain_of(user.email)
    packs = SeatPack.objects.opening(now).select_related("team__owner", "course").order_by("created_at", "pk")
    same = Seat.objects.filter(
        holder=user, pack__team=OuterRef("team"), pack__kind=OuterRef("kind"), pack__state__in=LIVE
    )
    has_one = Exists(same.filter(pack__course=OuterRef("course"))) | Exists(same.filter(pack__course=None))
    invited = Seat.objects.usable().filter(pack=OuterRef("pk"), email=user.email)
    free = Seat.objects.free().filter(pack=OuterRef("pk"))
    packs = packs.annotate(is_invitation=Exists(invited)).exclude(has_one)
    at_domain = Q(pk__in=[])
    if domain and not is_public_domain(domain):
        owned = {"team__owner__email__endswith": f"@{domain}", "team__owner__email_verified_at__isnull": False}
        at_domain = Q(Exists(free), team__is_domain_open=True, team__domain=domain, **owned)
    found: dict[tuple[int, int | None], SeatOffer] = {}
    for pack in packs.filter(Q(is_invitation=True) | at_domain)[: 4 * MAX_OFFERS]:
        offer = SeatOffer(pack.team, pack.course, pack, is_invitation=getattr(pack, "is_invitation", False))
        known = found.get((pack.team_id, pack.course_id))
        if known is None or (offer.is_invitation and not known.is_invitation):
            found[pack.team_id, pack.course_id] = offer
    return list(found.values())[:MAX_OFFERS]


def teams_of(user: User) -> list[Team]:
    """Return the teams that a user manages, the newest first. One query."""
    return list(Team.objects.of(user.pk).with_seats().order_by("-created_at", "-pk"))


def packs_of_teams(teams: Collection[Team]) -> dict[int, list[SeatPack]]:
    """Return the packs of teams that haven't ended, by the key of the team. One query."""
    found: dict[int, list[SeatPack]] = {team.pk: [] for team in teams}
    packs = SeatPack.objects.filter(team__in=found, state__in=LIVE).select_related("course", "order")
    for pack in packs.order_by("created_at", "pk"):
        found[pack.team_id].append(pack)
    return found
