"""Every address of the specification (tests/data/routes.csv) as every kind of user: who is allowed, who is
redirected where."""

import csv
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client

from apps.courses.models import Course, Lesson
from apps.learning.models import Enrollment
from tests.factories.topics import make_topic

pytestmark = pytest.mark.django_db

PEOPLE = ["visitor", "expired", "ben", "mia", "leo", "ada", "eve", "sam"]
HTML = {"Accept": "text/html,*/*"}  # as browsers: /mcp asks others for a token
OUT = {"visitor", "expired", "ben"}  # ben was blocked while signed in
TEACHING = {"ada", "eve", "sam"}
STAFF = {"ada", "sam"}  # of the course: its instructor, and admins
QUERIES = {
    "/courses/enroll": "?course={courseId}",
    "/course/lessons": "?course={courseId}",
    "/audio-fallback": "?lesson={lectureId}",
}


@dataclass(frozen=True)
class Row:
    path: str
    who: str

    @property
    def open_to(self) -> set[str]:
        """The users who are allowed."""
        everyone = set(PEOPLE)
        match self.who.split(",")[0]:
            case "everyone" | "bearer token":
                return everyone
            case "signed-in":
                return everyone - OUT
            case "instructor or admin":
                return TEACHING
            case "course staff":
                return STAFF
            case "admin":
                return {"sam"}
            case "enrolled" if "course staff" in self.who:
                return {"leo"} | STAFF
            case "as the lesson":
                return {"leo"} | STAFF
            case "enrolled":
                return {"leo"}
        raise AssertionError(f"nobody knows who may open {self.path}: {self.who}")

    def outcome_for(self, person: str) -> str:
        if person in self.open_to:
            return "in"
        if person in OUT:
            return "sign in"
        return "enroll first" if self.who.startswith(("enrolled", "as the lesson")) else "home"


def rows() -> list[Row]:
    with (Path(__file__).parents[1] / "data" / "routes.csv").open(newline="") as table:
        return [Row(line["path"], line["who"]) for line in csv.DictReader(table)]


@pytest.fixture
def address(course: Course, enrollment: Enrollment) -> Callable[[str], str]:
    """An address of the table, filled in with the course and a lesson that is no preview."""
    lesson = Lesson.objects.filter(course=course, is_preview=False).first()
    assert lesson
    topic = make_topic()
    post = topic.posts.get()

    def fill(path: str) -> str:
        names = {"courseId": course.slug, "lectureId": lesson.slug, "topicId": topic.pk, "postId": post.pk}
        return (path + QUERIES.get(path, "")).format(**names)

    return fill


def outcome(browser: Client, address: str) -> str:
    """The outcome in one word. An address with and without a final slash leads to the same page."""
    answer = browser.get(address, headers=HTML)
    while answer.status_code == 301:
        answer = browser.get(answer["Location"], headers=HTML)
    if answer.status_code == 200:
        return "in"
    if answer.status_code == 403 and b'data-error="ENROLLMENT_REQUIRED"' in answer.content:
        return "enroll first"
    if answer.status_code == 302:
        target = urlsplit(answer["Location"])
        if target.path == "/auth/login":
            back = parse_qs(target.query)["next"][0]
            asked, led = urlsplit(address), urlsplit(back)
            same = (led.path.rstrip("/"), led.query) == (asked.path.rstrip("/"), asked.query)
            return "sign in" if same else f"sign in, but then to {back}"
        return "home" if target.path == "/" else "in"
    return str(answer.status_code)


@pytest.mark.parametrize("person", PEOPLE)
def test_each_role_reaches_only_its_pages(
    person: str, browser_as: Callable[[str], Client], address: Callable[[str], str]
) -> None:
    browser = browser_as(person)
    wrong = {}
    for row in rows():
        if person in {"expired", "ben"} and "visitor" in row.open_to and row.path != "/":
            continue  # they are visitors, and the visitor opens all of these
        there, expected = address(row.path), row.outcome_for(person)
        found = outcome(browser, there)
        if found != expected:
            wrong[row.path] = f"{found}, not {expected}"

    assert wrong == {}


@pytest.mark.parametrize("person", PEOPLE)
def test_visitor_opens_a_preview_lesson(person: str, browser_as: Callable[[str], Client], course: Course) -> None:
    lesson = course.lessons.all()[0]
    lesson.is_preview = True
    lesson.save()

    assert outcome(browser_as(person), f"/learn/{course.slug}/{lesson.slug}") == "in"


def test_the_table_has_pages_to_check() -> None:
    assert len(rows()) > 50
    assert {row.outcome_for(person) for row in rows() for person in PEOPLE} == {"in", "sign in", "home", "enroll first"}
