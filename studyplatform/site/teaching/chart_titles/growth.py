"""Titles of lines over time: how many people study, and how much time they spend, compared with before."""

from datetime import date

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from studyplatform.kit.charts.measures import Counts, Hours, Percents
from studyplatform.kit.charts.trends import Change, compare_amounts, compare_counts
from studyplatform.kit.web.dates import show_site_date

YEAR, DAYS_OF_YEAR = 365, range(360, 371)  # days
SMALLEST_TIME = 10 * 3_600  # seconds of all learners: less compares to nothing


def say_ago(days: int) -> str:
    """Return how long ago a period began: "a year ago", "90 days ago"."""
    if days in DAYS_OF_YEAR:
        return _("a year ago")
    return ngettext("%(num)d day ago", "%(num)d days ago", days) % {"num": days}


def title_of_people(now: int | None, before: int | None, days: int) -> str:
    """Say how many people study, compared with so many days ago. None: nobody has counted them yet.

    >>> title_of_people(2_206, 1_103, 365)
    'Twice as many people are studying with you as a year ago'
    """
    if now is None or before is None:
        return _("Learners over time")
    said = {
        "num": Counts().write(now),
        "ago": say_ago(days),
        "times": Counts().write(round(now / before)) if before else "",
        "percent": Percents().write(abs(now - before) * 100 / before) if before else "",
    }
    present = ngettext("%(num)s person is studying with you", "%(num)s people are studying with you", now)
    first = ngettext(
        "%(num)s person is studying with you; no one was %(ago)s",
        "%(num)s people are studying with you; no one was %(ago)s",
        now,
    )
    texts = {
        Change.NOTHING: _("No one is studying with you yet"),
        Change.FIRST: first,
        Change.GONE: _("No one has studied with you recently"),
        Change.FEW: present,
        Change.SAME: _("About as many people are studying with you as %(ago)s"),
        Change.TWICE: _("Twice as many people are studying with you as %(ago)s"),
        Change.THREE_TIMES: _("Three times as many people are studying with you as %(ago)s"),
        Change.MANY_TIMES: _("%(times)s times as many people are studying with you as %(ago)s"),
        Change.MORE: _("%(percent)s more people are studying with you than %(ago)s"),
        Change.HALF: _("Half as many people are studying with you as %(ago)s"),
        Change.LESS: _("%(percent)s fewer people are studying with you than %(ago)s"),
    }
    return texts[compare_counts(now, before)] % said


def title_of_former_people(count: int | None, day: date) -> str:
    """Say how many people studied at the end of a period that is over. None: nobody has counted them yet."""
    if count is None:
        return _("Learners over time")
    said = {"num": Counts().write(count), "day": show_site_date(day)}
    text = ngettext(
        "%(num)s person was studying with you on %(day)s", "%(num)s people were studying with you on %(day)s", count
    )
    return text % said


def title_of_time(now: int, before: int) -> str:
    """Say how much time all learners spent in a period, compared with the period before. In seconds."""
    said = {
        "time": Hours().write(now),
        "times": Counts().write(round(now / before)) if before else "",
        "percent": Percents().write(abs(now - before) * 100 / before) if before else "",
    }
    change = compare_amounts(now, before)
    if change not in {Change.NOTHING, Change.GONE} and max(now, before) < SMALLEST_TIME:
        change = Change.FEW
    texts = {
        Change.NOTHING: _("No one spent time in your courses in this period"),
        Change.FIRST: _("Learners spent %(time)s in your courses"),
        Change.GONE: _("No one spent time in your courses in this period"),
        Change.FEW: _("Learners spent %(time)s in your courses"),
        Change.SAME: _("Learners spent about as much time as in the period before"),
        Change.TWICE: _("Learners spent twice as much time as in the period before"),
        Change.THREE_TIMES: _("Learners spent three times as much time as in the period before"),
        Change.MANY_TIMES: _("Learners spent %(times)s times as much time as in the period before"),
        Change.MORE: _("Learners spent %(percent)s more time than in the period before"),
        Change.HALF: _("Learners spent half as much time as in the period before"),
        Change.LESS: _("Learners spent %(percent)s less time than in the period before"),
    }
    return texts[change] % said
