"""What the tests of offline lessons share: a server that can be stopped, browsers that can be closed, their storage."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import BrowserContext, BrowserType, Page, Request, expect

from tests import servers
from tests.e2e.conftest import PASSWORD, Site, copy_in
from tests.e2e.looking import ROOT, WIDE, until
from tests.e2e.prepare import FILM

COURSE = "offline-section"
TITLE = "A matrix moves the plane"
SPOKEN = "Here is the plane, ruled into squares."
ON_DEVICE = "On this device"
WORKER_STATE = """navigator.serviceWorker.getRegistration('/').then(async (one) => [location.href, document.readyState,
  one?.installing?.state, one?.waiting?.state, one?.active?.state, await caches.keys()].join(' '))"""


@dataclass
class StoppableSite:
    """A copy of the product whose server a test stops and starts again at the same address."""

    site: Site
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def base(self) -> str:
        return self.site.base

    def start(self) -> None:
        with (Path(self.site.env["DATA_DIR"]) / "server.log").open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "studyplatform.supervisor"],
                cwd=ROOT, env=self.site.env, stdout=log, stderr=log, start_new_session=True,
            )  # fmt: skip
        self.processes.append(process)
        deadline = time.monotonic() + 60
        while True:
            try:
                urllib.request.urlopen(self.base + "/healthz", timeout=2).close()  # noqa: S310 (our own address)
                return
            except OSError:
                assert process.poll() is None
                assert time.monotonic() < deadline
                time.sleep(0.1)

    def stop(self) -> None:
        """Stop all processes of the server at once, as a power cut does."""
        while self.processes:
            process = self.processes.pop()
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait(20)


@contextmanager
def stoppable_site(prepared: Path, folder: Path, **settings: str) -> Iterator[StoppableSite]:
    """Serve a copy of the prepared data. ``settings``: environment variables of the server."""
    shutil.copytree(prepared, folder)
    site = StoppableSite(copy_in(folder))
    site.site.env.update(settings)
    site.start()
    try:
        yield site
    finally:
        site.stop()


@contextmanager
def opened_browser(browser_type: BrowserType, folder: Path, base: str, *flags: str) -> Iterator[BrowserContext]:
    """A browser with a profile in a folder: closed and opened again, it has what it stored."""
    context = browser_type.launch_persistent_context(
        str(folder),
        executable_path=str(servers.chromium()),
        args=["--no-sandbox", "--disable-gpu", "--no-first-run", "--autoplay-policy=no-user-gesture-required", *flags],
        base_url=base,
        viewport=WIDE,
        reduced_motion="reduce",
    )
    try:
        yield context
    finally:
        context.close()


def sign_in(page: Page, name: str) -> None:
    """Sign in by the form, so that the browser keeps the session."""
    page.goto("/auth/login")
    page.get_by_label("Email").fill(f"{name}@example.com")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page).not_to_have_url("/auth/login")


def wait_for_worker(page: Page) -> None:
    """Wait until a service worker answers for the page."""
    try:
        until(page, "navigator.serviceWorker.controller !== null")
    except AssertionError as reason:
        raise AssertionError(page.evaluate(WORKER_STATE)) from reason


def stored_texts(page: Page, *, caches: bool = True) -> str:
    """Everything that the browser stores for the site as one text: IndexedDB, local storage and, if asked for, caches.

    Bytes are read as Latin-1, so that any text in them is found as it was written.
    """
    return str(
        page.evaluate(
            """async (readsCaches) => {
              const found = [];
              const read = (value) => {
                if (value instanceof CryptoKey) found.push('CRYPTOKEY');
                else if (value instanceof ArrayBuffer) found.push(new TextDecoder('latin1').decode(value));
                else if (ArrayBuffer.isView(value)) read(value.buffer);
                else if (Array.isArray(value)) value.forEach(read);
                else if (value && typeof value === 'object') Object.entries(value).forEach(read);
                else found.push(String(value));
              };
              for (const {name} of await indexedDB.databases()) {
                const db = await new Promise((resolve, reject) => {
                  const opening = indexedDB.open(name);
                  opening.onsuccess = () => resolve(opening.result);
                  opening.onerror = () => reject(opening.error);
                });
                for (const store of db.objectStoreNames) {
                  const rows = await new Promise((resolve, reject) => {
                    const reading = db.transaction(store).objectStore(store).getAll();
                    reading.onsuccess = () => resolve(reading.result);
                    reading.onerror = () => reject(reading.error);
                  });
                  read(rows);
                }
                db.close();
              }
              for (const name of readsCaches ? await caches.keys() : []) {
                const cache = await caches.open(name);
                for (const request of await cache.keys()) {
                  found.push(request.url);
                  const answer = await cache.match(request);
                  if (!/font|image/.test(answer.headers.get('content-type') ?? '')) found.push(await answer.text());
                }
              }
              found.push(JSON.stringify(localStorage));
              return found.join('\\n');
            }""",
            caches,
        )
    )


def states_of(page: Page) -> dict[str, Any]:
    """Lesson uid → its row of the browser's database, without what is sealed."""
    rows = page.evaluate(
        """async () => {
          const db = await new Promise((resolve, reject) => {
            const opening = indexedDB.open('study-offline');
            opening.onsuccess = () => resolve(opening.result);
            opening.onerror = () => reject(opening.error);
          });
          const rows = await new Promise((resolve, reject) => {
            const reading = db.transaction('lessons').objectStore('lessons').getAll();
            reading.onsuccess = () => resolve(reading.result);
            reading.onerror = () => reject(reading.error);
          });
          db.close();
          return JSON.stringify(rows.map(({uid, state, received, size, expiresAt}) =>
            ({uid, state, received, size, expiresAt})));
        }"""
    )
    return {row["uid"]: row for row in json.loads(rows)}


def press_download(page: Page, address: str = FILM) -> None:
    page.goto(address)
    wait_for_worker(page)
    page.locator("[data-offline-lesson]").click()
    page.get_by_role("dialog").get_by_role("button", name="Download").click()


def download(page: Page, address: str = FILM) -> None:
    press_download(page, address)
    expect(page.locator("[data-offline-lesson]")).to_contain_text(ON_DEVICE)


def expect_lesson(page: Page) -> None:
    """The stored lesson is on the page."""
    expect(page.get_by_role("heading", name=TITLE, level=1)).to_be_visible()
    expect(page.locator("main")).to_contain_text(SPOKEN)


def read_states(page: Page) -> set[str]:
    return {row["state"] for row in states_of(page).values()}


def segments_asked(page: Page) -> list[str]:
    """The names of the segments that the browser asks for from now on."""
    asked: list[str] = []

    def note(request: Request) -> None:
        if ".m4s" in request.url:
            asked.append(request.url.split("?")[0].rsplit("/", 1)[-1])

    page.context.on("request", note)
    return asked


def wait_for_state(page: Page, state: str) -> None:
    page.wait_for_timeout(50)
    for _ in range(300):
        if state in read_states(page):
            return
        page.wait_for_timeout(100)
    raise AssertionError(f"no lesson is {state}: {states_of(page)}")
