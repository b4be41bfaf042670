"""The shell that shows offline lessons: it names nobody, is complete, and its build tells when it changes."""

import json
import re

import pytest
from django.test import Client

from apps.learning.offline import shell
from studyplatform.kit.web.inline_scripts import csp_hashes
from tests.learning.offline_content import PageReader

pytestmark = pytest.mark.django_db


@pytest.fixture
def found(client: Client):
    return client.get("/api/v1/offline/shell/").json()


def test_the_shell_is_the_same_for_everyone(found, browser_of, leo):
    assert browser_of(leo).get("/api/v1/offline/shell/").json() == found
    html = found["html"]
    assert "csrf" not in html
    assert 'name="study-user"' not in html
    assert "nonce" not in html
    assert leo.email not in html


def test_everything_that_the_page_names_is_a_file_of_the_shell(found):
    addresses = {one["address"] for one in found["files"]}
    read = PageReader(found["html"])

    loaded = {address.partition("#")[0] for tag, _name, address in read.addresses if tag not in {"a", "form"}}
    # Browsers ask for these with a connection, and keep what they need by themselves.
    needless = {"/manifest.webmanifest"} | {one for one in loaded if one.endswith(shell._UNNEEDED)}
    assert {one for one in loaded if one.startswith("/")} - needless <= addresses
    assert "/offline/static/dist/" in str(loaded)
    named = set(re.findall(r'/(?:offline/)?static/[^\s"\'#<]+', found["html"]))
    assert named - needless <= addresses
    assert set(found["scripts"].values()) | set(found["sheets"].values()) <= addresses


def test_every_file_of_the_shell_can_be_fetched_and_so_can_what_it_loads(found, client):
    sources = {one["source"] for one in found["files"]}
    assert len(sources) == len(found["files"]) > 50

    for source in sources:
        answer = client.get(source)
        assert answer.status_code == 200, source
        if not source.endswith((".js", ".css")):
            continue
        text = b"".join(answer.streaming_content).decode() if answer.streaming else answer.content.decode()
        folder = source.rpartition("/")[0]
        names = re.findall(r'(?:from|import)\s*"(\.[^"]+\.js)"', text) if source.endswith(".js") else []
        names += re.findall(r'url\("?(\.[^")]+)"?\)', text) if source.endswith(".css") else []
        for name in names:
            assert _resolve(folder, name) in sources, f"{source} loads {name}"


def _resolve(folder: str, name: str) -> str:
    parts = folder.split("/")
    for part in name.split("/"):
        if part == "..":
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)


def test_what_lessons_need_is_there(found):
    assert {"core", "lesson", "quiz", "learner", "practice"} <= set(found["sheets"])
    islands = {f"islands/{name}" for name in ("offline-library", "player", "quiz", "timeline", "practice")}
    assert {"offline", "lesson", "timeline", "mount"} | islands <= set(found["scripts"])
    sources = " ".join(one["source"] for one in found["files"])
    assert "/chunks/hls-" in sources  # is fetched when a video starts
    assert "newsreader-" in sources
    assert "geist-" in sources
    assert "ExternalVideo" not in sources
    assert "islands/wizard" not in sources


def test_the_page_keeps_the_policy_of_pages(found, client):
    online = client.get("/offline")["Content-Security-Policy"]

    head = found["html"].partition("</head>")[0]
    [policy] = re.findall(r'<meta http-equiv="Content-Security-Policy" content="([^"]+)">', head)
    assert head.index("Content-Security-Policy") < head.index("<script")
    stored = {part.split()[0]: set(part.split()[1:]) for part in policy.split("; ")}
    served = {part.split()[0]: set(part.split()[1:]) for part in online.split("; ")}
    assert stored["script-src"] == served["script-src"] == {"'self'", *csp_hashes()}
    assert set(served) - set(stored) == {"frame-ancestors"}
    for name, sources in stored.items():
        assert sources == {one for one in served[name] if not one.startswith("'nonce")}


def test_the_build_changes_with_the_page_and_its_files_and_with_nothing_else(monkeypatch, found):
    def build() -> str:
        return shell._shell.__wrapped__("en")["build"]

    before = build()
    assert build() == before == found["build"]
    files = shell._files()
    monkeypatch.setattr(shell, "_files", lambda: [*files, "/static/dist/new-12345678.js"])
    assert build() != before
    monkeypatch.setattr(shell, "_files", lambda: list(reversed(files)))
    assert build() == before
    monkeypatch.setattr(shell, "_digest", lambda source: "another content of a file without a hash in its name")
    assert build() != before
    monkeypatch.undo()
    page = shell.render_to_string(shell.TEMPLATE, {"request": shell.SimpleNamespace(path=shell.PAGE)})
    monkeypatch.setattr(shell, "render_to_string", lambda name, context: page)
    assert build() == before
    monkeypatch.setattr(shell, "render_to_string", lambda name, context: page + " ")
    assert build() != before


def test_data_in_the_page_names_the_files_of_the_shell(monkeypatch):
    data = json.dumps({"b": "/static/dist/a.js"})
    page = f'<head></head><script type="application/json" id="a">{data}</script><code>"/static/</code>'
    monkeypatch.setattr(shell, "render_to_string", lambda name, context: page)

    html = shell._shell.__wrapped__("en")["html"]

    assert '{"b": "/offline/static/dist/a.js"}' in html
    assert '<code>"/static/</code>' in html
