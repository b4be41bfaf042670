"""How long a page waits for its first byte with the service worker and without it, in Chromium.

    python -m tests.bench worker

Each round opens the catalog in both, in turns, once with a worker that runs and once with one that the browser has
stopped. Two figures: from the request to the first byte, which is what the site decides; and from the press on, which
includes what the browser itself does for any worker, even for one that handles nothing ("empty").
"""

from __future__ import annotations

import os
import statistics
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from tests import servers
from tests.bench.pages import FLAGS, database, gunicorn

if TYPE_CHECKING:
    from playwright.sync_api import Browser, CDPSession, Page

PAGE = "/courses/"
ROUNDS = int(os.environ.get("BENCH_ROUNDS", "60"))
PAUSE_SECONDS = 0.2
"""After each page: the browser asks for the worker's script after it, which would compete with the next request."""
MEASURE = """() => {
  const page = performance.getEntriesByType('navigation')[0];
  return [page.responseStart - page.requestStart, page.responseStart - page.startTime];
}"""
REGISTER = "() => navigator.serviceWorker.register('/sw.js').then(() => navigator.serviceWorker.ready).then(() => 1)"
EMPTY = """
self.addEventListener('install', (event) =>
  event.addRoutes([{ condition: { requestMode: 'navigate' }, source: 'network' }]));
self.addEventListener('fetch', () => undefined);
"""


def bench_worker() -> None:
    """Print both figures in milliseconds, as medians, and their ratios to a browser without a worker."""
    from playwright.sync_api import sync_playwright

    with (
        database() as (env, postmaster),
        gunicorn("studyplatform.wsgi:application", env, postmaster) as site,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=servers.chromium(), args=FLAGS)
        origin = f"http://127.0.0.1:{site.port}"
        pages = {kind: _open_page(browser, origin, kind) for kind in ("none", "site", "empty", "none again")}
        sessions = {kind: _watch_workers(page) for kind, page in pages.items() if not kind.startswith("none")}
        print(f"\n{datetime.now(UTC):%Y-%m-%d}, {ROUNDS} rounds, milliseconds until the first byte of {PAGE}")
        for is_stopped in (False, True):
            _print_rows("stopped" if is_stopped else "running", _measure(pages, sessions, is_stopped))
        browser.close()


def _open_page(browser: Browser, origin: str, kind: str) -> Page:
    """A page in a browser profile of its own, with a worker if that is its kind."""
    context = browser.new_context(base_url=origin, service_workers="block" if kind.startswith("none") else "allow")
    if kind == "empty":
        context.route("**/sw.js", lambda route: route.fulfill(body=EMPTY, content_type="text/javascript"))
    page = context.new_page()
    page.goto(PAGE)
    if not kind.startswith("none"):
        page.evaluate(REGISTER)
        time.sleep(3)  # it stores its files
        page.goto(PAGE)
        assert page.evaluate("() => navigator.serviceWorker.controller !== null"), "the worker doesn't control the page"
    return page


def _watch_workers(page: Page) -> CDPSession:
    session = page.context.new_cdp_session(page)
    session.send("ServiceWorker.enable")
    return session


def _measure(
    pages: dict[str, Page], sessions: dict[str, Any], is_stopped: bool
) -> dict[str, list[tuple[float, float]]]:
    found: dict[str, list[tuple[float, float]]] = {kind: [] for kind in pages}
    for turn in range(ROUNDS):
        kinds = list(pages) if turn % 2 else list(reversed(pages))
        for kind in kinds:
            if is_stopped and kind in sessions:
                sessions[kind].send("ServiceWorker.stopAllWorkers")
                time.sleep(PAUSE_SECONDS)
            pages[kind].goto(PAGE, wait_until="load")
            found[kind].append(tuple(pages[kind].evaluate(MEASURE)))
            time.sleep(PAUSE_SECONDS)
    return found


def _print_rows(state: str, found: dict[str, list[tuple[float, float]]]) -> None:
    medians = {kind: [statistics.median(column) for column in zip(*rows, strict=True)] for kind, rows in found.items()}
    base = [statistics.mean(pair) for pair in zip(medians["none"], medians["none again"], strict=True)]
    for kind, (request, press) in medians.items():
        ratios = f"{request / base[0]:.2f}, {press / base[1]:.2f}"
        print(f"{state:8} {kind:10} from the request {request:6.1f}, from the press {press:6.1f}; ratios {ratios}")
