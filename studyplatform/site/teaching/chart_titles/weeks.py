"""The title of a learner's hours by week: since when they study more or less."""

from collections.abc import Sequence
from datetime import date
from statistics import fmean, pstdev

from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from studyplatform.kit.charts.measures import Hours
from studyplatform.kit.charts.trends import SMALLEST_SIDE, Shift, find_shift

SMALLEST_MEAN = 15 * 60  # seconds a week, of the side with more: less is too little to compare
QUARTER, THIRD, HALF, LESS = 0.29, 0.42, 0.6, 0.8  # up to which ratio there is a quarter of the time, a third …
MORE, TWICE, MUCH_MORE = 1.25, 1.75, 2.4  # from which ratio there is more time, about twice as much …
REGULAR = 0.35  # a standard deviation up to this share of the mean is about the same each week
EARLY, MIDDLE = 10, 20  # the last days of the early and the middle part of a month


def title_of_weeks(mondays: Sequence[date], seconds: Sequence[int], *, today: date) -> str:
    """Say how a learner's weeks compare. The present week is left out: it is not over.

    :param seconds: the learner's time in each of the weeks.
    """
    over = [(monday, time) for monday, time in zip(mondays, seconds, strict=True) if (today - monday).days >= 7]
    times = [time for _monday, time in over]
    if not any(seconds):
        return _("No time in your courses yet")
    if not any(times):
        return _("The first week in your courses")
    begun = next(index for index, time in enumerate(times) if time)
    times, over = times[begun:], over[begun:]
    if len(times) < 2 * SMALLEST_SIDE:
        text = ngettext("%(time)s in %(num)d week", "%(time)s in %(num)d weeks", len(times))
        return text % {"time": Hours().write(sum(times)), "num": len(times)}
    shift = find_shift(times)
    changed = shift and _say_shift(shift, over[shift.index][0], today)
    return changed or _say_mean(times)


def _say_shift(shift: Shift, monday: date, today: date) -> str | None:
    """Say what changed; None if it is little."""
    if max(shift.before, shift.since) < SMALLEST_MEAN:
        return None
    said = {"when": say_when(monday, today)}
    if not shift.since:
        return _("No time since %(when)s") % said
    ratio = shift.since / shift.before  # the first week has time, so there is some before
    falls = {
        QUARTER: _("A quarter of the time or less since %(when)s"),
        THIRD: _("A third of the time since %(when)s"),
        HALF: _("Half as much time since %(when)s"),
        LESS: _("Less time since %(when)s"),
    }
    rises = {
        MUCH_MORE: _("Much more time since %(when)s"),
        TWICE: _("Twice as much time since %(when)s"),
        MORE: _("More time since %(when)s"),
    }
    fall = next((text for most, text in falls.items() if ratio <= most), None)
    rise = next((text for least, text in rises.items() if ratio >= least), None)
    text = fall or rise
    return text and text % said


def _say_mean(times: Sequence[int]) -> str:
    mean = fmean(times)
    said = {"time": Hours().write(mean)}
    if pstdev(times) <= REGULAR * mean:
        return _("About %(time)s each week") % said
    return _("%(time)s a week on average, from week to week very different") % said


def say_when(day: date, today: date) -> str:
    """Return a day as people remember it: "mid-February", with the year if it is another one."""
    month = date_format(day, "F" if day.year == today.year else "F Y")
    if day.day <= EARLY:
        return _("early %(month)s") % {"month": month}
    return (_("mid-%(month)s") if day.day <= MIDDLE else _("late %(month)s")) % {"month": month}
