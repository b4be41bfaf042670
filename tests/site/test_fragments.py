"""Cached fragments of pages contain complete HTML, and no user gets the page of another user."""

import re
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client

from apps.accounts.models import User
from apps.courses.models import Course
from studyplatform.kit.caching import fragments
from studyplatform.kit.caching.lru import clear_caches
from tests.factories.courses import CourseFactory

pytestmark = pytest.mark.django_db

VOID = {"area", "br", "col", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}


class TagChecker(HTMLParser):
    """Finds the tags in an HTML fragment that are not closed, or closed without being opened."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.faults: list[str] = []
        self.feed(text)
        self.close()
        self.faults += [f"<{tag}> is not closed" for tag in self.open]

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        """Ignore a self-closing tag such as ``<use/>``."""

    def handle_endtag(self, tag: str) -> None:
        if self.open[-1:] == [tag]:
            self.open.pop()
        else:
            self.faults.append(f"</{tag}> closes nothing")


@pytest.fixture
def addresses(course: Course) -> list[str]:
    CourseFactory.create_batch(14, status="published")
    lesson = course.lessons.earliest("number")
    return [
        "/", "/courses/", "/courses/?q=rivers", f"/courses/{course.slug}", f"/learn/{course.slug}/{lesson.slug}",
        "/help/", "/auth/login", "/nowhere", "/me/enrollments", "/dashboard/instructor/",
    ]  # fmt: skip


def test_each_fragment_contains_complete_html(
    addresses, monkeypatch, browser_of: Callable[[User], Client], leo, ada, enrollment
):
    made: dict[str, str] = {}
    cached_fragment = fragments.cached_fragment

    def record_fragment(key: tuple[object, ...], make: Callable[[], str]) -> Any:
        made[str(key[0])] = str(make())
        return cached_fragment(key, make)

    monkeypatch.setattr(fragments, "cached_fragment", record_fragment)
    for browser in (Client(), browser_of(leo), browser_of(ada)):
        for address in addresses:
            browser.get(address)

    assert len(made) > 10
    assert {name: faults for name, text in made.items() if (faults := TagChecker(text).faults)} == {}


def test_a_cached_page_is_unchanged_and_belongs_to_its_user(
    addresses, browser_of: Callable[[User], Client], leo, ada, mia, enrollment
):
    people = {"visitor": None, "leo": leo, "ada": ada, "mia": mia}
    browsers = {name: browser_of(person) if person else Client() for name, person in people.items()}
    for address in addresses:
        cold = {}
        for name, browser in browsers.items():
            clear_caches()
            cold[name] = own_text(browser.get(address))
        warm = {name: own_text(browser.get(address)) for name, browser in browsers.items()}

        assert warm == cold, address
        for name, person in people.items():
            others = {other.email for other in people.values() if other and other != person}
            assert not [email for email in others if email in warm[name]], (address, name)


def own_text(answer: HttpResponse) -> str:
    """Return the page without the values that differ per response: nonce, masked CSRF token, request ID."""
    text = re.sub(r'nonce="[^"]*"|name="csrfmiddlewaretoken" value="[^"]*"', "", answer.content.decode())
    return text.replace(answer.headers.get("X-Request-ID", "no request id"), "")
