"""Audit a page: axe-core violations, horizontal overflow, console errors and failed requests."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import ConsoleMessage, Error, Page, Request, Response, Route, ViewportSize, expect

ROOT = Path(__file__).resolve().parents[2]
AXE = (ROOT / "node_modules/axe-core/axe.min.js").read_text()
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
# The rules about colors and positions. All other rules check the document, which is the same in every theme.
VISUAL_RULES = ["color-contrast", "link-in-text-block", "target-size", "scrollable-region-focusable"]
# Do not describe passing rules: that takes two thirds of the time.
AXE_RUN = (
    # axe asks each frame, and a frame of another origin (the provider's card fields) cannot hear it.
    "async ([part, runOnly]) => { const foreign = [...document.querySelectorAll('iframe')].some((one) =>"
    " new URL(one.src || '/', location).origin !== location.origin);"
    " return (await axe.run(part ?? document,"
    " {runOnly, resultTypes: ['violations'], iframes: !foreign})).violations }"
)
WIDE, NARROW = ViewportSize(width=1440, height=900), ViewportSize(width=320, height=700)
Look = tuple[str, str, ViewportSize, list[str]]
# Theme, style, width and axe rules of each look: each theme and each style is checked at both
# widths, and all rules check each style and each width.
LOOKS: dict[str, Look] = {
    "light-academic": ("light", "academic", WIDE, RULES),
    "dark-academic": ("dark", "academic", NARROW, VISUAL_RULES),
    "light-corporate": ("light", "corporate", NARROW, RULES),
    "dark-corporate": ("dark", "corporate", WIDE, VISUAL_RULES),
}
# For a page whose style sheet is checked in all looks on another page.
TWO_LOOKS: dict[str, Look] = {
    "light-academic": ("light", "academic", WIDE, RULES),
    "dark-corporate": ("dark", "corporate", NARROW, VISUAL_RULES),
}
# The widths at which nothing may overflow.
WIDTHS = (320, 768, 1440)
# Colors in transition belong to no look.
SETTLED = "document.getAnimations().filter((one) => one instanceof CSSTransition).forEach((one) => one.finish())"
OVERFLOWING = """() => {
  const wide = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= wide) return [];
  const right = (one) => one.getBoundingClientRect().right;
  const parts = [...document.querySelectorAll('body *:not(svg *)')]
    .filter((one) => one.checkVisibility() && right(one) > wide + 1).sort((one, other) => right(other) - right(one));
  return ['the page', ...parts.map((one) => `${one.tagName}.${one.className}`).slice(0, 5)];
}"""
# Select boxes of the settings that cut off their text.
CUT_OFF = """() => {
  const pen = document.createElement('canvas').getContext('2d');
  return [...document.querySelectorAll('.matrix select')].filter((one) => {
    const {font, paddingLeft, paddingRight} = getComputedStyle(one);
    pen.font = font;
    const room = one.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
    return [...one.options].some(({text}) => pen.measureText(text).width > room + 1);
  }).map((one) => one.name);
}"""


def until(page: Page, expression: str, seconds: float = 60) -> None:
    """Wait for a condition in the page. (Playwright's wait_for_function needs eval, which pages block.)"""
    deadline = time.monotonic() + seconds
    while not page.evaluate(expression):
        assert time.monotonic() < deadline, f"never true: {expression}"
        page.wait_for_timeout(20)


def violations(page: Page, part: str | None = None, rules: list[str] = RULES) -> list[str]:
    """The axe-core violations of the page in its current state, or of the part that matches a selector."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    found = page.evaluate(AXE_RUN, [part, rules])
    return [
        f"{one['id']} x{len(one['nodes'])}: {one['nodes'][0]['target']} {one['nodes'][0]['failureSummary']}"
        for one in found
    ]


def wear(page: Page, theme: str, style: str) -> None:
    """Change the look as another tab would."""
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


def violations_in_all_looks(
    page: Page, part: str | None = None, *, resized: bool = True, looks: dict[str, Look] = LOOKS
) -> list[str]:
    """The axe-core violations in each look, at the look's width if ``resized``."""
    found: list[str] = []
    for look, (theme, style, size, rules) in looks.items():
        wear(page, theme, style)
        if resized:
            page.set_viewport_size(size)
            page.evaluate("scrollTo(0, 0)")  # so that a sticky bar covers nothing
            page.evaluate(SETTLED)
        found += [f"{look}: {one}" for one in violations(page, part, rules)]
    return found


def sticking_out(page: Page, widths: tuple[int, ...] = WIDTHS, styles: tuple[str, ...] = ("academic",)) -> list[str]:
    """The elements that make the page scroll sideways at these widths, in both styles (their fonts differ)."""
    found: list[str] = []
    for style in styles:
        wear(page, "light", style)
        for width in widths:
            page.set_viewport_size(ViewportSize(width=width, height=800))
            found += [f"{style}: {part} sticks out at {width}" for part in page.evaluate(OVERFLOWING)]
            found += [f"{style}: {part} is cut off at {width}" for part in page.evaluate(CUT_OFF)]
    return found


def was_dropped(request: Request) -> bool:
    """Whether the browser itself canceled a request it no longer needed: a prefetch, a video segment or the favicon."""
    is_film = request.resource_type == "media" or "/media/" in request.url
    is_prefetch = request.headers.get("sec-purpose", "").startswith("prefetch")  # of a link that was followed meanwhile
    return request.failure == "net::ERR_ABORTED" and (is_film or is_prefetch or "/favicons/" in request.url)


@contextmanager
def nothing_fails(page: Page, status: int = 200) -> Iterator[None]:
    """Collect console errors and failed requests that start within the block.

    The page itself must answer with ``status``.
    """
    seen: list[str] = []
    begun: set[Request] = set()

    def on_request(request: Request) -> None:
        begun.add(request)

    def on_console(message: ConsoleMessage) -> None:
        is_own_answer = status >= 400 and message.location["url"] == page.url
        is_blocked = "Service Worker registration blocked" in message.text  # by the fixture ``people``
        if message.type in {"error", "warning"} and not is_own_answer and not is_blocked:
            seen.append(f"console: {message.text}")

    def on_response(response: Response) -> None:
        expected = status if response.request.is_navigation_request() else 0
        if response.request in begun and response.status >= 400 and response.status != expected:
            seen.append(f"{response.status} {response.url}")

    def on_failure(request: Request) -> None:
        if request in begun and not was_dropped(request):
            seen.append(f"failed: {request.url} {request.failure}")

    def on_error(error: Error) -> None:
        seen.append(f"script: {error}")

    heard = {
        "request": on_request,
        "response": on_response,
        "requestfailed": on_failure,
        "console": on_console,
        "pageerror": on_error,
    }
    for event, listener in heard.items():
        page.on(event, listener)  # type: ignore[call-overload]
    yield
    for event, listener in heard.items():
        page.remove_listener(event, listener)
    assert not seen, "\n".join(seen)


# --- The player ---------------------------------------------------------------------------------

NOW = "(document.querySelector('video')?.currentTime ?? -1)"


def start(page: Page) -> None:
    """Press the play button; returns once the video plays."""
    page.locator("[data-start]").click()
    plays_from(page, 0)


def plays_from(page: Page, second: float) -> None:
    """Wait until the playhead is at that second or later and moving."""
    until(page, f"{NOW} >= {second} && !document.querySelector('video').paused")
    reached = page.evaluate(NOW)
    until(page, f"{NOW} > {reached}")


# --- The network --------------------------------------------------------------------------------


def hold(page: Page, pattern: str, *, method: str = "GET") -> Callable[[], None]:
    """Hold matching requests until the returned function is called."""
    held: list[Route] = []
    is_open = False

    def catch(route: Route) -> None:
        if is_open or route.request.method != method:
            route.continue_()
        else:
            held.append(route)

    def release() -> None:
        nonlocal is_open
        deadline = time.monotonic() + 30
        while not held:
            assert time.monotonic() < deadline, f"nobody asked for {pattern}"
            page.wait_for_timeout(20)
        is_open = True
        for route in held:
            route.continue_()

    page.route(re.compile(pattern), catch)
    return release
