"""Milestones of instructors: each is noted and told once."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction

from apps.accounts import services as people
from apps.accounts.models import User
from apps.billing.models import EarningsMilestone
from apps.billing.queries.milestones import find_reached, label_of
from apps.billing.services.payout_outcomes import EARNINGS_PAGE
from studyplatform.kit import jobs

STUDENTS_NOTED_AFTER = timedelta(minutes=2)


def plan_students_note(*, instructor_id: int, now: datetime) -> None:
    """Check an instructor's milestones in a minute or two, after an enrollment.

    Enrollments of one minute share a job, which runs after the minute has ended, so that it counts all of them.
    """
    minute = now.replace(second=0, microsecond=0)
    jobs.enqueue(
        "billing.note_students",
        key=f"{instructor_id} {minute:%Y-%m-%d %H:%M}",
        delay=minute + STUDENTS_NOTED_AFTER - now,
        instructor_id=instructor_id,
    )


@transaction.atomic
def note_milestones(*, instructor_id: int, now: datetime) -> list[str]:
    """Note the milestones that an instructor has reached since, and tell each. Returns their names.

    Money counts as the instructor's share in the site's currency, net of refunds; students are those of all courses.
    A milestone that was reached stays, also if a refund follows.
    """
    user = User.objects.filter(pk=instructor_id, deleted_at=None).first()
    if user is None:
        return []
    reached = find_reached(user)
    known = set(EarningsMilestone.objects.filter(user=user).values_list("name", flat=True))
    told = []
    for name in reached:
        if name in known:
            continue
        _, is_new = EarningsMilestone.objects.get_or_create(user=user, name=name, defaults={"reached_at": now})
        if is_new:
            people.notify("billing.milestone", user, EARNINGS_PAGE, name, now=now, milestone=label_of(name))
            told.append(str(name))
    return told
