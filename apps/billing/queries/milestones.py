"""The milestones of instructors: what each is called, which are reached, and when they were."""

from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db.models import Sum

from apps.accounts.models import User
from apps.billing.extensions import learning_figures
from apps.billing.models import EarningsMilestone
from apps.billing.queries.earnings import earned_by_month
from apps.courses.models import Course
from studyplatform.kit.text.money import minor_units, money, units_of_a_dollar

Name = EarningsMilestone.Name
# In dollars, or in about as much of the site's currency.
IN_TOTAL = {Name.REVENUE_100: 100, Name.REVENUE_1000: 1000, Name.REVENUE_5000: 5000}
IN_A_MONTH = {Name.MONTH_1000: 1000}
STUDENTS = {Name.STUDENTS_100: 100, Name.STUDENTS_1000: 1000}
ICONS = {
    **dict.fromkeys(IN_TOTAL, "wallet"),
    **dict.fromkeys(IN_A_MONTH, "calendar-check"),
    **dict.fromkeys(STUDENTS, "users"),
}


@dataclass(frozen=True)
class Milestone:
    """A milestone in words, with the moment when it was noted; None: not reached yet."""

    name: str
    label: str
    icon: str
    reached_at: datetime | None


def label_of(name: str) -> str:
    """Return a milestone in words, such as "$1,000 in total"."""
    dollars = {**IN_TOTAL, **IN_A_MONTH}.get(Name(name), 0)
    return str(Name(name).label) % {"amount": money(dollars * _dollar(), settings.CURRENCY)}


def _dollar() -> int:
    """About a dollar in the site's currency, in minor units."""
    return units_of_a_dollar(settings.CURRENCY) * minor_units(settings.CURRENCY)


def milestones_of(user: User) -> list[Milestone]:
    """Return all milestones in their order, reached or not. One query."""
    reached = dict(EarningsMilestone.objects.filter(user=user).values_list("name", "reached_at"))
    return [Milestone(name, label_of(name), ICONS[Name(name)], reached.get(name)) for name in Name.values]


def find_reached(user: User) -> list[Name]:
    """Return the milestones whose condition is met now. Three queries at most.

    Money counts as the instructor's share in the site's currency, net of refunds; students are those of all courses,
    and who takes two of them counts once, as in "Total students".
    """
    months = [each.share for each in earned_by_month(user.pk, settings.CURRENCY).values()]
    dollar = _dollar()
    students = Course.objects.filter(instructor=user).aggregate(sum=Sum("learner_count"))["sum"] or 0
    if students >= min(STUDENTS.values()):
        (figures,) = learning_figures.ordered()
        students = figures.students(user.pk)
    reached = [name for name, dollars in IN_TOTAL.items() if sum(months) >= dollars * dollar]
    reached += [name for name, dollars in IN_A_MONTH.items() if max(months, default=0) >= dollars * dollar]
    return reached + [name for name, count in STUDENTS.items() if students >= count]
