"""The days on which the demo's learners learned.

They follow from the progress of each. The learner whose dashboard everyone sees first has a year of them, more than
the lessons of the demo could fill.
"""

import random
from collections.abc import Iterable
from datetime import date, datetime, timedelta

from apps.accounts.models import User
from apps.learning import services as learning
from apps.learning.queries.learned_days import today_of

LEARNER = "student@example.com"
YEAR = 364  # days
# The series of days that follow each other, from yesterday on backwards, each with the pause before it. Then chance.
_RUNS = ((11, 2), (5, 1), (8, 3), (3, 1), (19, 4), (2, 12))
_USUAL = (22, 9)  # minutes on a day: the mean and the deviation
_LONGEST = 75


def seed_learned_days(emails: Iterable[str], now: datetime) -> None:
    """The days of these learners, with the achievements. Days that are there are left alone.

    What the demo's learners completed has filled some days already; the year of the one learner is added to them.
    """
    learners = User.objects.filter(email__in=set(emails))
    for user in learners.filter(learned_days=None).exclude(email=LEARNER):
        learning.rebuild_learned_days(user=user, now=now)
    for user in learners.filter(email=LEARNER):
        today = today_of(user, now=now)
        if not user.learned_days.filter(day__lt=today - timedelta(days=YEAR // 2)).exists():
            learning.rebuild_learned_days(user=user, now=now, elsewhere=year_of_days(today))


def year_of_days(today: date) -> dict[date, int]:
    """Seconds learned on the days of the year before ``today``. The same each time for the same day."""
    dice = random.Random("a year of days")  # noqa: S311 (the same days each time)
    found: dict[date, int] = {}
    back, runs = 0, iter(_RUNS)
    while back < YEAR:
        length, pause = next(runs, None) or (dice.choice((1, 2, 2, 3, 4, 6, 9)), dice.choice((1, 1, 2, 2, 3, 5)))
        for _day in range(min(length, YEAR - back)):
            back += 1
            day = today - timedelta(days=back)
            at_leisure = 1.5 if day.weekday() >= 5 else 1.0
            minutes = min(_LONGEST, max(6.0, dice.gauss(*_USUAL) * at_leisure))
            found[day] = round(60 * minutes)
        back += pause
    return found
