"""Every address of the specification (tests/data/routes.csv) as every kind of person: who gets in, who is led
where."""

import csv
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client
from django.utils import timezone

from apps.accounts.models import BrowserSession, User
from apps.courses.models import Course, Lesson
from apps.learning.models import Enrollment

pytestmark = pytest.mark.django_db

# Addresses that later issues bring. This list may only shrink: a test fails when one of them has arrived.
LATER = {
    "/api/demo-names",
    "/api/demo-tq-todos",
    "/api/mcp-todos",
    "/auth/oauth/callback",
    "/billing/methods",
    "/billing/renew",
    "/billing/subscriptions",
    "/billing/transactions",
    "/chat/",
    "/dashboard/admin/forum",
    "/dashboard/instructor/analytics/",
    "/dashboard/instructor/earnings/",
    "/dashboard/instructor/forum",
    "/dashboard/instructor/messages/",
    "/dashboard/instructor/students/",
    "/demo/form/address",
    "/demo/form/simple",
    "/demo/mcp-todos",
    "/demo/start/api-request",
    "/demo/start/server-funcs",
    "/demo/tanstack-query",
    "/files/",
    "/forum/",
    "/forum/posts/{postId}",
    "/forum/topics/{topicId}",
    "/mcp",
    "/me/dashboard",
    "/offline",
    "/payment-error",
    "/payment-success",
    "/settings/",
    "/settings/billing",
    "/settings/storage",
}
PEOPLE = ["visitor", "expired", "ben", "mia", "leo", "ada", "eve", "sam"]
OUT = {"visitor", "expired", "ben"}  # ben is blocked while he is signed in
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
        """Who gets in."""
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
def browsers(
    browser_of: Callable[[User], Client], ada: User, eve: User, leo: User, mia: User, sam: User, ben: User
) -> dict[str, Client]:
    """A browser for each of the people. Ben and one more were signed in, and are not any longer."""
    ben.is_active = True
    ben.save()
    made = {"visitor": Client(), "expired": browser_of(mia), "ben": browser_of(ben)}
    BrowserSession.objects.of(mia).update(expire_date=timezone.now() - timedelta(seconds=1))
    ben.is_active = False
    ben.save()
    return made | {
        name: browser_of(user) for name, user in {"mia": mia, "leo": leo, "ada": ada, "eve": eve, "sam": sam}.items()
    }


@pytest.fixture
def address(course: Course, seat: Enrollment) -> Callable[[str], str]:
    """An address of the table with the course and a lesson that is no preview filled in."""
    lesson = Lesson.objects.filter(course=course, is_preview=False).first()
    assert lesson

    def fill(path: str) -> str:
        return (path + QUERIES.get(path, "")).format(courseId=course.slug, lectureId=lesson.slug, topicId=1, postId=1)

    return fill


def outcome(browser: Client, address: str) -> str:
    """What happened, in one word. Both spellings of an address lead to the same page."""
    answer = browser.get(address)
    while answer.status_code == 301:
        answer = browser.get(answer["Location"])
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


@pytest.mark.parametrize("row", [row for row in rows() if row.path not in LATER], ids=lambda row: row.path)
def test_each_person_gets_where_they_belong(
    row: Row, browsers: dict[str, Client], address: Callable[[str], str]
) -> None:
    there = address(row.path)
    found = {person: outcome(browsers[person], there) for person in PEOPLE}

    assert found == {person: row.outcome_for(person) for person in PEOPLE}


@pytest.mark.parametrize("path", sorted(LATER))
def test_what_is_later_is_not_here_yet(
    path: str, sam: User, browser_of: Callable[[User], Client], address: Callable[[str], str]
) -> None:
    answer = browser_of(sam).get(address(path), follow=True)

    assert answer.status_code == 404, "it has arrived: take it off the list"


def test_the_table_has_something_to_judge() -> None:
    assert len(rows()) > 50
    assert {row.path for row in rows()} >= LATER
    assert {row.outcome_for(person) for row in rows() for person in PEOPLE} == {"in", "sign in", "home", "enroll first"}
