"""What other apps add to billing.

``course_access``: what happens to a learner's enrollment when a course opens or closes for them. Billing calls it
inside its own transaction, so that a payment and the enrollment that it pays for are committed together.

``watch_time``: the rows of how long learners watched courses, by which Premium is shared.

``learning_figures``: the rows of how long and when learners learned in a course, for what a team sees of its seats.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.accounts.models import User
from apps.accounts.queries import zone_of
from apps.billing.gateway.errors import MAPPINGS
from apps.billing.models import Subscription
from apps.billing.queries.bundles import bundles_for_sale
from apps.billing.queries.held_seats import offers_for
from apps.billing.queries.next_charge import next_charge
from apps.billing.queries.open_transfers import open_transfers_of
from apps.billing.queries.revenue import month_so_far, refund_queue
from apps.courses.models import Course
from studyplatform.kit.extensions import (
    LearnerCard,
    SitemapEntry,
    Tile,
    admin_tiles,
    contract_tables,
    learner_cards,
    sitemap_entries,
)
from studyplatform.kit.registry import Registry
from studyplatform.kit.text.money import money

Pair = tuple[int, int]  # the ids of a user and a course


@dataclass(frozen=True)
class CourseAccess:
    """``open(user, course, now)`` and ``close(user, course, now)``; both are idempotent.

    ``progress`` takes pairs of a user's and a course's id and returns how much of the course's lessons the user has
    completed, in percent; pairs without anything completed may be missing. One query for all. ``consumption`` does the
    same for how much of the course the user has consumed: watched, opened, downloaded, taken. ``opened(user, courses,
    since, until)`` says whether the user (an id) opened a lesson of these courses (ids) in that time.
    """

    open: Callable[[User, Course, datetime], None]
    close: Callable[[User, Course, datetime], None]
    progress: Callable[[Collection[Pair]], Mapping[Pair, int]]
    consumption: Callable[[Collection[Pair]], Mapping[Pair, int]]
    opened: Callable[[int, Collection[int], datetime, datetime], bool]


course_access: Registry[CourseAccess] = Registry("course access")


def open_course(user: User, course: Course, now: datetime) -> None:
    """Open the course to the user in all apps that give access to it."""
    for each in course_access.ordered():
        each.open(user, course, now)


def close_course(user: User, course: Course, now: datetime) -> None:
    """Close the course to the user in all apps that give access to it."""
    for each in course_access.ordered():
        each.close(user, course, now)


def has_opened_lesson(user_id: int, courses: Collection[int], since: datetime, until: datetime) -> bool:
    """Return whether the user opened a lesson of these courses (their ids) in that time. One query per app."""
    return any(each.opened(user_id, courses, since, until) for each in course_access.ordered())


def consumed_percents(pairs: Collection[Pair]) -> dict[Pair, int]:
    """Return for each user and course (their ids) how much of it they have used, in percent: the greater of what they
    have completed and what they have consumed."""
    found = dict.fromkeys(pairs, 0)
    for each in course_access.ordered():
        for percents in (each.progress(pairs), each.consumption(pairs)):
            for pair, percent in percents.items():
                found[pair] = max(found[pair], percent)
    return found


@dataclass(frozen=True)
class LearningFigures:
    """``days(start, end)``: rows with ``user``, ``course``, ``day`` and ``learned`` (seconds), from ``start`` to before
    ``end``. ``visits()``: rows with ``user``, ``course`` and ``visited_at``, when a lesson was last opened.
    ``students(instructor)``: how many different people are enrolled now in the instructor's courses.

    Rows instead of numbers, so that the database can choose and add them up; one app registers them.
    """

    days: Callable[[date, date], QuerySet[Any]]
    visits: Callable[[], QuerySet[Any]]
    students: Callable[[int], int]


learning_figures: Registry[LearningFigures] = Registry("learning figures")


WatchTime = Callable[[date, date], QuerySet[Any]]
MAX_TRANSFERS_ON_DASHBOARD = 3
watch_time: Registry[WatchTime] = Registry("watch time")


def watched_days(start: date, end: date) -> QuerySet[Any]:
    """Return rows with ``user``, ``course``, ``day``, ``seconds``: what was watched from ``start`` to before ``end``.

    Rows instead of numbers, so that the database can choose and add them up; one app registers them.
    """
    (rows,) = watch_time.ordered()
    return rows(start, end)


@sitemap_entries.registers("bundles", order=16)
def bundle_pages() -> Iterator[SitemapEntry]:
    """The list of bundles, and those for sale, the newest first. One query."""
    yield SitemapEntry("/bundles/")
    for slug, updated_at in bundles_for_sale().values_list("slug", "updated_at")[:2_000]:
        yield SitemapEntry(f"/bundles/{slug}/", updated_at)


@admin_tiles.registers("billing", order=30)
def revenue(user: User, now: datetime) -> Iterator[Tile]:
    """Two queries."""
    requests = refund_queue().count()
    foot = ngettext("%(num)d refund needs a decision", "%(num)d refunds need a decision", requests)
    net = money(month_so_far(now), settings.CURRENCY)
    foot = foot % {"num": requests} if requests else _("no refunds need a decision")
    yield Tile(_("Revenue this month"), net, foot, reverse("billing:admin-revenue"))


@learner_cards.registers("seats", order=5)
def seat_offers(user: User, now: datetime) -> LearnerCard | None:
    """The seats that the user can take with one click. One query."""
    offers = offers_for(user, now=now)
    return (
        LearnerCard(template="billing/teams/_dashboard_card.html", card={"offers": offers}, place="main")
        if offers
        else None
    )


@learner_cards.registers("transfers", order=6)
def open_transfers(user: User, now: datetime) -> LearnerCard | None:
    """The user's orders that wait for a bank transfer. One query."""
    transfers = open_transfers_of(user, now=now)[:MAX_TRANSFERS_ON_DASHBOARD]
    card = {"transfers": transfers}
    return LearnerCard(template="billing/_transfers_card.html", card=card, place="main") if transfers else None


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
    card = {
        "subscription": subscription,
        "is_due": is_due,
        "until": until.astimezone(zone).date(),
        "days": left,
        "charge": next_charge(subscription),
    }
    return LearnerCard(template="billing/_dashboard_card.html", card=card)


@contract_tables.registers("paymentErrors")
def payment_errors() -> dict[str, Any]:
    """How the errors of the payment provider read, by their kind."""
    return {kind: {"message": str(one.message), "ownWords": one.own_words} for kind, one in MAPPINGS.items()}
