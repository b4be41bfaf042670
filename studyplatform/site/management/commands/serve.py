"""``manage.py serve``: database, demo content on first start, then the whole product until Ctrl-C."""

import contextlib
import os
import socket
import sys
import time
import urllib.request
from argparse import ArgumentParser
from io import StringIO
from pathlib import Path
from threading import Thread
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connections

from studyplatform.supervisor import Supervisor, commands, dev_commands

ACCOUNTS = ("student@example.com", "instructor@example.com", "admin@example.com")
PASSWORD = "StudyDemo1"  # noqa: S105 (of the demo accounts, printed below)


class Command(BaseCommand):
    help = "Run the whole product on this machine: web server and background worker."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--reload", action="store_true", help="Reload when code changes (for development).")

    def handle(self, *, reload: bool, **options: Any) -> None:
        host, port = os.environ.get("HOST", "127.0.0.1"), int(os.environ.get("PORT", "8000"))
        _claim_port("PORT", host, port)
        if settings.BILLING_MODE == "standin":
            _claim_port("STANDIN_PORT", "127.0.0.1", settings.STANDIN_PORT)
        self._say("Preparing the database")
        call_command("prepare_database", verbosity=0)
        self._demo()
        connections.close_all()
        shown = "127.0.0.1" if host in {"0.0.0.0", "::"} else host  # noqa: S104
        address = f"http://{shown}:{port}"
        wanted = dev_commands(host, port) if reload else commands(host, port)
        self._say("Starting the web server and the worker")
        Thread(target=self._announce, args=(address,), daemon=True).start()
        status = Supervisor(wanted, say=self._say).run()
        self._say("Stopped")
        sys.exit(status)

    def _demo(self) -> None:
        """Demo content on the first start; a first start that was broken off is completed."""
        marker = Path(settings.DATA_DIR) / "demo.state"
        state = marker.read_text() if marker.exists() else ""
        if state == "done" or (not state and get_user_model().objects.exists()):
            return
        self._say("Loading the demo content")
        marker.write_text("begun")
        call_command("seed_demo")
        marker.write_text("done")

    def _announce(self, address: str) -> None:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            try:
                urllib.request.urlopen(f"{address}/healthz", timeout=2).close()  # noqa: S310 (our own address)
            except OSError:
                time.sleep(0.1)
                continue
            _connect_standin(address)
            took = time.monotonic() - float(os.environ.get("STUDY_STARTED", time.monotonic()))
            in_files = settings.EMAIL_BACKEND.endswith("mailbox.EmailBackend")
            people = "\n".join(f"    {email}" for email in ACCOUNTS)
            self.stdout.write(
                f"\n  Study Platform is ready on {address}  ({took:.0f} s)\n\n"
                f"  Demo accounts, password {PASSWORD}:\n{people}\n\n"
                + (
                    f"  Emails, with their codes and links, are saved in {settings.EMAIL_FILE_PATH}\n\n"
                    if in_files
                    else ""
                )
                + "  Press Ctrl-C to stop.\n"
            )
            self.stdout.flush()
            return

    def _say(self, text: str) -> None:
        self.stdout.write(f"- {text}")
        self.stdout.flush()


def _connect_standin(address: str) -> None:
    """Let the stand-in for the payment provider, which was just started, send its events to this site."""
    if settings.BILLING_MODE != "standin":
        return
    for _ in range(50):
        with contextlib.suppress(CommandError):
            call_command("connect_payments", site=address, stdout=StringIO())
            break
        time.sleep(0.2)
    connections.close_all()


def _claim_port(variable: str, host: str, port: int) -> None:
    """
    :raises CommandError: something else listens there.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise CommandError(
                f"Port {port} on {host} is already in use. Choose another: {variable}={port + 1} make run"
            ) from error
