"""The security headers of every response, and the required production settings."""

import base64
import hashlib
import json
import os
import re
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.staticfiles import finders
from django.test import Client
from django.utils import timezone

from apps.accounts.models import BrowserSession, User
from apps.learning.queries.addresses import progress_url
from studyplatform.kit.models import Announcement
from studyplatform.kit.web.inline_scripts import inline_scripts
from studyplatform.site.system import api_schema
from tests.cases import all_cases
from tests.factories.accounts import PASSWORD

ROOT = Path(__file__).parents[2]
GOOD_KEY = "k3Jx-9vQ_hT2mZr7Wb0YcL5nPd8sFgA1uEoXiRtKyMqVwBzNj64"


@pytest.fixture
def static_file() -> str:
    return "/static/" + next((ROOT / "static" / "favicons").glob("*.*")).relative_to(ROOT / "static").as_posix()


@pytest.mark.django_db
@all_cases(
    "address",
    ["/", "/courses/", "/nowhere", "/auth/login", "/admin/", "/api/v1/auth/session/", "/api/v1/nowhere", "/healthz",
     "/api/v1/schema/", "/robots.txt", "/sitemap.xml",
     "/media/v/made-up/720p/index.m3u8", "/avatars/made-up.webp", "static"],
)  # fmt: skip
def test_every_kind_of_response_has_the_security_headers(client: Client, address: str, static_file: str) -> None:
    answer = client.get(static_file if address == "static" else address)

    policy = answer["Content-Security-Policy"] if address != "static" else "frame-ancestors 'none'"
    for word in ("unsafe-inline", "unsafe-eval", "*", "http:"):
        assert word not in policy, word
    assert "frame-ancestors 'none'" in policy
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Referrer-Policy"] == "strict-origin-when-cross-origin"
    assert answer["Cross-Origin-Opener-Policy"] == "same-origin"
    if address != "static":
        assert answer["X-Frame-Options"] == "DENY"
        assert "camera=()" in answer["Permissions-Policy"]


def inline_scripts_of(page: str) -> list[str]:
    """Return the texts of the inline scripts that the browser runs, without script files and JSON data."""
    return re.findall(r"<script(?![^>]*\b(?:src|type=.application/(?:ld\+)?json))[^>]*>(.*?)</script>", page, re.S)


@pytest.mark.django_db
@pytest.mark.parametrize("address", ["/", "/auth/login", "/courses/"])
def test_the_policy_allows_only_our_inline_scripts_by_their_hash(client: Client, settings: Any, address: str) -> None:
    settings.ANNOUNCEMENTS, now = True, timezone.now()
    Announcement.objects.create(text="Hello", shown_from=now, shown_until=now + timedelta(hours=1))
    answer = client.get(address)
    [allowed] = re.findall(r"script-src ([^;]*)", answer["Content-Security-Policy"])
    scripts = inline_scripts_of(answer.content.decode())
    hashes = {f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'" for text in scripts}

    assert len(hashes) == 2
    assert set(allowed.split()) == {"'self'", *hashes}


@pytest.mark.django_db
@pytest.mark.parametrize("debug", [True, False])
def test_a_page_matches_its_policy_after_a_new_build(
    client: Client, settings: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, debug: bool
) -> None:
    settings.DEBUG = debug
    client.get("/auth/login")
    (tmp_path / "manifest.json").write_text('{"beforePaint": {"js": "beforePaint.js"}}')
    (tmp_path / "beforePaint.js").write_text("rebuilt();\n")
    monkeypatch.setattr("studyplatform.kit.web.inline_scripts.MANIFEST", tmp_path / "manifest.json")

    answer = client.get("/auth/login")

    [script] = inline_scripts_of(answer.content.decode())
    assert (script == "rebuilt();") is debug
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"'sha256-{digest}'" in answer["Content-Security-Policy"]


@pytest.mark.django_db
def test_each_response_has_its_own_nonce(browser_of, leo, enrollment) -> None:
    browser, seen = browser_of(leo), []
    for _ in range(3):
        answer = browser.get(progress_url(enrollment.course.slug))
        [nonce] = set(re.findall(r"'nonce-([^']+)'", answer["Content-Security-Policy"]))
        assert set(re.findall(r'nonce="([^"]+)"', answer.content.decode())) == {nonce}
        seen.append(nonce)

    assert len(set(seen)) == 3
    assert all(len(nonce) >= 20 for nonce in seen)


@pytest.mark.django_db
def test_no_page_contains_anything_that_the_policy_blocks(client: Client) -> None:
    for address in ("/", "/courses/", "/auth/login", "/auth/register", "/help/", "/status"):
        page = client.get(address).content.decode()
        for script in inline_scripts_of(page):
            assert script in inline_scripts().values(), address
        assert not re.findall(r"<style(?![^>]*\bnonce=)[^>]*>", page), address
        assert not re.findall(r"<[^>]+\s(?:on[a-z]+|style)=", page), address
        assert "javascript:" not in page, address


@pytest.mark.django_db
def test_signing_in_changes_the_session_key_and_signing_out_ends_the_session(leo: User) -> None:
    browser = Client()
    browser.get("/auth/login")
    before = browser.cookies.get("sessionid")
    browser.post("/auth/login", {"email": leo.email, "password": PASSWORD})
    cookie = browser.cookies["sessionid"]
    assert before is None or before.value != cookie.value
    assert (cookie["httponly"], cookie["samesite"]) == (True, "Lax")

    browser.post("/auth/logout")
    thief = Client()
    thief.cookies["sessionid"] = cookie.value

    assert not BrowserSession.objects.of(leo).exists()
    assert thief.get("/settings/").status_code == 302
    assert thief.get("/api/v1/auth/session/").status_code == 401


# --- Production -----------------------------------------------------------------------------------

MINIMAL = {
    "SECRET_KEY": GOOD_KEY,
    "ALLOWED_HOSTS": "learn.example",
    "SITE_URL": "https://learn.example",
    "EMAIL_URL": "smtp://mail.example:25",
    "STRIPE_LIVE_MODE": "true",
    "STRIPE_LIVE_SECRET_KEY": "sk_live_" + "0" * 24,
    "STRIPE_LIVE_PUBLISHABLE_KEY": "pk_live_" + "0" * 24,
}


# Runs the program in the first argument once per environment in the second argument, each in a fork of a process
# that has already loaded Django, because starting Python and loading Django takes most of the time of a run.
FORKS = """
import json, os, sys
import django, django.conf, django.test
program, environments = sys.argv[1], json.loads(sys.argv[2])
for environment in environments:
    if not os.fork():
        os.environ.update(environment)
        try:
            exec(program)
        except Exception as error:
            print(json.dumps([type(error).__name__, str(error)]))
        sys.stdout.flush()
        os._exit(0)
    os.wait()
"""


def production(tmp_path: Path, program: str, *changes: dict[str, str]) -> list[Any]:
    """Run a program in a minimal production environment, once per change. Returns its JSON outputs."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    environment = kept | MINIMAL | {"DATA_DIR": str(tmp_path)}
    environment["DJANGO_SETTINGS_MODULE"] = "studyplatform.settings.production"
    done = subprocess.run(
        [sys.executable, "-c", FORKS, program, json.dumps(changes)],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=240,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


REFUSED = [
    {"SECRET_KEY": ""},
    {"SECRET_KEY": "short"},
    {"SECRET_KEY": "a" * 60},
    {"SECRET_KEY": "django-insecure-" + GOOD_KEY},
    {"ALLOWED_HOSTS": ""},
    {"ALLOWED_HOSTS": "*"},
    {"SITE_URL": ""},
    {"EMAIL_URL": ""},
    {"STRIPE_LIVE_PUBLISHABLE_KEY": ""},
]


def test_where_production_listens_does_not_change_its_hosts(tmp_path: Path) -> None:
    program = "django.setup(); print(json.dumps(django.conf.settings.ALLOWED_HOSTS))"

    everywhere, one = production(tmp_path, program, {"HOST": "0.0.0.0"}, {"HOST": "10.0.0.7"})  # noqa: S104

    assert everywhere == one == ["learn.example"]


def test_what_is_stored_is_closed_for_other_users_of_the_machine(tmp_path: Path) -> None:
    data = tmp_path / "data"
    (data / "media").mkdir(parents=True, mode=0o755)
    for name in ("db.sqlite3", "db.sqlite3-wal"):
        (data / name).touch(0o644)
    program = "import os; os.umask(0o022); django.setup(); print(json.dumps('started'))"
    production(data, program, {})
    (data / "db.sqlite3").unlink()
    production(data, program, {})

    modes = {path.name: path.stat().st_mode & 0o777 for path in [data, *data.iterdir()]}
    assert {modes[name] for name in ("db.sqlite3", "db.sqlite3-wal", "secret_key") if name in modes} == {0o600}
    assert {modes[name] for name in ("data", "media", "uploads", "work", "mail")} == {0o750}


@pytest.mark.django_db
def test_the_documentation_of_the_api_has_a_policy_and_loads_only_files(client: Client) -> None:
    page = client.get("/api/v1/docs/")

    policy = {part.split()[0]: part.split()[1:] for part in page["Content-Security-Policy"].split("; ")}
    assert {"'unsafe-inline'", "'unsafe-eval'", "*"}.isdisjoint(policy["script-src"])
    assert policy["frame-ancestors"] == ["'none'"]
    assert "<script>" not in page.content.decode()
    assert client.get("/api/v1/docs/?script=").headers["Content-Type"].startswith("application/javascript")
    loaded = re.findall(r'(?:src|href)="([^"]+)"', page.content.decode())
    files = [address.removeprefix("/static/") for address in loaded if not address.startswith("/api/v1/docs/")]
    assert len(files) == 4
    assert [file for file in files if finders.find(file) is None] == []


def test_the_schema_is_made_once_and_is_the_same_for_everyone(client: Client, monkeypatch) -> None:
    first = client.get("/api/v1/schema/")
    monkeypatch.setattr(api_schema, "SchemaGenerator", None)  # would fail if it were made again
    second = client.get("/api/v1/schema/", headers={"Accept-Language": "de", "Accept": "text/html"})

    assert (first.status_code, first["Content-Type"]) == (200, "application/vnd.oai.openapi+json")
    recorded = json.loads((ROOT / "tests/contract/openapi.json").read_text())
    assert json.loads(second.content)["paths"].keys() == recorded["paths"].keys()


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("/me/dashboard", "private, no-cache"),
        ("/", "private, no-cache"),
        ("/nowhere", "private, no-cache"),
        ("/api/v1/enrollments/", "private, no-store"),
        ("/api/v1/auth/session/", "private, no-store"),
        ("/api/v1/nowhere", "private, no-store"),
    ],
)
def test_what_a_signed_in_user_gets_is_kept_by_no_cache(browser_of, leo, address: str, expected: str) -> None:
    kept = browser_of(leo).get(address)["Cache-Control"]

    assert "private" in kept
    assert ("no-store" in kept) is ("no-store" in expected)
    assert "no-cache" in kept or "no-store" in kept or "max-age=0" in kept


SIMULATED = {"STRIPE_LIVE_MODE": "", "STRIPE_LIVE_SECRET_KEY": "", "STRIPE_LIVE_PUBLISHABLE_KEY": ""}


def test_production_starts_only_with_its_secrets_and_simulates_payments_only_when_told_to(tmp_path: Path) -> None:
    program = "django.setup(); print(json.dumps(django.conf.settings.BILLING_MODE))"
    test_key = {"STRIPE_LIVE_SECRET_KEY": "sk_test_" + "0" * 24}
    others = [{}, SIMULATED | {"ALLOW_STANDIN": "true"}, SIMULATED, test_key]
    real, simulated, untold, mixed, *refused = production(tmp_path, program, *others, *REFUSED)

    assert (real, simulated) == ("stripe", "standin")
    assert untold[0] == mixed[0] == "ImproperlyConfigured"
    assert "ALLOW_STANDIN" in untold[1]
    assert "sk_live_" in mixed[1]
    assert len(refused) == len(REFUSED)
    for changes, (error, words) in zip(REFUSED, refused, strict=True):
        assert error == "ImproperlyConfigured"
        assert next(iter(changes)) in words


PROBE = """
django.setup()
from io import StringIO
from django.core.management import call_command
from django.test import Client
from django.utils import timezone
secure, plain = Client(headers={"host": "learn.example"}), Client(headers={"host": "learn.example"})
answer = secure.get("/robots.txt", secure=True)
led = plain.get("/robots.txt?q=a")
from django.conf import settings
checked = StringIO()
call_command("check", deploy=True, fail_level="CRITICAL", stdout=checked, stderr=checked)
print(json.dumps({
    "check": checked.getvalue().strip(),
    "hsts": answer.headers.get("Strict-Transport-Security"),
    "led": [led.status_code, led.headers.get("Location")],
    "alive": plain.get("/healthz").status_code,
    "stranger": Client(headers={"host": "evil.example"}).get("/healthz", secure=True).status_code,
    "cookies": [settings.SESSION_COOKIE_SECURE, settings.SESSION_COOKIE_HTTPONLY, settings.SESSION_COOKIE_SAMESITE,
                settings.CSRF_COOKIE_SECURE, settings.CSRF_COOKIE_SAMESITE],
    "debug": settings.DEBUG,
    "hasher": settings.PASSWORD_HASHERS[0].rpartition(".")[2],
}))
"""


@pytest.mark.long
def test_production_allows_only_https_unless_a_proxy_provides_it(tmp_path: Path) -> None:
    found, behind_proxy = production(tmp_path, PROBE, {}, {"SECURE_SSL_REDIRECT": "false", "SECURE_HSTS_SECONDS": "60"})

    assert found == {
        "check": "System check identified no issues (1 silenced).",
        "hsts": "max-age=31536000; includeSubDomains; preload",
        "led": [301, "https://learn.example/robots.txt?q=a"],
        "alive": 200,
        "stranger": 400,
        "cookies": [True, True, "Lax", True, "Lax"],
        "debug": False,
        "hasher": "QueuedArgon2",
    }
    assert behind_proxy["led"][0] != 301
    assert behind_proxy["hsts"].startswith("max-age=60;")


def test_pages_name_the_rules_that_prefetch_marked_links(db, client):
    page = client.get("/")
    rules = client.get(page.headers["Speculation-Rules"].strip('"'))

    assert rules.headers["Content-Type"] == "application/speculationrules+json"
    assert rules.json()["prefetch"][0]["where"] == {"selector_matches": "a[data-prefetch]"}
    assert "Speculation-Rules" not in client.get("/robots.txt").headers
