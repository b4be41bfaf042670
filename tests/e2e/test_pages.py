"""Audit every page in every look and width: accessibility, failures, overflow, cut-off text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.e2e.conftest import Site
from tests.e2e.looking import (
    LOOKS,
    ROOT,
    TWO_LOOKS,
    WIDE,
    nothing_fails,
    sticking_out,
    violations_in_all_looks,
)
from tests.e2e.prepare import FILM

pytestmark = pytest.mark.e2e

STUDIO = "/dashboard/instructor/courses/linear-algebra-geometrically"
ANALYTICS = "/dashboard/instructor/analytics"
CERTIFICATE = "a[href^='/certificates/']:not([href$=pdf])"
LESSONS = "/learn/linear-algebra-geometrically"


class Stop(NamedTuple):
    """A page to audit: account, address, expected status, link to follow, and the element to wait for."""

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
    "learning paths": Stop("student", "/paths/"),
    "learning path": Stop("student", "/paths/mathematics-you-can-see"),
    "learning path in the studio": Stop("instructor", "/dashboard/instructor/paths/", link=".table__title"),
    "learning paths in the studio": Stop("instructor", "/dashboard/instructor/paths/"),
    "course unknown": Stop("", "/courses/no-such-course", 404),
    "sign in": Stop("", "/auth/login"),
    "register": Stop("", "/auth/register"),
    "verify email": Stop("", "/auth/verify-email"),
    "forgot password": Stop("", "/auth/forgot-password"),
    "sign out": Stop("student", "/auth/logout"),
    "is it you": Stop("student", "/auth/prove?next=/settings/"),
    "back from a provider": Stop("", "/auth/oauth/callback"),
    "email change ended": Stop("", "/settings/email/confirm?key=x", 410),
    "unsubscribe ended": Stop("", "/notifications/unsubscribe/x", 404),
    "password reset expired": Stop("", "/auth/reset-password/00000000-0000-0000-0000-000000000000/old", 410),
    "dashboard": Stop("student", "/me/dashboard"),
    "dashboard empty": Stop("admin", "/me/dashboard"),
    "my learning": Stop("student", "/me/enrollments"),
    "practice": Stop("student", "/me/practice"),
    "flash cards": Stop("student", "/me/practice/cards"),
    "notebook": Stop("student", "/me/course/linear-algebra-geometrically/notes"),
    "my learning empty": Stop("instructor", "/me/enrollments"),
    "my courses": Stop("student", "/me/courses"),
    "lesson to watch": Stop("student", FILM, shows="video"),
    "lesson to read": Stop("student", f"{LESSONS}/arrows-and-recipes"),
    "lesson with a quiz": Stop("student", "/learn/a-year-in-a-hedgerow/check-twigs-and-flowers"),
    "lesson with a file": Stop("admin", "/learn/statistics-for-curious-people/sixty-journeys"),
    "lesson not enrolled": Stop("student", "/learn/harmony-by-ear/endings", 403),
    "lesson to listen to": Stop("student", FILM, link="a[href^='/audio-fallback']", shows="audio"),
    "course progress": Stop("student", "/me/course/linear-algebra-geometrically/progress"),
    "course lessons": Stop("student", "/course/lessons?course=linear-algebra-geometrically"),
    "reviews": Stop("student", "/courses/linear-algebra-geometrically/reviews"),
    "reviews to answer": Stop("instructor", "/courses/linear-algebra-geometrically/reviews"),
    "reported reviews": Stop("admin", "/dashboard/admin/forum?tab=ratings"),
    "certificate check": Stop("", "/certificates/"),
    "certificate": Stop(
        "student", "/me/course/a-year-in-a-hedgerow/progress", link="a[href^='/certificates/']:not([href$=pdf])"
    ),
    "certificate unknown": Stop("", "/certificates/AAAAAAAAAAAA", 404),
    "enroll": Stop("student", "/courses/enroll?course=harmony-by-ear"),
    "settings": Stop("student", "/settings/"),
    "settings, set up an app": Stop("student", "/settings/security/app"),
    "settings, new token": Stop("student", "/settings/tokens/new"),
    "settings, delete account": Stop("student", "/settings/privacy/delete"),
    "notifications": Stop("student", "/notifications"),
    "settings of an instructor": Stop("instructor", "/settings/?saved=profile"),
    "storage": Stop("instructor", "/settings/storage"),
    "storage empty": Stop("student", "/settings/storage"),
    "files": Stop("student", "/files/", shows="tr[data-entry]"),
    "files as a grid": Stop("student", "/files/?view=grid&sort=name", shows=".filecard[data-entry]"),
    "a file": Stop("student", "/files/", link="a[href^='/files/'][class=file__name]"),
    "bin": Stop("student", "/files/bin"),
    "shared with me": Stop("student", "/files/shared"),
    "a shared folder": Stop("student", "/files/shared", link="a[href^='/files/shared/'][class=file__name]"),
    "links": Stop("student", "/files/links"),
    "sharing of a file": Stop("student", "/files/links", link="a[href$='/sharing']"),
    "checkout": Stop("instructor", "/billing/checkout?course=how-compilers-think", shows=".methods__fields iframe"),
    "premium": Stop("", "/premium"),
    "checkout of Premium": Stop("instructor", "/billing/premium?plan=yearly", shows=".methods__fields iframe"),
    "billing methods": Stop("student", "/billing/methods"),
    "billing subscription": Stop("student", "/billing/subscriptions"),
    "billing transactions": Stop("student", "/billing/transactions"),
    "instructor home": Stop("instructor", "/dashboard/instructor/"),
    "instructor courses": Stop("instructor", "/dashboard/instructor/courses/"),
    "instructor new course": Stop("instructor", "/dashboard/instructor/courses/new"),
    "learners": Stop("instructor", "/dashboard/instructor/students/"),
    "learner": Stop("instructor", "/dashboard/instructor/students/?q=amara", link=".learners__person a"),
    "message to learners": Stop("instructor", "/dashboard/instructor/students/message?all=1"),
    "exceptions": Stop("instructor", "/dashboard/instructor/exceptions/"),
    "more time for learners": Stop("instructor", "/dashboard/instructor/exceptions/many?kind=time&all=1"),
    "messages": Stop("instructor", "/dashboard/instructor/messages/"),
    "announcements of an instructor": Stop("instructor", "/dashboard/instructor/messages/announcements"),
    "discussions of an instructor": Stop("instructor", "/dashboard/instructor/forum"),
    "messages of a learner": Stop("student", "/me/messages"),
    "instructor earnings": Stop("instructor", "/dashboard/instructor/earnings/"),
    "analytics": Stop("instructor", "/dashboard/instructor/analytics/", shows=".kpis"),
    "analytics of lessons": Stop("instructor", "/dashboard/instructor/analytics/lessons/"),
    "retention": Stop("instructor", f"{ANALYTICS}/lessons/linear-algebra-geometrically/a-matrix-moves-the-plane"),
    "questions of a quiz": Stop(
        "instructor", f"{ANALYTICS}/quizzes/linear-algebra-geometrically/check-arrows-and-grids"
    ),
    "reports of analytics": Stop("instructor", f"{ANALYTICS}/reports/"),
    "instructor edit": Stop("instructor", f"{STUDIO}/edit"),
    "instructor lectures": Stop("instructor", f"{STUDIO}/lectures"),
    "captions": Stop("instructor", f"{STUDIO}/lectures/a-matrix-moves-the-plane/captions", shows=".cue"),
    "people of a course": Stop("instructor", f"{STUDIO}/people"),
    "versions of a course": Stop("instructor", f"{STUDIO}/versions"),
    "links for experts": Stop("instructor", f"{STUDIO}/review/links"),
    "instructor video lesson": Stop("instructor", f"{STUDIO}/lectures/a-matrix-moves-the-plane"),
    "instructor text lesson": Stop("instructor", f"{STUDIO}/lectures/arrows-and-recipes"),
    "instructor quiz": Stop("instructor", f"{STUDIO}/lectures/check-arrows-and-grids"),
    "instructor new question": Stop("instructor", f"{STUDIO}/lectures/check-arrows-and-grids/questions/new"),
    "instructor upload": Stop("instructor", "/dashboard/instructor/upload/", shows="input[type=file]"),
    "admin home": Stop("admin", "/dashboard/admin/"),
    "moderation": Stop("admin", "/dashboard/admin/forum"),
    "admin review": Stop("admin", "/dashboard/admin/courses/cells-from-membrane-to-signal/review"),
    "admin reviews": Stop("admin", "/dashboard/admin/reviews/"),
    "admin people": Stop("admin", "/dashboard/admin/people"),
    "admin teaching": Stop("admin", "/dashboard/admin/teaching"),
    "admin revenue": Stop("admin", "/dashboard/admin/revenue"),
    "admin reports": Stop("admin", "/dashboard/admin/reports"),
    "admin accounts": Stop("admin", "/dashboard/admin/reports/accounts"),
    "admin refunds": Stop("admin", "/dashboard/admin/refunds"),
    "admin disputes": Stop("admin", "/dashboard/admin/disputes"),
    "admin jobs": Stop("admin", "/dashboard/admin/jobs/"),
    "admin mails": Stop("admin", "/dashboard/admin/mails/"),
    "help": Stop("", "/help/"),
    "help on formats": Stop("", "/help/supported-formats"),
    "help on compression": Stop("", "/help/video-compression"),
    "help on teaching": Stop("", "/help/teaching"),
    "help on learning": Stop("", "/help/learning"),
    "guide for assistants": Stop("", "/mcp"),
    "help on an error": Stop("", "/help/errors/UPLOAD_QUOTA_EXCEEDED"),
    "accessibility": Stop("", "/accessibility"),
    "terms": Stop("", "/terms"),
    "privacy": Stop("", "/privacy"),
    "sample of a query": Stop("", "/demo/tanstack-query", shows="[role=switch]"),
    "sample of server functions": Stop("", "/demo/start/server-funcs"),
    "sample of an API request": Stop("", "/demo/start/api-request", shows="[role=switch]"),
    "sample of a list shared with an MCP client": Stop("", "/demo/mcp-todos", shows="input[type=checkbox]"),
    "sample of a simple form": Stop("", "/demo/form/simple"),
    "sample of an address form": Stop("", "/demo/form/address"),
    "status": Stop("", "/status"),
    "offline": Stop("", "/offline", shows=".empty"),  # with lessons: test_offline_library.py
    "not found": Stop("", "/nowhere", 404),
    "tutor for visitors": Stop("", "/chat/"),
    "tutor": Stop("student", "/chat/", shows=".askbox textarea"),
}


# What `make test` looks at: one page of each style sheet in all looks, and of those that remain one for each layout
# in two. `make test-all` looks at all of them in everything.
IN_ALL_LOOKS = [
    "home", "catalogue filtered", "course enrolled", "register", "settings", "dashboard", "lesson to watch",
    "lesson with a quiz", "instructor edit", "admin home", "help", "not found",
    "sample of a query", "guide for assistants", "files", "practice", "billing methods", "checkout",
    "premium", "messages", "moderation", "tutor", "learning path", "reviews", "certificate", "captions", "learner",
    "analytics", "offline",
]  # fmt: skip
IN_TWO_LOOKS = [
    "sign in", "lesson to read", "lesson with a file", "instructor lectures", "my learning",
]  # fmt: skip


@pytest.fixture(scope="session")
def visits(site: Site, browser: Browser, states: Callable[[str], dict]) -> Iterator[Callable[[str], BrowserContext]]:
    """One browser context per account, so shared files load once."""
    kept: dict[str, BrowserContext] = {}

    def visit(name: str) -> BrowserContext:
        if name not in kept:
            state = {"storage_state": states(name)} if name else {}
            kept[name] = browser.new_context(base_url=site.base, reduced_motion="reduce", **state)  # type: ignore[arg-type]
        return kept[name]

    yield visit
    for context in kept.values():
        context.close()


def symbols(page: Page, sprite: str) -> set[str]:
    """The names of the icons in a sprite."""
    return set(re.findall(r'<symbol id="([^"]+)"', page.request.get(sprite).text()))


def followed(page: Page, address: str, link: str) -> str:
    """The target of a link on a page, which is fetched as text, so that none of its requests are pending later."""
    found = page.evaluate(
        """([text, link]) =>
          new DOMParser().parseFromString(text, 'text/html').querySelector(link)?.getAttribute('href')""",
        [page.request.get(address).text(), link],
    )
    assert found, f"no {link} on {address}"
    return str(found)


def faults_of(page: Page) -> list[str]:
    """The page's faults in any look: headings, title, phrases, images."""
    found = [] if page.locator("h1:visible").count() == 1 else ["not one h1"]
    if not re.fullmatch(r"\S.* \| Study Platform|Study Platform.*", page.title()):
        found.append(f"title {page.title()}")
    text = page.locator("body").inner_text()
    for source in page.locator(".source pre:visible").all_inner_texts():  # code may contain what a text must not
        text = text.replace(source, "")
    found += re.findall(r".*(?:%\(|\{\{|\bundefined\b|\bNaN\b|\[object).*", text)
    icons = page.locator("use").evaluate_all("all => all.map((use) => use.getAttribute('href').split('#'))")
    for sprite in {sprite for sprite, _ in icons}:
        missing = {name for _, name in icons} - symbols(page, sprite)
        found += [f"no icon {name}" for name in missing]
    return found


UNFOLD = "document.querySelectorAll('main details:not(.menu)').forEach((one) => (one.open = true))"


def dashed(name: str) -> str:
    """The test id of a page."""
    return name.replace(" ", "-")


def look_at(visits: Callable[[str], BrowserContext], stop: Stop, inspect: Callable) -> None:
    """Open a page and collect its faults; ``inspect`` returns those of its looks."""
    page: Page = visits(stop.who).new_page()
    page.set_viewport_size(WIDE)
    address = followed(page, stop.address, stop.link) if stop.link else stop.address
    with nothing_fails(page, stop.status):
        answer = page.goto(address)
        assert answer is not None
        assert answer.status == stop.status

        page.mouse.move(400, 400)  # loads islands that wait for an interaction
        if stop.shows:
            expect(page.locator(stop.shows).first).to_be_attached()

        objections = faults_of(page)
        page.evaluate(UNFOLD)
        objections += inspect(page)
    page.close()
    assert not objections, "\n".join(objections)


@pytest.mark.parametrize("name", [*IN_ALL_LOOKS, *IN_TWO_LOOKS], ids=dashed)
def test_page_passes_the_audit(visits, name: str):
    looks = LOOKS if name in IN_ALL_LOOKS else TWO_LOOKS

    def inspect(page: Page) -> list[str]:
        return violations_in_all_looks(page, looks=looks) + sticking_out(page, (320, 1440))

    look_at(visits, PAGES[name], inspect)


@pytest.mark.long
@pytest.mark.parametrize("name", PAGES, ids=dashed)
def test_page_passes_the_audit_in_all_looks_and_widths(visits, name: str):
    def inspect(page: Page) -> list[str]:
        return violations_in_all_looks(page) + sticking_out(page, styles=("academic", "corporate"))

    look_at(visits, PAGES[name], inspect)


def test_each_style_sheet_is_checked_in_all_looks(site: Site, visits) -> None:
    sheets = {file.stem for file in (ROOT / "assets/styles").glob("*.css")}
    seen = set()
    for name in IN_ALL_LOOKS:
        stop = PAGES[name]
        # As browsers ask: /mcp answers programs otherwise.
        text = visits(stop.who).request.get(site.base + stop.address, headers={"Accept": "text/html"}).text()
        seen |= set(re.findall(r"/static/dist/(?:\w+/)*([a-z]+)-\w{8}\.css", text))

    assert seen | {"external"} == sheets  # of videos of other sites: test_external_video.py
