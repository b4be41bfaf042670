"""What other apps add to billing.

``course_access``: what happens to a learner's enrollment when a course opens or closes for them. Billing calls it
inside its own transaction, so that a payment and the enrollment that it pays for are committed together.

``watch_time``: how long learners watched courses, by which Premium is shared.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.accounts.models import User
from apps.accounts.queries import zone_of
from apps.billing.gateway.errors import MAPPINGS
from apps.billing.models import Subscription
from apps.billing.queries.revenue import month_so_far, refund_queue
from apps.courses.models import Course
from studyplatform.kit.extensions import LearnerCard, Tile, admin_tiles, contract_tables, learner_cards
from studyplatform.kit.registry import Registry
from studyplatform.kit.text.money import money

Pair = tuple[int, int]  # the ids of a user and a course


@dataclass(frozen=True)
class CourseAccess:
    """``open(user, course, now)`` and ``close(user, course, now)``; both are idempotent.

    ``progress`` takes pairs of a user's and a course's id and returns how much of the course's lessons the user has
    completed, in percent; pairs without anything completed may be missing. One query for all.
    """

    open: Callable[[User, Course, datetime], None]
    close: Callable[[User, Course, datetime], None]
    progress: Callable[[Collection[Pair]], Mapping[Pair, int]]


course_access: Registry[CourseAccess] = Registry("course access")


def open_course(user: User, course: Course, now: datetime) -> None:
    """Open the course to the user in all apps that give access to it."""
    for each in course_access.ordered():
        each.open(user, course, now)


def close_course(user: User, course: Course, now: datetime) -> None:
    """Close the course to the user in all apps that give access to it."""
    for each in course_access.ordered():
        each.close(user, course, now)


def completed_percent(user: User, course: Course) -> int:
    """Return how much of the course's lessons the user has completed, in percent."""
    return completed_percents([(user.pk, course.pk)])[user.pk, course.pk]


def completed_percents(pairs: Collection[Pair]) -> dict[Pair, int]:
    """Return for each user and course (their ids) how much of its lessons they have completed, in percent."""
    found = dict.fromkeys(pairs, 0)
    for each in course_access.ordered():
        for pair, percent in each.progress(pairs).items():
            found[pair] = max(found[pair], percent)
    return found


WatchTime = Callable[[date, date, Collection[int]], Iterable[tuple[int, int, date, int]]]
watch_time: Registry[WatchTime] = Registry("watch time")


def watched_seconds(start: date, end: date, courses: Collection[int]) -> Iterator[tuple[int, int, date, int]]:
    """Yield (user, course, day, seconds) for what was watched of these courses from ``start`` to before ``end``."""
    for each in watch_time.ordered():
        yield from each(start, end, courses)


@admin_tiles.registers("billing", order=30)
def revenue(user: User, now: datetime) -> Iterator[Tile]:
    """Two queries."""
    requests = refund_queue().count()
    foot = ngettext("%(num)d refund needs a decision", "%(num)d refunds need a decision", requests)
    net = money(month_so_far(now), settings.CURRENCY)
    yield Tile(_("Revenue this month"), net, foot % {"num": requests} if requests else _("no refunds need a decision"))


@learner_cards.registers("premium", order=60)
def premium_deadline(user: User, now: datetime) -> LearnerCard | None:
    """When the user's Premium renews or ends, or until when a failed payment has to be made. One query."""
    subscription = Subscription.objects.of(user.pk).opening(now).first()
    if subscription is None:
        return None
    zone = zone_of(user)
    is_due = subscription.status == Subscription.Status.PAST_DUE
    until = subscription.grace_until if is_due else subscription.period_end
    if until is None:
        return None
    left = max(0, (until.astimezone(zone).date() - now.astimezone(zone).date()).days)
    card = {"subscription": subscription, "is_due": is_due, "until": until.astimezone(zone).date(), "days": left}
    return LearnerCard(template="billing/_dashboard_card.html", card=card)


@contract_tables.registers("paymentErrors")
def payment_errors() -> dict[str, Any]:
    """How the errors of the payment provider read, by their kind."""
    return {kind: {"message": str(one.message), "ownWords": one.own_words} for kind, one in MAPPINGS.items()}
