"""`WEB_SERVER=daphne`: daphne serves pages and websockets, and ends by itself when the supervisor asks it to."""

import contextlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.test import Client
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect
from websockets.typing import Origin

from apps.accounts.models import User
from studyplatform import supervisor
from studyplatform.settings import env
from tests.servers import free_port
from tests.tutor.test_mcp_servers import database_url
from tests.uploads.server import wait_until

ROOT = Path(__file__).resolve().parents[2]


def test_only_servers_that_are_known_can_be_named(monkeypatch: pytest.MonkeyPatch) -> None:
    assert env.choice("WEB_SERVER", ("uvicorn", "daphne")) == "uvicorn"
    monkeypatch.setenv("WEB_SERVER", "Daphne")
    with pytest.raises(ImproperlyConfigured, match="WEB_SERVER must be one of: uvicorn, daphne"):
        env.choice("WEB_SERVER", ("uvicorn", "daphne"))


@pytest.mark.long
@pytest.mark.database
@pytest.mark.django_db(transaction=True)
def test_daphne_serves_a_page_and_a_socket_and_stops(
    leo: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "WEB_SERVER", "daphne")
    port = free_port()
    command = supervisor.commands("127.0.0.1", port)["web"]
    assert Path(command[0]).name == "daphne"
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "studyplatform.settings.test",
        "DATA_DIR": str(tmp_path),
        "DATABASE_URL": database_url(),
    }
    browser = Client()
    browser.force_login(leo)
    cookie = f"{settings.SESSION_COOKIE_NAME}={browser.cookies[settings.SESSION_COOKIE_NAME].value}"
    server = subprocess.Popen([sys.executable, *command], cwd=ROOT, env=environment, start_new_session=True)
    address = f"http://127.0.0.1:{port}"

    def answers() -> bool:
        with contextlib.suppress(httpx.HTTPError):
            return httpx.get(f"{address}/healthz", timeout=10).status_code == 200
        return False

    try:
        assert wait_until(answers)
        page = httpx.get(f"{address}/settings/", headers={"Cookie": cookie}, timeout=60)
        assert (page.status_code, "leo@example.com" in page.text) == (200, True)
        assert "server" not in page.headers
        with connect(
            f"ws://127.0.0.1:{port}/ws/notifications/", origin=Origin(address), additional_headers={"Cookie": cookie}
        ) as socket:
            assert json.loads(socket.recv(timeout=30))["type"] == "unread"
            server.send_signal(signal.SIGTERM)
            with pytest.raises(ConnectionClosed):
                socket.recv(timeout=30)
        server.wait(timeout=supervisor.GRACE + 20)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(server.pid, signal.SIGKILL)
        server.wait()
