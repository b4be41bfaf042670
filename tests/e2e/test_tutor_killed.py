"""A model's answer in the browser while its server is killed: nothing shown is lost or doubled, and it continues."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import PASSWORD, Site, copy_in
from tests.e2e.looking import ROOT
from tests.tutor.standin import Standin

pytestmark = [pytest.mark.e2e, pytest.mark.long]

WORDS = 120


class Counting(Standin):
    """A model that counts up, two words at a time, and continues after what it has said."""

    def reset(self) -> None:
        super().reset()
        self.pause = 0.1

    async def _answer(self, body, writer, *, has_usage):  # type: ignore[no-untyped-def]
        said = [int(one) for message in body["messages"] for one in re.findall(r"\bword(\d+)", message["content"])]
        self.text = "".join(f"word{number} " for number in range(max(said, default=-1) + 1, WORDS))
        await super()._answer(body, writer, has_usage=has_usage)


@contextmanager
def serving(site: Site) -> Iterator[subprocess.Popen[bytes]]:
    """The real web server and worker, in a group of processes that can be killed at once."""
    with (Path(site.env["DATA_DIR"]) / "server.log").open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "studyplatform.supervisor"],
            cwd=ROOT, env=site.env, stdout=log, stderr=log, start_new_session=True,
        )  # fmt: skip
    try:
        deadline = time.monotonic() + 60
        while True:
            try:
                urllib.request.urlopen(site.base + "/healthz", timeout=2).close()  # noqa: S310 (our own address)
                break
            except OSError:
                assert process.poll() is None
                assert time.monotonic() < deadline
                time.sleep(0.1)
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(20)


def words(page: Page) -> list[int]:
    """The numbers that the last answer shows, in its order."""
    text = page.locator(".exchange").last.inner_text()
    return [int(one) for one in re.findall(r"\bword(\d+)\b", text)]


def wait_for_words(page: Page, least: int, seconds: float = 60) -> list[int]:
    deadline = time.monotonic() + seconds
    while len(shown := words(page)) < least:
        assert time.monotonic() < deadline, shown
        page.wait_for_timeout(100)
    assert shown == list(range(len(shown)))
    return shown


def test_no_text_is_lost_or_doubled_when_the_server_is_killed(prepared: Path, tmp_path: Path, browser: Browser) -> None:
    folder = tmp_path / "data"
    shutil.copytree(prepared, folder)
    with Counting().serving() as model:
        site = copy_in(folder)
        site.env.update(TUTOR_URL=model.address, TUTOR_MODEL="counting", TUTOR_KEY="")
        context = browser.new_context(base_url=site.base, service_workers="block")
        page = context.new_page()
        with serving(site) as process:
            page.goto("/auth/login")
            token = next(one["value"] for one in context.cookies() if one["name"] == "csrftoken")
            entered = page.request.post(
                "/api/v1/auth/login",
                data={"email": "student@example.com", "password": PASSWORD},
                headers={"X-CSRFToken": token},
            )
            assert entered.ok
            page.goto("/chat/")
            field = page.get_by_role("textbox", name=re.compile("^Ask about"))
            field.fill("Which arrows stay on their own line?")
            field.press("Enter")
            before = wait_for_words(page, 10)
            os.killpg(process.pid, signal.SIGKILL)
        assert words(page)[: len(before)] == before

        with serving(site):
            # The browser follows again, and lets the answer go on by itself once its lease has run out.
            goes_on = wait_for_words(page, len(before) + 10, 90)
            assert goes_on[: len(before)] == before
            page.get_by_role("button", name="Stop").click()
            expect(page.get_by_role("button", name="Continue")).to_be_visible()
            stopped = words(page)
            page.get_by_role("button", name="Continue").click()
            assert wait_for_words(page, WORDS, 90)[: len(stopped)] == stopped
            assert len(model.requests) == 3
        context.close()
