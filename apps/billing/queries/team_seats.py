"""The page of a team: its packs, how many seats are in use, and the people who have them."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import Case, Count, IntegerField, OuterRef, Q, QuerySet, Subquery, Value, When
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.accounts.models import User
from apps.accounts.queries.names import name_contains, order_by_name, words_of_name
from apps.billing import team_policies as policies
from apps.billing.models import Document, Order, Seat, SeatPack, SeatUse, Team
from apps.billing.queries import seat_use
from apps.billing.queries.seat_use import Use
from apps.courses.models import Course
from studyplatform.kit.errors import NotFound
from studyplatform.kit.models import Job
from studyplatform.kit.policies import enforce

LIVE = (SeatPack.State.OPEN, SeatPack.State.PAUSED)
FILTERS: dict[str, str | Promise] = {
    "": _("Everyone"),
    "used": _("In use"),
    "unused": _("Not used for 14 days"),
    "invited": _("Invited"),
}
STATES: dict[str, str | Promise] = {
    "used": _("Uses a seat"),
    "unused": _("Not used for 14 days"),
    "invited": _("Invited"),
    "failed": _("Not delivered"),
    "inactive": _("Account not active"),
}
MAX_SEARCH_LENGTH = 100
CHUNK_SIZE = 100


@dataclass(frozen=True)
class SeatKind:
    """What seats of a team are for: Premium, or a course. ``key``: "premium", or the uid of the course."""

    key: str
    course: Course | None
    packs: list[SeatPack]

    @property
    def title(self) -> str:
        return self.course.title if self.course else str(_("Premium"))


@dataclass(frozen=True)
class Meter:
    """How many seats there are, and of what state."""

    used: int
    invited: int
    free: int

    @property
    def total(self) -> int:
        return self.used + self.invited + self.free

    @property
    def assigned(self) -> int:
        return self.used + self.invited


@dataclass(frozen=True)
class SeatView:
    """A seat as its team's owner sees it, with who has it. ``address``: the one by which the owner knows them."""

    seat: Seat
    state: str
    address: str
    use: Use

    @property
    def label(self) -> str | Promise:
        return STATES[self.state]

    @property
    def name(self) -> str:
        holder = self.seat.holder
        if holder is None:
            return self.address
        return str(_("Deleted account")) if holder.deleted_at else holder.display_name


def team_for(user: User, uid: UUID) -> Team:
    """Return a team that the user manages. One query.

    :raises NotFound: there is none, or it is someone else's.
    """
    team = Team.objects.with_seats().select_related("owner").filter(uid=uid).first()
    if team is None:
        raise NotFound
    enforce(policies.manage_team(user, team))
    return team


def packs_of(team: Team) -> list[SeatPack]:
    """Return the packs of a team that have or had seats, the newest first, with orders and courses. One query."""
    packs = SeatPack.objects.begun().filter(team=team)
    return list(packs.select_related("course", "order__user", "renews").order_by("-created_at", "-pk"))


def kinds_of(packs: Iterable[SeatPack]) -> list[SeatKind]:
    """Group packs by what they are for, Premium first; those that have ended are left out."""
    found: dict[int | None, list[SeatPack]] = {}
    for pack in packs:
        if pack.state in LIVE:
            found.setdefault(pack.course_id, []).append(pack)
    kinds = [SeatKind(_key_of(own[0]), own[0].course, own) for own in found.values()]
    return sorted(kinds, key=lambda kind: (kind.course is not None, kind.title.lower(), kind.key))


def _key_of(pack: SeatPack) -> str:
    return str(pack.course.uid) if pack.course else "premium"


def seats_in(packs: Collection[SeatPack], *, now: datetime) -> QuerySet[Seat]:
    """Return the seats of packs that have begun and haven't ended."""
    keys = [pack.pk for pack in packs if pack.state in LIVE and pack.starts_at and pack.starts_at <= now]
    return Seat.objects.usable().filter(pack__in=keys)


def meter_of(seats: QuerySet[Seat]) -> Meter:
    """One query."""
    is_used, is_invited = Q(holder__isnull=False), ~Q(email="")
    found = seats.order_by().aggregate(
        used=Count("pk", filter=is_used),
        invited=Count("pk", filter=is_invited),
        free=Count("pk", filter=~is_used & ~is_invited),
    )
    return Meter(**found)


def people_in(seats: QuerySet[Seat], team: Team, *, show: str = "", text: str = "", now: datetime) -> QuerySet[Seat]:
    """Return the seats that someone has or is invited to, by name; then the invited. No query yet.

    ``show``: a key of FILTERS. ``text``: what names or addresses contain.
    """
    present = SeatUse.objects.filter(seat=OuterRef("pk"), ended_at=None)
    taken = seats.filter(Q(holder__isnull=False) | ~Q(email="")).select_related("holder", "pack__course")
    taken = taken.annotate(known_as=Subquery(present.values("email")[:1]))
    if show == "used":
        taken = taken.filter(holder__isnull=False)
    elif show == "unused":
        taken = seat_use.unused(taken, team, now=now)
    elif show == "invited":
        taken = taken.filter(holder=None)
    for word in words_of_name(text[:MAX_SEARCH_LENGTH], most=MAX_SEARCH_LENGTH):
        taken = taken.filter(name_contains(word, "holder__") | Q(known_as__icontains=word) | Q(email__icontains=word))
    waits = Case(When(holder=None, then=Value(1)), default=Value(0), output_field=IntegerField())
    return taken.order_by(waits, *order_by_name("holder__"), "email", "pk")


def people_of(team: Team, seats: Iterable[Seat], *, now: datetime) -> list[SeatView]:
    """Return seats of :func:`people_in` with their use. At most five queries, however many they are."""
    rows = list(seats)
    uses = seat_use.use_of(team, rows, now=now)
    mails = Job.objects.filter(uid__in=[seat.mail_uid for seat in rows if seat.mail_uid], state=Job.State.FAILED)
    failed = set(mails.values_list("uid", flat=True)) if any(seat.mail_uid for seat in rows) else set()
    return [_person(seat, uses[seat.pk], is_failed=seat.mail_uid in failed, now=now) for seat in rows]


def _person(seat: Seat, use: Use, *, is_failed: bool, now: datetime) -> SeatView:
    if seat.holder is None:
        return SeatView(seat, "failed" if is_failed else "invited", seat.email, use)
    address = getattr(seat, "known_as", "") or ""
    if not seat.holder.is_active:
        return SeatView(seat, "inactive", address, use)
    since = now - timedelta(days=seat_use.UNUSED_DAYS)
    seen = use.seen_at
    is_idle = seat.assigned_at is not None and seat.assigned_at < since and (seen is None or seen < since)
    return SeatView(seat, "unused" if is_idle else "used", address, use)


def all_people(team: Team, seats: QuerySet[Seat], *, now: datetime) -> Iterator[SeatView]:
    """Yield the people of a team with their use, in pages, so that their number doesn't matter."""
    keys = list(seats.values_list("pk", flat=True))
    for start in range(0, len(keys), CHUNK_SIZE):
        chunk = keys[start : start + CHUNK_SIZE]
        found = {seat.pk: seat for seat in seats.filter(pk__in=chunk)}
        yield from people_of(team, [found[key] for key in chunk if key in found], now=now)


def unpaid_packs(packs: Iterable[SeatPack]) -> list[SeatPack]:
    """Return the packs whose invoice isn't paid, the most urgent first."""
    owed = [
        (pack.order.due_at, pack.pk, pack)
        for pack in packs
        if pack.state in LIVE and pack.order.status == Order.Status.OPEN and pack.order.due_at is not None
    ]
    return [pack for _due, _key, pack in sorted(owed)]


def invoices_of(packs: Iterable[SeatPack]) -> dict[int, Document]:
    """Return the invoices of the packs' orders, by the key of the order. One query."""
    invoices = Document.objects.filter(order__in=[pack.order_id for pack in packs], kind=Document.Kind.INVOICE)
    return {one.order_id: one for one in invoices if one.order_id is not None}


def history_of(seat: Seat) -> list[SeatUse]:
    """Return who had a seat, the last one first. One query."""
    return list(seat.uses.select_related("user", "given_by").order_by("-started_at", "-pk"))
