"""The whole product as users see it: real web server, real worker, demo content, real Chromium.

``E2E_DATA=folder`` keeps the prepared data in that folder, for the next run of a test that one is working on.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, ViewportSize, expect

from tests import servers
from tests.e2e.looking import ROOT, start
from tests.e2e.prepare import DEVICES, DONE, DRAFTS, LEARNERS

PASSWORD = "StudyDemo1"
expect.set_options(timeout=30_000)  # a slow machine is no fault of the product


@dataclass(frozen=True)
class Site:
    """A running copy of the product with its own data."""

    base: str
    env: dict[str, str]

    def manage(self, *arguments: str) -> str:
        """The output of a manage.py command on this copy's data."""
        return self.run("manage.py", *arguments)

    def run(self, *arguments: str) -> str:
        """The output of a Python program on this copy's data."""
        return subprocess.run(
            [sys.executable, *arguments], cwd=ROOT, env=self.env, check=True, stdout=subprocess.PIPE, text=True
        ).stdout

    @contextmanager
    def database(self) -> Iterator[sqlite3.Connection]:
        """This copy's database, without any of its checks."""
        with closing(sqlite3.connect(Path(self.env["DATA_DIR"]) / "db.sqlite3", timeout=20)) as connection, connection:
            yield connection


def code_mailed_to(site: Site, email: str) -> str:
    """The code in the newest email to this address; waits for the worker to send it."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        for file in sorted((Path(site.env["DATA_DIR"]) / "mail").glob("[!.]*.eml"), reverse=True):
            words = file.read_text()
            found = re.search(r"^Subject: (\d{6}) ", words, re.MULTILINE)
            if found and f"To: {email}" in words:
                return found[1]
        time.sleep(0.1)
    raise AssertionError(f"no code was mailed to {email}")


def copy_in(folder: Path) -> Site:
    port = servers.free_port()
    env = {
        **{key: value for key, value in os.environ.items() if key not in {"DATABASE_URL", "REDIS_URL"}},
        "DJANGO_SETTINGS_MODULE": "studyplatform.settings.embedded",
        "DATA_DIR": str(folder),
        "HOST": "127.0.0.1",
        "PORT": str(port),
        "STANDIN_PORT": str(servers.free_port()),  # by default one beside the server's, which may be taken
        "SITE_URL": f"http://127.0.0.1:{port}",
        # Only runs if a test has started it (tests/e2e/test_accounts.py); its button is on every sign-in page.
        "OIDC_SCHOOL_TITLE": "Field School",
        "OIDC_SCHOOL_ISSUER": f"http://127.0.0.1:{servers.free_port()}",
        "OIDC_SCHOOL_CLIENT_ID": "study-platform",
        "OIDC_SCHOOL_CLIENT_SECRET": "a-secret",
        "SELLER_VAT_ID": "FI12345671",
        "EU_TAX_RATES": "false",  # prices contain no tax
        "SELLER_COUNTRY": "FI",  # companies elsewhere in the EU account for the tax themselves
    }
    return Site(f"http://127.0.0.1:{port}", env)


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data to copy. The first test process makes it, the others wait."""
    kept = os.environ.get("E2E_DATA", "")
    base = tmp_path_factory.getbasetemp()
    own = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    folder = Path(kept) if kept else own / "prepared"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / DONE).exists():
            copy_in(folder).run("-m", "tests.e2e.prepare", str(folder))
    return folder


@pytest.fixture(scope="session")
def site(prepared: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("site") / "data"
    shutil.copytree(prepared, folder)
    copy = copy_in(folder)
    with (folder / "server.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "studyplatform.supervisor"], cwd=ROOT, env=copy.env, stdout=log, stderr=log
        )
    try:
        _wait_for(copy.base + "/healthz", process)
        yield copy
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(20)


def _wait_for(address: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        try:
            urllib.request.urlopen(address, timeout=2).close()  # noqa: S310 (our own address)
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise RuntimeError(f"{address} does not answer")


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict) -> dict:
    flags = [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--autoplay-policy=no-user-gesture-required",
    ]
    return {**browser_type_launch_args, "executable_path": servers.chromium(), "args": flags}


@pytest.fixture(scope="session")
def base_url(site: Site) -> str:
    return site.base


@pytest.fixture(scope="session")
def states(site: Site, playwright: Playwright) -> Callable[[str], dict]:
    """Cookies and storage of a signed-in account, by its name; signs in once per account."""
    kept: dict[str, dict] = {}

    def state(name: str) -> dict:
        if name not in kept:
            line = playwright.request.new_context(base_url=site.base)
            line.get("/auth/login")  # sets the CSRF cookie
            cookies = {one["name"]: one["value"] for one in line.storage_state()["cookies"]}
            answer = line.post(
                "/api/v1/auth/login",
                data={"email": f"{name}@example.com", "password": PASSWORD},
                headers={"X-CSRFToken": cookies["csrftoken"]},
            )
            assert answer.ok, answer.text()
            stored = [{"name": "study.auth", "value": json.dumps(answer.json())}]
            kept[name] = {**line.storage_state(), "origins": [{"origin": site.base, "localStorage": stored}]}
            line.dispose()
        return kept[name]

    return state


@pytest.fixture
def people(site: Site, browser: Browser, states: Callable[[str], dict]) -> Iterator[Callable[..., Page]]:
    """Open a new browser context: ``people("student")``, ``people()`` for a visitor; options of new_context."""
    contexts: list[BrowserContext] = []

    def person(name: str = "", **options: object) -> Page:
        known: dict[str, object] = {"storage_state": states(name)} if name else {}
        # It would fetch its files in each browser; tests/e2e/test_offline.py tests it.
        known["service_workers"] = "block"
        context = browser.new_context(base_url=site.base, **{**known, **options})  # type: ignore[arg-type]
        contexts.append(context)
        return context.new_page()

    yield person
    for context in contexts:
        context.close()


@pytest.fixture(scope="session")
def learners() -> Iterator[str]:
    """Names of enrolled accounts without progress: ``next(learners)``, each once."""
    return iter(f"learner-{number}" for number in range(1, LEARNERS + 1))


@pytest.fixture(scope="session")
def drafts() -> Iterator[str]:
    """Addresses of outlines that ``sorter`` can edit: ``next(drafts)``, each once."""
    return iter(f"/dashboard/instructor/courses/draft-{number}/lectures" for number in range(1, DRAFTS + 1))


@pytest.fixture(scope="session")
def owners() -> Iterator[str]:
    """Emails of accounts whose only sign-in method is a password: ``next(owners)``, each once."""
    return iter(f"device-{number}@example.com" for number in range(1, DEVICES + 1))


@pytest.fixture
def watch(people: Callable[..., Page], learners: Iterator[str]) -> Callable[..., Page]:
    """Open a lesson as a learner without progress, or as ``who``, and play it unless ``plays`` is False."""

    def opened(address: str, *, who: str = "", plays: bool = True, size: ViewportSize | None = None) -> Page:
        viewport = size or ViewportSize(width=1280, height=900)
        page = people(who or next(learners), viewport=viewport, reduced_motion="reduce")
        page.goto(address)
        if plays:
            start(page)
        return page

    return opened
