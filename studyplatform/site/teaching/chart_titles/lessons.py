"""Titles of a video's retention and of the questions of a quiz."""

from collections.abc import Sequence
from math import sqrt
from statistics import fmean

from django.utils.translation import gettext as _

from studyplatform.kit.charts.measures import Percents

ENDING = 10  # the last tenth of a video is its end
NEARLY_ALL, MANY_LEAVE = 80, 30  # percent
FIRST_SECONDS = 30
EASY, HARD = 0.9, 0.5  # mean shares of the points
WEAK, FAIR = 0.2, 0.4  # discrimination from which a question tells learners apart, and does so well


def title_of_retention(percents: Sequence[float]) -> str:
    """Say how many of the learners who began a video are still there at its end, or leave at once.

    :param percents: of the learners who watched each second.
    """
    if not percents:
        return _("No one has watched this video yet")
    end = fmean(percents[-max(1, len(percents) // ENDING) :])
    said = {"percent": Percents().write(round(end))}
    if end >= NEARLY_ALL:
        return _("Nearly everyone watches to the end")
    if len(percents) > 2 * FIRST_SECONDS and 100 - (stayed := max(percents[FIRST_SECONDS:])) >= MANY_LEAVE:
        gone = {"percent": Percents().write(round(100 - stayed))}
        return _("%(percent)s of the learners leave within the first 30 seconds") % gone
    return _("%(percent)s of the learners watch to the end") % said


def title_of_items(
    difficulties: Sequence[float | None], discriminations: Sequence[float | None], responses: Sequence[int]
) -> str:
    """Say which question of a quiz needs a look most; None is one with too few answers.

    :raises ValueError: there is not one of each for each question.
    """
    if not len(difficulties) == len(discriminations) == len(responses):
        raise ValueError("each question has a difficulty, a discrimination and a number of responses")
    shown = [share for share in difficulties if share is not None]
    if not shown:
        return _("Too few answers to say how the questions work")
    given = enumerate(zip(discriminations, responses, strict=True), start=1)
    # A correlation of so few responses may well be below zero by chance: two standard errors are asked for.
    numbered = [
        (value, place) for place, (value, count) in given if value is not None and value < -2 / sqrt(max(1, count))
    ]
    if numbered:
        return _("Question %(number)d is answered better by those who otherwise know less") % {
            "number": min(numbered)[1]
        }
    share, place = min((share, place) for place, share in enumerate(difficulties, start=1) if share is not None)
    if share < HARD and len(shown) > 1:
        return _("Question %(number)d is the hardest: %(percent)s of its points are earned") % {
            "number": place,
            "percent": Percents().write(round(100 * share)),
        }
    if min(shown) >= EASY:
        return _("Nearly everyone answers every question right")
    return _("Learners earn %(percent)s of the points") % {"percent": Percents().write(round(100 * fmean(shown)))}


def say_discrimination(value: float | None) -> str:
    """Say in words how well a question tells those who know more from those who know less."""
    if value is None:
        return _("Not known yet")
    if value < 0:
        return _("The wrong way round: check the right answer and the wording")
    if value < WEAK:
        return _("Hardly tells learners apart")
    return _("Tells learners apart") if value < FAIR else _("Tells learners apart well")
