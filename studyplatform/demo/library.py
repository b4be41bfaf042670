"""Read the demo content: users and their activity, courses with their lessons, quizzes and videos.

Nothing here knows the database. What is malformed is refused with the file's name, so that an author
learns of a slip before a newcomer does.
"""

from __future__ import annotations

import random
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import av
import yaml

from studyplatform.kit.text.gaps import find_gaps

CONTENT = Path(__file__).resolve().parent / "content"
SUBJECTS = {
    "mathematics": "Mathematics",
    "statistics": "Statistics",
    "computing": "Computing",
    "physics": "Physics",
    "biology": "Biology",
    "earth-science": "Earth science",
    "astronomy": "Astronomy",
    "history": "History",
    "languages": "Languages",
    "writing": "Writing",
    "music": "Music",
    "art-and-design": "Art and design",
    "economics": "Economics",
}
READER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
T = TypeVar("T")


class Malformed(Exception):
    """A content file is invalid."""


@dataclass(frozen=True, kw_only=True)
class PersonText:
    email: str
    first_name: str
    last_name: str
    username: str
    role: str
    joined_days_ago: int
    headline: str = ""
    bio: str = ""
    time_zone: str = "UTC"


@dataclass(frozen=True, kw_only=True)
class RequestText:
    """A request to teach. With an answer it was declined a day later; without one it is open."""

    email: str
    reason: str
    days_ago: int
    answer: str = ""


@dataclass(frozen=True, kw_only=True)
class Activity:
    """One learner's progress in one course. Either ``percent_done`` or ``lessons_done`` is used."""

    email: str
    course: str
    days_ago: float = 1
    percent_done: int | None = None
    lessons_done: int | None = None
    stars: int | None = None
    review: str = ""
    reply: str = ""
    """What the instructor answered to the review."""
    bookmarked: bool = False

    @property
    def is_enrolled(self) -> bool:
        """False for a user who has only bookmarked the course."""
        return self.percent_done is not None or self.lessons_done is not None

    def lessons_of(self, total: int) -> int:
        """How many of ``total`` lessons are complete."""
        if self.lessons_done is not None:
            return min(self.lessons_done, total)
        return (self.percent_done or 0) * total // 100


@dataclass(frozen=True, kw_only=True)
class QuestionText:
    """A question in the columns of its row; see ``apps.courses.models.Question``."""

    kind: str
    prompt: str
    options: Any
    answer: dict[str, Any]
    explanation: str
    remarks: dict[str, str]
    rewatch_lesson: str = ""
    rewatch_at: int | None = None


@dataclass(frozen=True, kw_only=True)
class QuizText:
    pass_percent: int
    intro: str
    questions: tuple[QuestionText, ...]


@dataclass(frozen=True, kw_only=True)
class LessonText:
    """``seconds``: the duration of the video, or the time for reading or answering. ``chapters``: one a line."""

    slug: str
    title: str
    kind: str
    seconds: int
    summary: str
    preview: bool
    body: str
    quiz: QuizText | None
    film: Path | None
    captions: Path | None
    chapters: str
    attachment: Path | None


@dataclass(frozen=True, kw_only=True)
class SectionText:
    title: str
    lessons: tuple[LessonText, ...]


@dataclass(frozen=True, kw_only=True)
class CourseText:
    slug: str
    title: str
    subject: str
    instructor: str
    difficulty: str
    status: str
    pricing: str
    summary: str
    description: str
    outcomes: tuple[str, ...]
    before_you_begin: str
    sections: tuple[SectionText, ...]
    language: str = "en"
    announced: bool = False
    price: int = 0
    published_days_ago: int = 0
    prerequisites: tuple[str, ...] = ()
    requires_order: bool = False
    plate_variant: int = 0

    @property
    def lessons(self) -> tuple[LessonText, ...]:
        return tuple(lesson for section in self.sections for lesson in section.lessons)


@dataclass(frozen=True, kw_only=True)
class Subscriber:
    """A subscription to Premium. After ``fails_days_ago`` the card can't be charged."""

    email: str
    plan: str
    days_ago: float
    upgrades_days_ago: float = 0
    cancels_days_ago: float = 0
    fails_days_ago: float = 0


@dataclass(frozen=True, kw_only=True)
class Return:
    """A purchase, and what became of its price ``after_days``.

    ``outcome``: returned, granted, declined, waiting, partial or contested. ``amount``: of a partial refund, in minor
    units; ``verdict``: of the bank, won or lost; empty while it decides.
    """

    email: str
    course: str
    days_ago: float
    after_days: float
    outcome: str
    reason: str = ""
    answer: str = ""
    amount: int = 0
    verdict: str = ""


@dataclass(frozen=True, kw_only=True)
class Sales:
    """What was sold, beside the purchases that are the beginning of an activity."""

    subscribers: tuple[Subscriber, ...] = ()
    returns: tuple[Return, ...] = ()
    promo_codes: tuple[dict[str, Any], ...] = ()
    bundles: tuple[dict[str, Any], ...] = ()
    gifts: tuple[dict[str, Any], ...] = ()
    teams: tuple[dict[str, Any], ...] = ()
    payouts: tuple[dict[str, str], ...] = ()


@dataclass(frozen=True, kw_only=True)
class Library:
    people: tuple[PersonText, ...]
    requests: tuple[RequestText, ...]
    activity: tuple[Activity, ...]
    courses: tuple[CourseText, ...]
    sales: Sales = field(default_factory=Sales)


def read_library(content: Path = CONTENT) -> Library:
    """All content of the folder.

    :raises Malformed: a file is missing, unreadable, or names something that does not exist.
    """
    file = content / "people.yaml"
    known = load_yaml(file)
    people = tuple(make(PersonText, row, file) for row in known.get("people") or ())
    activity = tuple(make(Activity, row, file) for row in known.get("activity") or ())
    requests = tuple(make(RequestText, row, file) for row in known.get("requests") or ())
    courses = tuple(read_course(path.parent) for path in sorted(content.glob("courses/*/course.yaml")))
    sold = content / "sales.yaml"
    more = load_yaml(sold) if sold.exists() else {}
    customers = tuple(_customer(line, sold) for line in more.get("customers") or ())
    sales = Sales(
        subscribers=tuple(make(Subscriber, row, sold) for row in more.get("subscribers") or ()),
        returns=tuple(make(Return, row, sold) for row in more.get("returns") or ()),
        promo_codes=tuple(more.get("promo_codes") or ()),
        bundles=tuple(more.get("bundles") or ()),
        gifts=tuple(more.get("gifts") or ()),
        teams=tuple(more.get("teams") or ()),
        payouts=tuple(more.get("payouts") or ()),
    )
    library = Library(
        people=people + customers,
        requests=requests,
        activity=activity + _purchases(customers, courses, more.get("popularity") or {}, sales.returns),
        courses=courses,
        sales=sales,
    )
    _check_names(library, file)
    return library


def _customer(line: str, file: Path) -> PersonText:
    """A user from ``First Last, days since they joined, time zone``.

    :raises Malformed: it has another format.
    """
    try:
        name, days, zone = (part.strip() for part in line.split(","))
        first, last = name.split(" ", 1)
        joined = int(days)
    except (AttributeError, ValueError) as problem:
        raise Malformed(f"{file}: {line!r}") from problem
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return PersonText(
        email=f"{plain.replace(' ', '.')}@example.com",
        first_name=first,
        last_name=last,
        username=plain.replace(" ", "-"),
        role="student",
        time_zone=zone,
        joined_days_ago=joined,
    )


def _purchases(
    customers: tuple[PersonText, ...],
    courses: tuple[CourseText, ...],
    popularity: dict[str, int],
    returns: tuple[Return, ...],
) -> tuple[Activity, ...]:
    """What the customers learn; the first day of each is the day of the purchase. The same each time."""
    dice = random.Random("sales")  # noqa: S311 (the same purchases each time)
    published = {course.slug: course.published_days_ago for course in courses}
    given_back = {(one.email, one.course) for one in returns}
    found = []
    for person in customers:
        for slug, chance in popularity.items():
            latest = min(person.joined_days_ago, published[slug]) - 25
            days, done = dice.uniform(0.2, max(latest, 1.0)), dice.choice([0, 0, 0, 15, 30, 45, 60, 100])
            if dice.randrange(100) < chance and latest > 0 and (person.email, slug) not in given_back:
                found.append(Activity(email=person.email, course=slug, days_ago=round(days, 2), percent_done=done))
    return tuple(found)


def read_course(folder: Path) -> CourseText:
    """One course from its folder, which is named for its slug.

    :raises Malformed: see ``read_library``.
    """
    file = folder / "course.yaml"
    row = load_yaml(file)
    sections = tuple(
        SectionText(title=part["title"], lessons=tuple(_lesson(each, folder) for each in part["lessons"]))
        for part in row.pop("sections", None) or ()
    )
    for name in ("outcomes", "prerequisites"):
        row[name] = tuple(row.get(name) or ())
    for name in ("summary", "description", "before_you_begin"):
        row[name] = _unwrapped(row.get(name) or "")
    course = make(CourseText, {**row, "slug": folder.name, "sections": sections}, file)
    kinds = {lesson.slug: lesson.kind for lesson in course.lessons}
    for lesson in course.lessons:
        for question in lesson.quiz.questions if lesson.quiz else ():
            target = question.rewatch_lesson
            if target and (target not in kinds or (question.rewatch_at is not None and kinds[target] != "video")):
                raise Malformed(
                    f"{file}: {lesson.slug} sends learners back to {target}, which doesn't exist or is not a video"
                )
    if len({lesson.slug for lesson in course.lessons}) < len(course.lessons):
        raise Malformed(f"{file}: two lessons have the same slug")
    return course


def _unwrapped(text: str) -> str:
    """Paragraphs in one line each: the studio's text field shows the line breaks of the file otherwise."""
    return re.sub(r"(?<=\S)\n(?=[^\s>#|*+\-\d])", " ", text.strip())


def _lesson(row: dict[str, Any], folder: Path) -> LessonText:
    slug, kind = row["slug"], row["kind"]
    text, film = folder / f"{slug}.md", folder / f"{slug}.mp4"
    body = text.read_text(encoding="utf-8").strip() if text.exists() else ""
    if kind == "text" and not body:
        raise Malformed(f"{text} is missing")
    seconds = int(row.get("minutes", 0)) * 60
    if kind == "video":
        seconds = round(film_seconds(film))
    captions = folder / f"{slug}.en.vtt"
    attachment = next((path for path in sorted(folder.glob(f"{slug}.*")) if path.suffix != ".md"), None)
    if kind == "file" and attachment is None:
        raise Malformed(f"{folder / slug} has no file to download")
    return LessonText(
        slug=slug,
        title=row["title"],
        kind=kind,
        seconds=seconds,
        summary=row.get("summary") or "",
        preview=bool(row.get("preview", False)),
        body=body,
        quiz=_quiz(folder / f"{slug}.quiz.yaml") if kind == "quiz" else None,
        film=film if kind == "video" else None,
        captions=captions if kind == "video" and captions.exists() else None,
        chapters="\n".join(row.get("chapters", ())),
        attachment=attachment if kind == "file" else None,
    )


def film_seconds(path: Path) -> float:
    """The duration of a video in seconds, from its header.

    :raises Malformed: it is missing or no film.
    """
    try:
        with av.open(str(path)) as film:
            return (film.duration or 0) / av.time_base
    except (av.FFmpegError, OSError) as problem:
        raise Malformed(f"{path}: {problem}") from problem


def _quiz(file: Path) -> QuizText:
    row = load_yaml(file)
    try:
        questions = tuple(_question(each) for each in row["questions"])
    except (KeyError, TypeError, ValueError) as problem:
        raise Malformed(f"{file}: {problem!r}") from problem
    return QuizText(
        pass_percent=int(row.get("pass_percent", 70)), intro=(row.get("intro") or "").strip(), questions=questions
    )


def _question(row: dict[str, Any]) -> QuestionText:
    options, answer = _SHAPES[row["kind"]](row)
    rewatch = row.get("rewatch") or {}
    return QuestionText(
        kind=row["kind"],
        prompt=str(row["prompt"]).strip(),
        options=options,
        answer=answer,
        explanation=str(row["explanation"]).strip(),
        remarks={str(key): str(value) for key, value in (row.get("remarks") or {}).items()},
        rewatch_lesson=rewatch.get("lesson", ""),
        rewatch_at=rewatch.get("at"),
    )


def _listed(options: dict[Any, Any]) -> list[dict[str, str]]:
    return [{"id": str(key), "text": str(value)} for key, value in options.items()]


def _known(options: dict[Any, Any], *chosen: Any) -> list[str]:
    """
    :raises ValueError: an answer names no option.
    """
    if unknown := {str(one) for one in chosen} - {str(key) for key in options}:
        raise ValueError(f"no such options: {sorted(unknown)}")
    return [str(one) for one in chosen]


def _ordering(row: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    order = _known(row["options"], *row["answer"])
    if len(set(order)) != len(row["options"]):
        raise ValueError("an order names every step once")
    return _listed(row["options"]), {"ids": order}


def _matching(row: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    left = _known(row["left"], *row["pairs"])
    right = _known(row["right"], *row["pairs"].values())
    if len(left) != len(row["left"]):
        raise ValueError("every line on the left has a partner")
    options = {"left": _listed(row["left"]), "right": _listed(row["right"])}
    return options, {"pairs": dict(zip(left, right, strict=True))}


def _gaps(row: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Fields in the order of the marks: with ``choices`` (the right one first), ``accepted`` or ``answer``.

    :raises ValueError: a mark has no field, or a field no mark.
    """
    fields = {int(number): field for number, field in row["gaps"].items()}
    marks = find_gaps(str(row["prompt"]))
    if sorted(marks) != sorted(fields):
        raise ValueError("every gap is marked once in the prompt")
    options, key = [], {}
    for number in marks:
        field = fields[number]
        kind = "single" if "choices" in field else "text" if "accepted" in field else "numeric"
        if kind == "single":
            choices = sorted(map(str, field["choices"]))
            right = "abcdefghijkl"[choices.index(str(field["choices"][0]))]
            field = {"options": dict(zip("abcdefghijkl", choices, strict=False)), "answer": right}
        shown, answer = _SHAPES[kind](field)
        options.append({"number": number, "kind": kind, "points": 1, "options": shown})
        key[str(number)] = answer
    return {"gaps": options}, {"gaps": key}


_SHAPES: dict[str, Callable[[dict[str, Any]], tuple[Any, dict[str, Any]]]] = {
    "single": lambda row: (_listed(row["options"]), {"id": _known(row["options"], row["answer"])[0]}),
    "multiple": lambda row: (_listed(row["options"]), {"ids": _known(row["options"], *row["answer"])}),
    "truth": lambda row: ([], {"value": bool(row["answer"])}),
    "numeric": lambda row: (
        {"unit": str(row.get("unit") or "")},
        {"value": float(row["answer"]), "tolerance": float(row.get("tolerance") or 0)},
    ),
    "text": lambda row: ([], {"accepted": [str(one) for one in row["accepted"]]}),
    "ordering": _ordering,
    "matching": _matching,
    "gaps": _gaps,
    "essay": lambda row: ({"limit": int(row["limit"])}, {}),
}


def load_yaml(file: Path) -> dict[str, Any]:
    """A content file.

    :raises Malformed: it is missing, unreadable or empty.
    """
    try:
        row = yaml.load(file.read_text(encoding="utf-8"), READER)  # noqa: S506 (a safe loader, in C where there is one)
    except (OSError, yaml.YAMLError) as problem:
        raise Malformed(f"{file}: {problem}") from problem
    if not isinstance(row, dict):
        raise Malformed(f"{file} is empty")
    return row


def make(kind: Callable[..., T], row: dict[str, Any], file: Path) -> T:
    """A dataclass from a row of a file.

    :raises Malformed: the row lacks a field, or has one that is unknown.
    """
    try:
        return kind(**row)
    except TypeError as problem:
        raise Malformed(f"{file}: {problem}") from problem


def _check_names(library: Library, file: Path) -> None:
    emails = {person.email for person in library.people}
    slugs = {course.slug for course in library.courses}
    for course in library.courses:
        if course.instructor not in emails:
            raise Malformed(f"{course.slug}: no person has the email {course.instructor}")
        if course.subject not in SUBJECTS:
            raise Malformed(f"{course.slug}: there is no subject {course.subject}")
        if unknown := set(course.prerequisites) - slugs:
            raise Malformed(f"{course.slug}: no such prerequisites: {sorted(unknown)}")
    for request in library.requests:
        if request.email not in emails:
            raise Malformed(f"{file}: no person has the email {request.email}")
    sales = library.sales
    buyers = [one.email for one in sales.subscribers] + [one.email for one in sales.returns]
    for email in buyers + [email for team in sales.teams for email in team["members"]]:
        if email not in emails:
            raise Malformed(f"sales.yaml: no person has the email {email}")
    for line in library.activity:
        if line.email not in emails or line.course not in slugs:
            raise Malformed(f"{file}: {line.email} in {line.course}: no such person or course")


__all__ = [
    "CONTENT",
    "SUBJECTS",
    "Activity",
    "CourseText",
    "LessonText",
    "Library",
    "Malformed",
    "PersonText",
    "QuestionText",
    "QuizText",
    "RequestText",
    "Return",
    "Sales",
    "SectionText",
    "Subscriber",
    "film_seconds",
    "load_yaml",
    "make",
    "read_course",
    "read_library",
]
