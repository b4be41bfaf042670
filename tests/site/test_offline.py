"""The offline page, and the service worker that caches it."""

import json
import re

from django.test import Client

from studyplatform.kit.caching.lru import clear_caches
from studyplatform.site.public import offline


def cached_by(script: str) -> dict:
    return json.loads(re.match(r"const cached = (.*?);\n", script)[1])


def test_the_worker_caches_the_page_and_its_files(client: Client, db):
    answer = client.get("/sw.js")
    cached = cached_by(answer.content.decode())
    page = client.get(cached["page"])

    assert answer["Content-Type"].startswith("text/javascript")
    assert answer["Cache-Control"] == "no-cache"
    needed = set(re.findall(r'(?:src|href)="(/static/dist/[^"#]+)', page.content.decode()))
    assert needed <= set(cached["files"])
    assert all(client.get(address).status_code == 200 for address in cached["files"])


def test_the_page_is_the_same_for_everyone(client: Client, browser_of, leo):
    def text(browser: Client) -> str:
        page = browser.get("/offline").content.decode()
        return re.sub(r'nonce="[^"]*"', "", page)

    assert text(browser_of(leo)) == text(client)
    assert "study-user" not in text(client)  # a script would sign out anyone who reads it


def test_the_version_changes_with_the_cached_files(client: Client, monkeypatch):
    def version() -> str:
        return cached_by(offline.worker_script.__wrapped__())["version"]

    before = version()
    assert version() == before
    monkeypatch.setattr(offline, "render_to_string", lambda name, context: "another text")
    assert version() != before


def test_the_kill_switch_removes_the_worker_from_every_browser(client: Client, db, settings):
    settings.SERVICE_WORKER = False

    answer = client.get("/sw.js")

    assert (answer.status_code, answer["Cache-Control"]) == (200, "no-cache")
    script = answer.content.decode()
    assert "registration.unregister()" in script
    assert "caches.delete" in script
    assert "skipWaiting()" in script
    assert '"fetch"' not in script  # without it, requests go to the server at once


def test_pages_register_no_worker_while_it_is_switched_off(client: Client, db, settings):
    off = '<meta name="study-worker" content="off">'
    assert off not in client.get("/help/").content.decode()
    settings.SERVICE_WORKER = False
    clear_caches()
    assert off in client.get("/help/").content.decode()
    assert off in client.get("/offline").content.decode()
