"""What other apps add to billing.

``course_access``: what happens to a learner's enrollment when a course opens or closes for them. Billing calls it
inside its own transaction, so that a payment and the enrollment that it pays for are committed together.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.accounts.models import User
from apps.billing.gateway.errors import MAPPINGS
from apps.billing.queries.revenue import month_so_far, refund_queue
from apps.courses.models import Course
from studyplatform.kit.extensions import Tile, admin_tiles, contract_tables
from studyplatform.kit.registry import Registry
from studyplatform.kit.text.money import money


@dataclass(frozen=True)
class CourseAccess:
    """``open(user, course, now)`` and ``close(user, course, now)``; both are idempotent. ``progress(user, course)``
    returns how much of the course's lessons the user has completed, in percent."""

    open: Callable[[User, Course, datetime], None]
    close: Callable[[User, Course, datetime], None]
    progress: Callable[[User, Course], int]


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
    return max((each.progress(user, course) for each in course_access.ordered()), default=0)


@admin_tiles.registers("billing", order=30)
def revenue(user: User, now: datetime) -> Iterator[Tile]:
    """Two queries."""
    requests = refund_queue().count()
    foot = ngettext("%(num)d refund needs a decision", "%(num)d refunds need a decision", requests)
    net = money(month_so_far(now), settings.CURRENCY)
    yield Tile(_("Revenue this month"), net, foot % {"num": requests} if requests else _("no refund needs a decision"))


@contract_tables.registers("paymentErrors")
def payment_errors() -> dict[str, Any]:
    """How the errors of the payment provider read, by their kind."""
    return {kind: {"message": str(one.message), "ownWords": one.own_words} for kind, one in MAPPINGS.items()}
