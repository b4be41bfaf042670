"""What the list of learners and the page of one say about where somebody stands."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.learning.analytics.filters import RISK_NAMES, SEEN_NAMES, LearnerFilter
from apps.learning.analytics.risk import STUCK_AFTER
from apps.learning.models import Enrollment, EnrollmentRollup
from studyplatform.kit.web.dates import show_date

Risk = EnrollmentRollup.Risk
JUST_STARTED = timedelta(days=7)


@dataclass(frozen=True)
class Remark:
    """A short remark beside a learner. ``tone``: warn, error, ok or "" for none."""

    tone: str
    icon: str
    text: str


def remark_on(enrollment: Enrollment, rollup: EnrollmentRollup | None, now: datetime) -> Remark | None:
    """Return why the learner is at risk, or what is worth knowing; None if it is nothing."""
    if enrollment.completed_at is not None:
        return Remark("ok", "award", _("Finished %(day)s") % {"day": _short_day(enrollment.completed_at, now)})
    if rollup is not None and rollup.risk:
        return _remark_on_risk(enrollment, rollup, now)
    if now - enrollment.enrolled_at < JUST_STARTED:
        return Remark("ok", "sunrise", _("Started %(day)s") % {"day": _short_day(enrollment.enrolled_at, now)})
    return None


def _short_day(moment: datetime, now: datetime) -> str:
    is_recent = now - moment < timedelta(days=300)
    return show_date(moment, "j M" if is_recent else "j M Y")


def _remark_on_risk(enrollment: Enrollment, rollup: EnrollmentRollup, now: datetime) -> Remark:
    lesson = rollup.risk_lesson
    place = {"lesson": (lesson.number or lesson.title) if lesson is not None else ""}
    match rollup.risk:
        case Risk.FAILING if lesson is not None:
            return Remark("error", "circle-alert", _("No attempt at %(lesson)s passed") % place)
        case Risk.FAILING:
            return Remark("error", "circle-alert", _("No attempt at a quiz passed"))
        case Risk.STUCK:
            days = _days((rollup.risk_since or now) - STUCK_AFTER, now)
            if lesson is None:
                text = ngettext("Stuck for %(days)d day", "Stuck for %(days)d days", days)
            else:
                text = ngettext("Stuck on %(lesson)s for %(days)d day", "Stuck on %(lesson)s for %(days)d days", days)
            return Remark("warn", "circle-alert", text % {**place, "days": days})
        case Risk.SLOW_START:
            days = _days(enrollment.enrolled_at, now)
            text = ngettext("Nothing completed in %(days)d day", "Nothing completed in %(days)d days", days)
            return Remark("warn", "hourglass", text % {"days": days})
    days = _days(enrollment.last_activity_at, now)
    text = ngettext("Quiet for %(days)d day", "Quiet for %(days)d days", days)
    return Remark("warn", "clock", text % {"days": days})


def explain_risk(enrollment: Enrollment, rollup: EnrollmentRollup, now: datetime) -> tuple[str, str]:
    """Return what the page of a learner says about a risk: what it is, and what may help."""
    title = _remark_on_risk(enrollment, rollup, now).text
    advice = {
        Risk.QUIET: _("Nothing new in the course since then. A short message often brings people back."),
        Risk.STUCK: _(
            "They came back since and didn't complete it. Ask what is unclear, or suggest an earlier lesson."
        ),
        Risk.FAILING: _("Read their answers first: they show what is missing. Then suggest a lesson, or allow more."),
        Risk.SLOW_START: _(
            "They enrolled and completed no lesson yet. Ask whether something keeps them from starting."
        ),
    }
    return title, advice.get(Risk(rollup.risk), "") if rollup.risk else ""


def first_words(risk: str) -> str:
    """Return how a message to a learner at risk may begin. The places in braces are filled in for each."""
    found = {
        Risk.QUIET: _("Hello {first name}, I haven't seen you in {course} for a while. How is it going?"),
        Risk.STUCK: _("Hello {first name}, I saw that {lesson} is taking a while. What is unclear?"),
        Risk.FAILING: _("Hello {first name}, I saw that {lesson} is a hard one. Shall we look at it together?"),
        Risk.SLOW_START: _("Hello {first name}, welcome to {course}. Is there anything that keeps you from starting?"),
    }
    return found[Risk(risk)] if risk in Risk.values else ""


def describe_minutes(minutes: tuple[int, ...]) -> str:
    """Say what the small chart of 30 days shows."""
    days = sum(1 for one in minutes if one)
    if not days:
        return _("No time in the last 30 days")
    text = ngettext("%(time)d minutes on %(days)d day", "%(time)d minutes on %(days)d of the last 30 days", days)
    return text % {"time": sum(minutes), "days": days}


def describe_filter(wanted: LearnerFilter) -> list[str]:
    """Say what narrows the list, for the empty state: the text searched and the rest."""
    said = [f"“{wanted.q}”"] if wanted.q else []
    if wanted.risk:
        said.append(str(RISK_NAMES[wanted.risk]))
    if wanted.seen:
        said.append(str(SEEN_NAMES[wanted.seen]))
    if wanted.least > 0 or wanted.most < 100:
        said.append(_("%(least)d%% to %(most)d%%") % {"least": wanted.least, "most": wanted.most})
    return said


def _days(since: datetime, now: datetime) -> int:
    return max(1, (now - since).days)
