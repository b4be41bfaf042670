"""Titles of ratings, of where learners stop, of the way to completion, and of earnings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from studyplatform.kit.charts.measures import Money, Percents
from studyplatform.kit.charts.trends import Change, compare_amounts

SMALLEST_RATINGS = 5
NEARLY_ALL, MOST, MANY = 0.8, 0.5, 0.3  # shares
SMALLEST_LEARNERS = 10  # who began or enrolled: fewer say nothing of a course
CLEARLY_MORE = 1.5  # times as many as at any other lesson
SHARE_THAT_STANDS_OUT = 0.15  # of all who stop
SMALLEST_SALES = 10
SMALLEST_MONTHS = 4  # that are over: the later half is compared with the earlier one


def title_of_ratings(counts: Mapping[int, int]) -> str:
    """Say what most ratings are. ``counts``: how many there are of 1 to 5 stars."""
    total = sum(counts.values())
    if not total:
        return _("No ratings yet")
    if total < SMALLEST_RATINGS:
        return ngettext("%(num)d rating so far", "%(num)d ratings so far", total) % {"num": total}
    share = {stars: counts.get(stars, 0) / total for stars in range(1, 6)}
    mean = sum(stars * one for stars, one in share.items())
    rules = [
        (share[5] == 1, _("Everyone gives you five stars")),
        (share[5] >= NEARLY_ALL, _("Nearly everyone gives you five stars")),
        (share[5] > MOST, _("Most who rate give you five stars")),
        (share[5] >= MANY and share[1] >= MANY, _("Learners are divided between five stars and one")),
        (share[4] + share[5] > MOST, _("Most who rate give you four or five stars")),
        (share[1] + share[2] > MOST, _("Most who rate give you one or two stars")),
    ]
    mixed = _("Ratings are mixed: %(mean)s on average") % {"mean": number_format(mean, 1)}
    return next((text for holds, text in rules if holds), mixed)


@dataclass(frozen=True)
class Stops:
    """The title of a chart of where learners stop, and the lesson that stands out, if one does."""

    title: str
    index: int | None


def title_of_stops(lessons: Sequence[str], stopped: Sequence[int], began: int) -> Stops:
    """Say at which lesson learners are who have not come to the end.

    :param lessons: their numbers, "2.8".
    :param stopped: how many learners began each lesson and got no further so far.
    :param began: how many began the course.
    :raises ValueError: there is not one number for each lesson.
    """
    if len(lessons) != len(stopped):
        raise ValueError("each lesson has a number of learners who stopped")
    if not began:
        return Stops(_("No one has begun yet"), None)
    if began < SMALLEST_LEARNERS:
        return Stops(_("Too few learners to say where they are"), None)
    total = sum(stopped)
    if not total:
        return Stops(_("Everyone who began has come to the last lesson"), None)
    first, *others = sorted(stopped, reverse=True)
    index = list(stopped).index(first)
    said = {"lesson": lessons[index]}
    if total < SMALLEST_LEARNERS:
        text = ngettext("%(num)d learner is not at the end yet", "%(num)d learners are not at the end yet", total)
        return Stops(text % {"num": total}, None)
    if first > MOST * total:
        return Stops(_("Most learners who are not at the end are at lesson %(lesson)s") % said, index)
    if first >= CLEARLY_MORE * max(others, default=0) and first >= SHARE_THAT_STANDS_OUT * total:
        return Stops(_("More learners are at lesson %(lesson)s than at any other before the end") % said, index)
    return Stops(_("Learners who are not at the end are at many lessons"), None)


def title_of_way(enrolled: int, began: int, completed: int) -> str:
    """Say how many of those who enrolled came to the end."""
    if not enrolled:
        return _("No one enrolled in this period")
    if enrolled < SMALLEST_LEARNERS:
        text = ngettext("%(num)d person enrolled", "%(num)d people enrolled", enrolled)
        return text % {"num": enrolled}
    if began < MOST * enrolled:
        percent = Percents().write(100 * (enrolled - began) / enrolled)
        return _("%(percent)s of those who enroll have not begun a lesson") % {"percent": percent}
    if not completed:
        return _("No one has completed the course yet")
    if completed >= enrolled:
        return _("Everyone who enrolled has completed the course")
    return _("%(percent)s of those who enrolled have completed the course") % {
        "percent": Percents().write(100 * completed / enrolled)
    }


def title_of_earnings(
    courses: Mapping[str, Sequence[int]], currency: str, *, sales: int, is_last_over: bool = False
) -> str:
    """Say how the later half of some months compares with the earlier one, and whether one course makes the difference.

    :param courses: what each course earned in each month, in minor units, the oldest month first.
    :param sales: how many entries the amounts are of: few say nothing of growth.
    :param is_last_over: whether the last month is over; otherwise it is left out.
    """
    months = [sum(amounts) for amounts in zip(*courses.values(), strict=True)]
    total = sum(months)
    if total <= 0:
        return _("No earnings in this period")
    over = len(months) if is_last_over else len(months) - 1
    if sales < SMALLEST_SALES or over < SMALLEST_MONTHS:
        return _("%(amount)s earned") % {"amount": Money(currency).write(total)}
    half = over // 2
    halves = {
        name: (sum(all_[over - 2 * half : over - half]), sum(all_[over - half : over]))
        for name, all_ in courses.items()
    }
    before, now = (sum(pair[side] for pair in halves.values()) for side in (0, 1))
    change = compare_amounts(now, before)
    if change in {Change.SAME, Change.NOTHING}:
        return _("Earnings stay about the same")
    is_growth = now > before
    name, (was, is_) = max(halves.items(), key=lambda item: (item[1][1] - item[1][0]) * (1 if is_growth else -1))
    said = {"course": name, "percent": Percents().write(100 * abs(now - before) / before) if before > 0 else ""}
    if len(courses) > 1 and abs(is_ - was) > MOST * abs(now - before):
        return (
            _("Earnings grew, mostly with %(course)s") if is_growth else _("Earnings fell, mostly with %(course)s")
        ) % said
    if before <= 0:
        return _("The first earnings came in this period")
    return (_("Earnings grew by %(percent)s") if is_growth else _("Earnings fell by %(percent)s")) % said
