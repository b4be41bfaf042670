"""The whole product as a person meets it: real web server, real worker, demo content, real Chromium."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from tests import servers

ROOT = Path(__file__).resolve().parents[2]
PASSWORD = "StudyDemo1"
AXE = (ROOT / "node_modules/axe-core/axe.min.js").read_text()
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
LOOKS = {
    "light-academic": ("light", "academic"),
    "dark-academic": ("dark", "academic"),
    "light-corporate": ("light", "corporate"),
    "dark-corporate": ("dark", "corporate"),
}
# Of the demo's films the first alone is processed: encoding all of them would starve the browser.
KEEP_ONE_FILM = """
from studyplatform.kit.models import Job
films = Job.objects.filter(kind="files.process_video").order_by("-priority", "run_at", "pk")
Job.objects.filter(pk__in=list(films.values_list("pk", flat=True)[1:])).delete()
"""


@dataclass(frozen=True)
class Site:
    """A running copy of the product with its own data."""

    base: str
    env: dict[str, str]

    def manage(self, *arguments: str) -> str:
        """The output of a manage.py command on this copy's data."""
        return subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=self.env,
            check=True,
            capture_output=True,
            text=True,
        ).stdout


def code_mailed_to(site: Site, email: str) -> str:
    """The code of the newest mail to this address; waits for the worker to send it."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        for file in sorted((Path(site.env["DATA_DIR"]) / "mail").glob("*.log"), reverse=True):
            words = file.read_text()
            found = re.search(r"^Subject: (\d{6}) ", words, re.MULTILINE)
            if found and f"To: {email}" in words:
                return found[1]
        time.sleep(0.1)
    raise AssertionError(f"no code was mailed to {email}")


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("site")
    port = servers.free_port()
    env = {
        **{key: value for key, value in os.environ.items() if key not in {"DATABASE_URL", "REDIS_URL"}},
        "DJANGO_SETTINGS_MODULE": "studyplatform.settings.embedded",
        "DATA_DIR": str(folder),
        "HOST": "127.0.0.1",
        "PORT": str(port),
        "SITE_URL": f"http://127.0.0.1:{port}",
    }
    copy = Site(f"http://127.0.0.1:{port}", env)
    copy.manage("prepare_database", "-v", "0")
    copy.manage("seed_demo")
    copy.manage("shell", "-v", "0", "-c", KEEP_ONE_FILM)
    with (folder / "server.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "studyplatform.supervisor"], cwd=ROOT, env=env, stdout=log, stderr=log
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
    return {**browser_type_launch_args, "executable_path": "/usr/bin/chromium", "args": flags}


@pytest.fixture(scope="session")
def base_url(site: Site) -> str:
    return site.base


@pytest.fixture(scope="session")
def states(site: Site, browser: Browser) -> Callable[[str], dict]:
    """Cookies and storage of a signed-in demo account, by its name; signs in once per account."""
    kept: dict[str, dict] = {}

    def state(name: str) -> dict:
        if name not in kept:
            context = browser.new_context(base_url=site.base)
            page = context.new_page()
            page.goto("/auth/login")
            page.get_by_label("Email").fill(name if "@" in name else f"{name}@example.com")
            page.get_by_label("Password", exact=True).fill(PASSWORD)
            page.get_by_role("button", name="Sign in").click()
            page.wait_for_url(lambda url: "/auth/login" not in url)
            kept[name] = dict(context.storage_state())
            context.close()
        return kept[name]

    return state


@pytest.fixture
def people(site: Site, browser: Browser, states: Callable[[str], dict]) -> Iterator[Callable[..., Page]]:
    """Open a browser of one's own: ``people("student")``, ``people()`` for a visitor; options as new_context's."""
    contexts: list[BrowserContext] = []

    def person(name: str = "", **options: object) -> Page:
        known = {"storage_state": states(name)} if name else {}
        context = browser.new_context(base_url=site.base, **{**known, **options})  # type: ignore[arg-type]
        contexts.append(context)
        return context.new_page()

    yield person
    for context in contexts:
        context.close()


def violations(page: Page) -> list[str]:
    """What axe-core objects to on the page as it stands."""
    page.evaluate(AXE)
    found = page.evaluate(f"axe.run(document, {{runOnly: {RULES}}})")
    return [f"{v['id']} x{len(v['nodes'])}: {v['nodes'][0]['target']}" for v in found["violations"]]


def until(page: Page, expression: str) -> None:
    """Wait for a condition in the page. Playwright's own way needs eval, which the policy of the pages refuses."""
    deadline = time.monotonic() + 15
    while not page.evaluate(expression):
        assert time.monotonic() < deadline, f"never true: {expression}"
        page.wait_for_timeout(20)
