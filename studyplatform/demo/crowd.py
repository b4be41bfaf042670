"""Half a year of learners, told without a database: who they are, and what each did in a course, minute by minute.

Dice with a fixed seed, so that the same day gets the same half year. The shapes are what matters: videos lose people in
the first seconds and at one hard place, a lesson stops more people than the others, quizzes have easy questions and
hard ones, wrong answers have favorites, and at any time some learners are at risk in each way there is.
"""

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

HALF_YEAR_DAYS = 182
FIRST_NAMES = (
    "Aino Bela Cleo Dana Edda Faye Gil Hugo Ilse Jonas Kaja Lior Mara Nilo Oona Pia Quinn Remy Sanne Tariq Uma Vera "
    "Wanda Xenia Yara Zeno Amadou Bryn Chiara Dov Eero Farah"
)
LAST_NAMES = (
    "Abel Bakker Castell Duarte Engel Farkas Gomez Hale Ivanov Jansen Kato Larsen Moreau Novak Osei Petrov Quist Rossi "
    "Silva Tamm Ueda Vasquez Weber Xu Yilmaz Zeller Almeida Brandvold"
)
LEAVES_EARLY = 0.35
"""Of those who leave a video, within its first seconds."""
SKIPS_STRETCH = 0.3
"""Of those who complete a video that has a stretch which many jump over."""
SEEKS = 0.75
"""Of those who leave a video that has something to look for."""
HARD_PLACE = (0.55, 0.66)
"""Of the length of a video: where most others leave it."""
PASSES_AGAIN_AFTER = timedelta(hours=20)  # between two attempts
MAX_ATTEMPTS = 3
SKIPS_QUESTION = 0.04
STEEPNESS = 1.4
"""How sharply a question tells apart who can answer it."""


class Fate(StrEnum):
    """How a learner gets on. The last four are at risk today, each in one way."""

    USUAL = "usual"
    QUIET = "quiet"
    STUCK = "stuck"
    FAILING = "failing"
    SLOW_START = "slow_start"


@dataclass(frozen=True, kw_only=True)
class Part:
    """A lesson. ``leave``: which share of those who begin it get no further. ``hardness`` and ``points``: of each
    question. ``skipped`` and ``sought``: from where to where, as shares of a video, many jump over it, or many of those
    who leave look for something."""

    kind: str
    seconds: int
    leave: float = 0.02
    skipped: tuple[float, float] | None = None
    sought: tuple[float, float] | None = None
    hardness: tuple[float, ...] = ()
    points: tuple[int, ...] = ()
    pass_percent: int = 70


@dataclass
class Try:
    """An attempt at a quiz: which questions are right, wrong (with dice for which wrong answer) or left out."""

    started_at: datetime
    submitted_at: datetime
    marks: list[float | None]
    """1 for a right answer, a number below 1 for a wrong one (which one it says), None for none."""


@dataclass
class Visit:
    """What somebody did in one lesson."""

    index: int
    started_at: datetime
    last_at: datetime
    completed_at: datetime | None = None
    watched: list[list[int]] = field(default_factory=list)
    seconds: int = 0
    """That were spent on it: watched, read or answered."""
    tries: list[Try] = field(default_factory=list)


@dataclass
class Story:
    """One learner in one course."""

    enrolled_at: datetime
    ability: float
    visits: list[Visit] = field(default_factory=list)
    returned_at: datetime | None = None
    """When they were there last without anything new: they opened again what they are stuck at."""

    @property
    def last_at(self) -> datetime:
        return max([self.enrolled_at, *(visit.last_at for visit in self.visits), *filter(None, [self.returned_at])])

    def is_finished(self, lessons: int) -> bool:
        return len(self.visits) == lessons and all(visit.completed_at for visit in self.visits)


def make_dice(seed: str) -> random.Random:
    return random.Random(seed)  # noqa: S311 (the same half year each time, no secret)


def make_names(count: int) -> Iterator[tuple[str, str]]:
    """Yield different pairs of first and last names."""
    pairs = [(first, last) for first in FIRST_NAMES.split() for last in LAST_NAMES.split()]
    yield from make_dice("names").sample(pairs, count)


def pick_enrollment(dice: random.Random, now: datetime) -> datetime:
    """Return a moment of the half year: more of them recently, most in the evening, more on Sundays than on Fridays."""
    days = HALF_YEAR_DAYS * dice.random() ** 1.35
    day = now - timedelta(days=days)
    if day.weekday() == 4 and dice.random() < 0.5:
        day += timedelta(days=2)
    moment = day.replace(hour=dice.choice((7, 12, 17, 18, 19, 19, 20, 20, 21)), minute=dice.randrange(60), second=0)
    return min(moment, now - timedelta(hours=1))


def tell(parts: Sequence[Part], fate: Fate, enrolled_at: datetime, dice: random.Random, *, now: datetime) -> Story:
    """Return what a learner did in a course until now."""
    ability = dice.gauss(0.3, 1.0)
    match fate:
        case Fate.SLOW_START:
            return _tell_slow_start(parts, ability, dice, now)
        case Fate.STUCK | Fate.FAILING:
            return _tell_until(parts, fate, ability, dice, now)
        case _:
            return _tell_usual(parts, fate, enrolled_at, ability, dice, now)


def _tell_usual(
    parts: Sequence[Part], fate: Fate, enrolled_at: datetime, ability: float, dice: random.Random, now: datetime
) -> Story:
    """From lesson to lesson until the end, today, or the lesson in which they stop."""
    story = Story(enrolled_at, ability)
    moment = enrolled_at + timedelta(minutes=dice.randrange(2, 50))
    stop_at = dice.randrange(1, max(2, len(parts) - 1)) if fate is Fate.QUIET else None
    for index, part in enumerate(parts):
        if moment >= now - timedelta(hours=2):
            break
        leaves = index == stop_at or dice.random() < part.leave
        visit = _visit(part, index, moment, ability, dice, leaves=leaves)
        if visit.last_at >= now - timedelta(minutes=10):
            break
        story.visits.append(visit)
        if visit.completed_at is None:
            break
        moment = visit.last_at + _pause(dice)
    return story


def _pause(dice: random.Random) -> timedelta:
    """Until the next lesson: the same evening, or some days."""
    if dice.random() < 0.45:
        return timedelta(minutes=dice.randrange(3, 40))
    return timedelta(hours=min(9 * 24, 30 * math.exp(dice.gauss(0, 0.7))))


def _tell_slow_start(parts: Sequence[Part], ability: float, dice: random.Random, now: datetime) -> Story:
    """Enrolled a good week ago, looked at the first lesson, completed nothing."""
    enrolled_at = now - timedelta(days=dice.uniform(8, 12.5))
    story = Story(enrolled_at, ability)
    if dice.random() < 0.7:
        story.visits.append(_visit(parts[0], 0, enrolled_at + timedelta(minutes=9), ability, dice, leaves=True))
    return story


def _tell_until(parts: Sequence[Part], fate: Fate, ability: float, dice: random.Random, now: datetime) -> Story:
    """Completed everything up to the hardest lesson, or to a quiz, and can't get past it."""
    if fate is Fate.FAILING:
        end = dice.choice([index for index, part in enumerate(parts) if part.kind == "quiz"])
        begun_at = now - timedelta(days=dice.uniform(3, 9))
    else:
        end = max(range(len(parts)), key=lambda index: (parts[index].leave, -index))
        begun_at = now - timedelta(days=dice.uniform(8, 12))
    times = [begun_at]
    for _part in range(end):
        times.append(times[-1] - timedelta(hours=dice.choice((1, 22, 25, 47)), minutes=dice.randrange(59)))
    times.reverse()
    story = Story(times[0] - timedelta(minutes=20), ability)
    for index in range(end):
        visit = _visit(parts[index], index, times[index], 3.0, dice, leaves=False)
        story.visits.append(visit)
    last = _visit(parts[end], end, times[end], -3.0, dice, leaves=True, fails=fate is Fate.FAILING)
    story.visits.append(last)
    if fate is Fate.STUCK:
        story.returned_at = now - timedelta(days=dice.uniform(0.5, 4))
    return story


def _visit(
    part: Part, index: int, at: datetime, ability: float, dice: random.Random, *, leaves: bool, fails: bool = False
) -> Visit:
    if part.kind == "quiz":
        return _take(part, index, at, ability, dice, leaves=leaves and not fails)
    visit = Visit(index, at, at)
    if part.kind == "video":
        visit.watched = _leave(part, dice) if leaves else _watch(part, dice)
        visit.seconds = sum(end - begin for begin, end in visit.watched)
    else:
        visit.seconds = round(part.seconds * dice.uniform(0.5, 1.6) * (0.3 if leaves else 1))
    visit.last_at = at + timedelta(seconds=visit.seconds * dice.uniform(1, 1.5) + 5)
    visit.completed_at = None if leaves else visit.last_at
    return visit


def _watch(part: Part, dice: random.Random) -> list[list[int]]:
    """What is watched of a video by somebody who completes it: nine tenths at least."""
    length = part.seconds
    if part.skipped is not None and dice.random() < SKIPS_STRETCH:
        begin = round(length * part.skipped[0])
        return [[0, begin], [begin + max(1, int(length * (part.skipped[1] - part.skipped[0]))), length]]
    kind = dice.random()
    if kind < 0.6:
        return [[0, length]]
    if kind < 0.74:  # straight to the matter
        return [[dice.randrange(1, max(2, length // 14)), length]]
    if kind < 0.9:  # the end is greetings
        return [[0, length - dice.randrange(1, max(2, length // 12))]]
    begin = round(length * dice.uniform(0.2, 0.45))
    return [[0, begin], [begin + max(1, length // 13), length]]


def _leave(part: Part, dice: random.Random) -> list[list[int]]:
    """What is watched of a video by somebody who leaves it."""
    length = part.seconds
    if part.sought is not None and dice.random() < SEEKS:
        return [[0, dice.randrange(2, 12)], [round(length * share) for share in part.sought]]
    if dice.random() < LEAVES_EARLY:
        return [[0, min(length, dice.randrange(2, 15))]]
    place = dice.uniform(*HARD_PLACE) if dice.random() < 0.7 else dice.uniform(0.2, 0.85)
    return [[0, max(16, round(length * place))]] if length > 20 else [[0, length // 2]]


def _take(part: Part, index: int, at: datetime, ability: float, dice: random.Random, *, leaves: bool) -> Visit:
    """Attempts until one is passed; who leaves opens the quiz and no more."""
    visit = Visit(index, at, at + timedelta(minutes=1))
    if leaves:
        return visit
    for number in range(MAX_ATTEMPTS):
        started_at = at + number * PASSES_AGAIN_AFTER + timedelta(minutes=number * 7)
        submitted_at = started_at + timedelta(seconds=part.seconds * dice.uniform(0.5, 1.3))
        marks = [_answer(ability + 0.5 * number, hardness, dice) for hardness in part.hardness]
        visit.tries.append(Try(started_at, submitted_at, marks))
        visit.seconds += round((submitted_at - started_at).total_seconds())
        visit.last_at = submitted_at
        earned = sum(points for points, mark in zip(part.points, marks, strict=True) if mark == 1)
        if earned * 100 >= part.pass_percent * sum(part.points):
            visit.completed_at = submitted_at
            break
        if number and ability < -2:
            break
    return visit


def _answer(ability: float, hardness: float, dice: random.Random) -> float | None:
    if dice.random() < SKIPS_QUESTION:
        return None
    chance = 1 / (1 + math.exp(-STEEPNESS * (ability - hardness)))
    return 1.0 if dice.random() < chance else dice.random() * 0.999
