"""Milestones of instructors: each is noted and told once."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Sum

from apps.accounts import services as people
from apps.accounts.models import User
from apps.billing.models import EarningsMilestone
from apps.billing.queries.earnings import earned_by_month
from apps.billing.services.payout_outcomes import EARNINGS_PAGE
from apps.courses.models import Course
from studyplatform.kit import jobs
from studyplatform.kit.text.money import minor_units, money, units_of_a_dollar

Name = EarningsMilestone.Name
# In dollars, or in about as much of the site's currency.
IN_TOTAL = {Name.REVENUE_100: 100, Name.REVENUE_1000: 1000, Name.REVENUE_5000: 5000}
IN_A_MONTH = {Name.MONTH_1000: 1000}
STUDENTS_NOTED_AFTER = timedelta(minutes=2)
STUDENTS = {Name.STUDENTS_100: 100, Name.STUDENTS_1000: 1000}


def label(name: str) -> str:
    """The milestone in words, such as "$1,000 in total"."""
    dollars = {**IN_TOTAL, **IN_A_MONTH}.get(Name(name), 0)
    return str(Name(name).label) % {"amount": money(dollars * _dollar(), settings.CURRENCY)}


def _dollar() -> int:
    """About a dollar in the site's currency, in minor units."""
    return units_of_a_dollar(settings.CURRENCY) * minor_units(settings.CURRENCY)


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
    months = [each.share for each in earned_by_month(instructor_id, settings.CURRENCY).values()]
    dollar = _dollar()
    students = Course.objects.filter(instructor=user).aggregate(sum=Sum("learner_count"))["sum"] or 0
    reached = [name for name, dollars in IN_TOTAL.items() if sum(months) >= dollars * dollar]
    reached += [name for name, dollars in IN_A_MONTH.items() if max(months, default=0) >= dollars * dollar]
    reached += [name for name, count in STUDENTS.items() if students >= count]
    known = set(EarningsMilestone.objects.filter(user=user).values_list("name", flat=True))
    told = []
    for name in reached:
        if name in known:
            continue
        _, is_new = EarningsMilestone.objects.get_or_create(user=user, name=name, defaults={"reached_at": now})
        if is_new:
            people.notify("billing.milestone", user, EARNINGS_PAGE, name, now=now, milestone=label(name))
            told.append(str(name))
    return told
