"""What a list of learners shows and in which order: the pure part. An address has it, and so have saved filters."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import timedelta
from enum import StrEnum
from urllib.parse import urlencode

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.learning.models import EnrollmentRollup

ACTIVE_WITHIN = timedelta(days=30)
NEW_FOR = timedelta(days=30)
MAX_TEXT_LENGTH = 100  # characters of a name
MAX_COURSE_LENGTH = 100  # characters of a slug


class Tab(StrEnum):
    ALL = "all"
    ACTIVE = "active"
    NEW = "new"
    AT_RISK = "risk"
    FINISHED = "finished"


class Seen(StrEnum):
    """When a learner was last active."""

    WEEK = "7"
    MONTH = "30"
    LONGER = "longer"


TAB_NAMES: Mapping[str, Promise] = {
    Tab.ALL: _("All"),
    Tab.ACTIVE: _("Active"),
    Tab.NEW: _("New"),
    Tab.AT_RISK: _("At risk"),
    Tab.FINISHED: _("Finished"),
}
SEEN_NAMES: Mapping[str, Promise] = {
    "": _("Last active at any time"),
    Seen.WEEK: _("Active in the last 7 days"),
    Seen.MONTH: _("Active in the last 30 days"),
    Seen.LONGER: _("Not active for 30 days"),
}
RISK_NAMES: Mapping[str, Promise] = {
    EnrollmentRollup.Risk.QUIET: _("Quiet"),
    EnrollmentRollup.Risk.STUCK: _("Stuck"),
    EnrollmentRollup.Risk.FAILING: _("Failing"),
    EnrollmentRollup.Risk.SLOW_START: _("Slow start"),
}
SORT_NAMES: Mapping[str, Promise] = {
    "seen": _("Last active first"),
    "-seen": _("Longest away first"),
    "name": _("Name, A to Z"),
    "-name": _("Name, Z to A"),
    "progress": _("Least progress first"),
    "-progress": _("Most progress first"),
    "quizzes": _("Weakest in quizzes first"),
    "-quizzes": _("Best in quizzes first"),
    "time": _("Least time first"),
    "-time": _("Most time first"),
}


@dataclass(frozen=True, kw_only=True)
class LearnerFilter:
    """Which enrollments a list shows. Each default means all of them, and stands in no address."""

    tab: str = Tab.ALL
    q: str = ""
    """A part of the name."""
    course: str = ""
    """A slug."""
    least: int = 0
    """Percent of the progress, at least."""
    most: int = 100
    seen: str = ""
    risk: str = ""
    sort: str = "seen"

    @classmethod
    def read(cls, given: Mapping[str, str]) -> "LearnerFilter":
        """Read an address. What it doesn't know or can't be means all."""
        least, most = _percent(given.get("least", ""), 0), _percent(given.get("most", ""), 100)
        return cls(
            tab=_one_of(TAB_NAMES, given.get("tab", ""), Tab.ALL),
            q=" ".join(given.get("q", "").replace("\x00", "").split())[:MAX_TEXT_LENGTH],
            course=given.get("course", "").replace("\x00", "")[:MAX_COURSE_LENGTH],
            least=min(least, most),
            most=max(least, most),
            seen=_one_of(SEEN_NAMES, given.get("seen", ""), ""),
            risk=_one_of(RISK_NAMES, given.get("risk", ""), ""),
            sort=_one_of(SORT_NAMES, given.get("sort", ""), "seen"),
        )

    @property
    def query(self) -> str:
        """The filter as the query of an address, always in the same spelling; "" for everything."""
        return urlencode(self.changes)

    @property
    def changes(self) -> dict[str, str | int]:
        """What differs from the defaults, by name."""
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        return {name: value for name, value in values.items() if value != _DEFAULTS[name]}

    @property
    def is_narrowed(self) -> bool:
        """Whether some learners may be missing, apart from the tab and the course."""
        return bool(self.changes.keys() - {"tab", "course", "sort"})

    def but(self, **changes: str | int) -> str:
        """Return the query of this filter with some parts changed, such as another tab or order."""
        return replace(self, **changes).query  # type: ignore[arg-type]  # names of fields


_DEFAULTS = {one.name: one.default for one in fields(LearnerFilter)}


def _one_of(known: Mapping[str, Promise], value: str, default: str) -> str:
    return value if value in known else default


def _percent(text: str, default: int) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 3 and int(text) <= 100 else default
