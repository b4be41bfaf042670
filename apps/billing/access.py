"""What opens a course to a user: the only place that decides it. Enrollment follows from this answer."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from django.conf import settings
from django.db.models import Exists, OuterRef
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.accounts.policies import AnyUser
from apps.billing.errors.seats import SeatEnded
from apps.billing.models import Grant, Seat, SeatPack, Subscription
from apps.courses.models import Course, Right
from apps.courses.policies import courses_with_right, is_staff_of

Source = Literal["staff", "purchase", "grant", "free", "seat", "premium"]


@dataclass(frozen=True)
class Access:
    """Why a course is open to a user. ``lasts``: it stays open when a subscription or a seat ends."""

    source: Source

    @property
    def lasts(self) -> bool:
        return self.source not in {"premium", "seat"}


def access_to(user: AnyUser, course: Course, *, now: datetime | None = None) -> Access | None:
    """Return what opens the course to the user, the most lasting first; None if it is closed to them.

    At most two queries; none for staff and for free courses.
    """
    if not isinstance(user, User):
        return None
    if is_staff_of(user, course):
        return Access("staff")
    if course.pricing == Course.Pricing.FREE:
        return Access("free")
    sources = set(Grant.objects.active().of(user.pk).filter(course=course).values_list("source", flat=True))
    if Grant.Source.PURCHASE in sources:
        return Access("purchase")
    if Grant.Source.STAFF in sources:
        return Access("grant")
    if Grant.Source.SEAT in sources:
        return Access("seat")
    if (course.pricing == Course.Pricing.PREMIUM or Grant.Source.PREMIUM in sources) and has_premium(user, now=now):
        return Access("premium")
    return None


def has_premium(user: AnyUser, *, now: datetime | None = None) -> bool:
    """Return whether a subscription or a seat opens Premium courses to the user at this moment. One query."""
    if not isinstance(user, User):
        return False
    now = now or timezone.now()
    subscribed = Subscription.objects.opening(now).filter(user=OuterRef("pk"))
    seated = Seat.objects.opening_premium(now).filter(holder=OuterRef("pk"))
    return User.objects.filter(Exists(subscribed) | Exists(seated), pk=user.pk).exists()


def access_ends(user: User, courses: Iterable[Course], *, now: datetime) -> dict[int, datetime]:
    """Return when the access of the user to these courses ends, as far as that is known now, by primary key.

    Only Premium ends by itself: with its period, or at the end of the year of a team's seats. A subscription that
    renews opens courses until its renewal has failed for ``GRACE_DAYS``. At most four queries.
    """
    found = {course.pk: course for course in courses if course.pricing != Course.Pricing.FREE}
    for pk in courses_with_right(user, found.values(), Right.VIEW):
        del found[pk]
    if not found:
        return {}
    sources: dict[int, set[str]] = {}
    for pk, source in Grant.objects.active().of(user.pk).filter(course__in=found).values_list("course", "source"):
        sources.setdefault(pk, set()).add(source)
    by_premium = [
        pk
        for pk, course in found.items()
        if sources.get(pk) == {Grant.Source.PREMIUM} or (pk not in sources and course.pricing == Course.Pricing.PREMIUM)
    ]
    end = _premium_end(user, now) if by_premium else None
    return dict.fromkeys(by_premium, end) if end is not None else {}


def _premium_end(user: User, now: datetime) -> datetime | None:
    """Return until when a subscription or a seat opens Premium to the user; None without, and if nobody knows."""
    ends = list(Seat.objects.opening_premium(now).filter(holder=user).values_list("pack__ends_at", flat=True))
    subscription = Subscription.objects.of(user.pk).opening(now).first()
    if subscription is not None and subscription.status == Subscription.Status.PAST_DUE:
        ends.append(subscription.grace_until)
    elif subscription is not None:
        grace = timedelta(days=0 if subscription.cancels_at_period_end else settings.GRACE_DAYS)
        ends.append(subscription.period_end + grace if subscription.period_end else None)
    known = [end for end in ends if end is not None]
    return max(known) if len(known) == len(ends) and known else None


def lost_access(user: AnyUser, course: Course) -> Grant | None:
    """Return the last grant of a subscription or a seat that had opened the course to the user and ended, with its seat
    and team. One query.
    """
    return lost_accesses(user, [course]).get(course.pk)


def lost_accesses(user: AnyUser, courses: Iterable[Course]) -> dict[int, Grant]:
    """Return what ``lost_access`` returns, for several courses by primary key. One query."""
    if not isinstance(user, User):
        return {}
    ended = Grant.objects.of(user.pk).filter(
        course__in=[course.pk for course in courses], end_reason__in=[Grant.End.PREMIUM_ENDED, Grant.End.SEAT]
    )
    return {grant.course_id: grant for grant in ended.select_related("seat__pack__team").order_by("ended_at", "pk")}


def has_lost_premium(user: AnyUser, course: Course) -> bool:
    """Return whether a subscription had opened the course to the user, and has ended. One query."""
    lost = lost_access(user, course)
    return lost is not None and lost.seat_id is None


def lost_seat_refusal(lost: Grant) -> SeatEnded | None:
    """Return the refusal for a holder whose seat no longer opens a course, or is paused; None if it was no seat."""
    if lost.seat is None:
        return None
    pack = lost.seat.pack
    is_paused = lost.seat.holder_id == lost.user_id and pack.state == SeatPack.State.PAUSED
    said = (
        _("Your seat of %(team)s is paused until its invoice is paid. Your progress in this course is kept.")
        if is_paused
        else _("You no longer have a seat of %(team)s that opens this course. Your progress is kept.")
    )
    return SeatEnded(reason=said % {"team": pack.team.title})
