"""Every page, in every look, wide and narrow: nothing that axe objects to, nothing that fails, nothing cut off."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import pytest
from playwright.sync_api import ConsoleMessage, Page, Request, Response, ViewportSize, expect

from tests.e2e.conftest import LOOKS, until, violations

pytestmark = pytest.mark.e2e

STUDIO = "/dashboard/instructor/courses/linear-algebra-geometrically"
PREPARED = ":root:has(.stage__poster) a.lesson--now"  # the lesson's own row, once its film is there
CERTIFICATE = "a[href^='/certificates/']:not([href$=pdf])"
LESSONS = "/learn/linear-algebra-geometrically"


class Stop(NamedTuple):
    """A page to stop at: who goes there, where, what the server says, the link to follow, what comes late."""

    who: str
    address: str
    status: int = 200
    link: str = ""
    shows: str = ""


PAGES = {
    "home": Stop("", "/"),
    "home of a student": Stop("student", "/"),
    "catalogue": Stop("", "/courses/"),
    "catalogue filtered": Stop("student", "/courses/?difficulty=beginner&sort=title"),
    "search": Stop("", "/courses/?q=algebra"),
    "search without result": Stop("", "/courses/?q=zyzzyva"),
    "course as a visitor": Stop("", "/courses/linear-algebra-geometrically"),
    "course enrolled": Stop("student", "/courses/linear-algebra-geometrically"),
    "course to pay": Stop("student", "/courses/how-compilers-think"),
    "course unknown": Stop("", "/courses/no-such-course", 404),
    "sign in": Stop("", "/auth/login"),
    "register": Stop("", "/auth/register"),
    "verify email": Stop("", "/auth/verify-email"),
    "forgot password": Stop("", "/auth/forgot-password"),
    "password reset expired": Stop("", "/auth/reset-password/00000000-0000-0000-0000-000000000000/old", 410),
    "my learning": Stop("student", "/me/enrollments"),
    "my learning empty": Stop("instructor", "/me/enrollments"),
    "my courses": Stop("student", "/me/courses"),
    "lesson to watch": Stop("student", f"{LESSONS}/a-matrix-moves-the-plane", link=PREPARED, shows="video"),
    "lesson to read": Stop("student", f"{LESSONS}/arrows-and-recipes"),
    "lesson with a quiz": Stop("student", "/learn/a-year-in-a-hedgerow/check-twigs-and-flowers"),
    "lesson with a file": Stop("admin", "/learn/statistics-for-curious-people/sixty-journeys"),
    "lesson not enrolled": Stop("student", "/learn/harmony-by-ear/endings", 403),
    "lesson to listen to": Stop("student", f"{LESSONS}/a-matrix-moves-the-plane", link="a[href^='/audio-fallback']"),
    "course progress": Stop("student", "/me/course/linear-algebra-geometrically/progress"),
    "course lessons": Stop("student", "/course/lessons?course=linear-algebra-geometrically"),
    "certificate check": Stop("", "/certificates/"),
    "certificate": Stop(
        "student", "/me/course/a-year-in-a-hedgerow/progress", link="a[href^='/certificates/']:not([href$=pdf])"
    ),
    "certificate unknown": Stop("", "/certificates/AAAAAAAAAAAA", 404),
    "enroll": Stop("student", "/courses/enroll?course=harmony-by-ear"),
    "instructor home": Stop("instructor", "/dashboard/instructor/"),
    "instructor courses": Stop("instructor", "/dashboard/instructor/courses/"),
    "instructor new course": Stop("instructor", "/dashboard/instructor/courses/new"),
    "instructor edit": Stop("instructor", f"{STUDIO}/edit"),
    "instructor lectures": Stop("instructor", f"{STUDIO}/lectures"),
    "instructor video lesson": Stop("instructor", f"{STUDIO}/lectures/a-matrix-moves-the-plane"),
    "instructor text lesson": Stop("instructor", f"{STUDIO}/lectures/arrows-and-recipes"),
    "instructor quiz": Stop("instructor", f"{STUDIO}/lectures/check-arrows-and-grids"),
    "instructor new question": Stop("instructor", f"{STUDIO}/lectures/check-arrows-and-grids/questions/new"),
    "instructor upload": Stop("instructor", "/dashboard/instructor/upload/", shows="input[type=file]"),
    "admin home": Stop("admin", "/dashboard/admin/"),
    "admin review": Stop("admin", "/dashboard/admin/courses/cells-from-membrane-to-signal/review"),
    "help": Stop("", "/help/"),
    "help on formats": Stop("", "/help/supported-formats"),
    "help on compression": Stop("", "/help/video-compression"),
    "help on teaching": Stop("", "/help/teaching"),
    "help on learning": Stop("", "/help/learning"),
    "help on an error": Stop("", "/help/errors/UPLOAD_QUOTA_EXCEEDED"),
    "accessibility": Stop("", "/accessibility"),
    "terms": Stop("", "/terms"),
    "privacy": Stop("", "/privacy"),
    "status": Stop("", "/status"),
    "not found": Stop("", "/nowhere", 404),
    "still to come": Stop("student", "/chat/", 404),
}
WIDE, NARROW = ViewportSize(width=1440, height=900), ViewportSize(width=360, height=740)
# What differs between the looks: colors and the sizes of letters. The rest is asked once.
OF_LOOKS = "{runOnly: {type: 'rule', values: ['color-contrast', 'link-in-text-block', 'target-size']}}"
# Colors that are on their way to the next are nobody's.
SETTLED = "document.getAnimations().filter((one) => one instanceof CSSTransition).forEach((one) => one.finish())"
OVERFLOWING = """() => {
  const wide = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= wide) return [];
  return [...document.querySelectorAll('body *')].filter((e) => e.getBoundingClientRect().right > wide + 1)
    .map((e) => e.tagName + '.' + e.className).slice(0, 5);
}"""


@contextmanager
def nothing_fails(page: Page, status: int) -> Iterator[None]:
    """Collect what a developer would see in red. The page's own answer may be the refusal that is expected."""
    seen: list[str] = []

    def on_console(message: ConsoleMessage) -> None:
        is_own_answer = status >= 400 and message.location["url"] == page.url
        if message.type in {"error", "warning"} and not is_own_answer:
            seen.append(f"console: {message.text}")

    def on_response(response: Response) -> None:
        expected = status if response.request.is_navigation_request() else 0
        if response.status >= 400 and response.status != expected:
            seen.append(f"{response.status} {response.url}")

    page.on("console", on_console)
    page.on("response", on_response)
    page.on("pageerror", lambda error: seen.append(f"script: {error}"))

    def on_failure(request: Request) -> None:
        # What the browser itself breaks off did not fail: of a film what it does not need yet, the tab's
        # icon or a token's renewal when the page is left meanwhile. An unanswered request has other names.
        if request.failure != "net::ERR_ABORTED":
            seen.append(f"failed: {request.url} {request.failure}")

    page.on("requestfailed", on_failure)
    yield
    assert not seen, "\n".join(seen)


def wear(page: Page, theme: str, style: str) -> None:
    """Choose a look as another tab would."""
    page.evaluate(
        """([theme, style]) => {
          localStorage.setItem('study.theme', theme);
          localStorage.setItem('study.style', style);
          dispatchEvent(new StorageEvent('storage', {key: 'study.theme'}));
        }""",
        [theme, style],
    )
    expect(page.locator(f"html.theme-{theme}.style-{style}")).to_be_attached()
    page.evaluate(SETTLED)


def symbols(page: Page, sprite: str) -> set[str]:
    """The names of the pictures in a sprite."""
    return set(re.findall(r'<symbol id="([^"]+)"', page.request.get(sprite).text()))


def followed(page: Page, address: str, link: str) -> str:
    """Where a link of a page leads. What the worker still makes may take a while to be linked."""
    deadline = time.monotonic() + 90
    page.goto(address)
    while page.locator(link).count() == 0:
        assert time.monotonic() < deadline, f"no {link} on {address}"
        page.wait_for_timeout(500)
        page.reload()
    return page.locator(link).first.get_attribute("href") or ""


@pytest.mark.parametrize("stop", PAGES.values(), ids=[name.replace(" ", "-") for name in PAGES])
def test_page_is_whole_in_all_looks_and_widths(people, stop: Stop):
    page: Page = people(stop.who, viewport=WIDE, reduced_motion="reduce")
    address = stop.address
    if stop.link:
        address = followed(page, address, stop.link)
    with nothing_fails(page, stop.status):
        answer = page.goto(address)
        assert answer is not None
        assert answer.status == stop.status

        page.mouse.move(400, 400)  # islands that wait for a sign of a person get one
        if stop.shows:
            expect(page.locator(stop.shows).first).to_be_attached()
        until(page, "[...document.querySelectorAll('audio')].every((one) => one.duration > 1)")

        objections = [] if page.locator("h1:visible").count() == 1 else ["not one h1"]
        if not re.fullmatch(r"\S.* \| Study Platform|Study Platform.*", page.title()):
            objections.append(f"title {page.title()}")
        objections += re.findall(r".*(?:%\(|\{\{|\bundefined\b|\bNaN\b|\[object).*", page.locator("body").inner_text())
        icons = page.locator("use").evaluate_all("all => all.map((use) => use.getAttribute('href').split('#'))")
        for sprite in {sprite for sprite, _ in icons}:
            missing = {name for _, name in icons} - symbols(page, sprite)
            objections += [f"no icon {name}" for name in missing]
        objections += violations(page)
        for look, (theme, style) in LOOKS.items():
            wear(page, theme, style)
            page.set_viewport_size(WIDE if theme == "light" else NARROW)
            found = page.evaluate(f"axe.run(document, {OF_LOOKS})")["violations"]
            objections += [f"{look}: {v['id']} {v['nodes'][0]['target']} {v['nodes'][0]['any']}" for v in found]
            for size in (WIDE, NARROW):
                page.set_viewport_size(size)
                objections += [f"{look}: {part} sticks out at {size['width']}" for part in page.evaluate(OVERFLOWING)]
        assert not objections, "\n".join(objections)
