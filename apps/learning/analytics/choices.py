"""Which learners of a list an act is about: those that are selected, or all that the filter shows."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import QuerySet
from django.http import QueryDict

from apps.accounts.models import User
from apps.learning.analytics.courses import Scope, scope_of
from apps.learning.analytics.filters import LearnerFilter
from apps.learning.analytics.lists import matching_learners
from apps.learning.models import Enrollment

MAX_SELECTED = 500  # learners that an address names


@dataclass(frozen=True)
class Choice:
    """``uids``: the enrollments that are named; none if nobody is chosen, or all of the filter."""

    scope: Scope
    wanted: LearnerFilter
    rows: QuerySet[Enrollment]
    is_all: bool
    uids: tuple[UUID, ...]


def choose_learners(given: QueryDict, user: User, now: datetime) -> Choice:
    """Read which learners are meant: ``learner`` names enrollments, ``all`` means everything that the filter shows.

    Without either it is nobody: a form that acts was sent with nothing selected. Learners of others are left out. One
    query.

    :raises AppError: there is no such course, or the user doesn't teach it (`scope_of`).
    """
    wanted = LearnerFilter.read({name: str(value) for name, value in given.items()})
    scope = scope_of(user, wanted.course)
    if "all" in given:
        return Choice(scope, wanted, matching_learners(scope, wanted, now), is_all=True, uids=())
    uids = _uids(given.getlist("learner"))
    rows = matching_learners(scope, LearnerFilter(sort=wanted.sort), now).filter(uid__in=uids)
    return Choice(scope, wanted, rows, is_all=False, uids=uids)


def _uids(texts: list[str]) -> tuple[UUID, ...]:
    """Return those of the texts that are uids, each once."""
    found: dict[UUID, None] = {}
    for text in texts[:MAX_SELECTED]:
        try:
            found[UUID(text)] = None
        except ValueError:
            continue
    return tuple(found)
