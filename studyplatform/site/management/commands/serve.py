"""``manage.py serve``: database, demo content on first start, then the whole product until Ctrl-C."""

import contextlib
import fcntl
import os
import sys
import time
import urllib.request
from argparse import ArgumentParser
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from threading import Thread
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connections

from studyplatform.kit.web.failures import is_out_of_space
from studyplatform.launch.machine import address_problems
from studyplatform.supervisor import Supervisor, commands, dev_commands

ACCOUNTS = ("student@example.com", "instructor@example.com", "admin@example.com")
PASSWORD = "StudyDemo1"  # noqa: S105 (of the demo accounts, printed below)


class Command(BaseCommand):
    help = "Run the whole product on this machine: web server and background worker."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--reload", action="store_true", help="Reload when code changes (for development).")

    def handle(self, *, reload: bool, **options: Any) -> None:
        host, port = os.environ.get("HOST") or "127.0.0.1", int(os.environ.get("PORT") or "8000")
        release = self._lock_data()
        _check_address("PORT", host, port)
        if settings.BILLING_MODE == "standin":
            _check_address("STANDIN_PORT", "127.0.0.1", settings.STANDIN_PORT)
        self._prepare()
        shown = "127.0.0.1" if host in {"0.0.0.0", "::"} else host  # noqa: S104
        address = f"http://[{shown}]:{port}" if ":" in shown else f"http://{shown}:{port}"
        wanted = dev_commands(host, port) if reload else commands(host, port)
        self._say("Starting the web server and the worker")
        Thread(target=self._announce, args=(address, release), daemon=True).start()
        status = Supervisor(wanted, say=self._say).run()
        with contextlib.suppress(OSError):  # the terminal may have been closed
            self._say("Stopped")
        sys.exit(status)

    def _prepare(self) -> None:
        """Bring the database up to date, and load the demo content on the first start.

        :raises CommandError: the disk is full.
        """
        self._say("Preparing the database")
        try:
            call_command("prepare_database", verbosity=0)
            self._demo()
        except KeyboardInterrupt:
            self._say("Stopped. The next start continues here")
            sys.exit(130)
        except Exception as problem:
            if not is_out_of_space(problem):
                raise
            raise CommandError(f"The disk of {settings.DATA_DIR} is full. The next start continues here.") from problem
        finally:
            connections.close_all()

    def _lock_data(self) -> Callable[[], None]:
        """Wait until no other start prepares the same data; returns the function that lets the next one begin."""
        folder = os.open(settings.DATA_DIR, os.O_RDONLY)
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._say("Waiting for another start with the same data")
            fcntl.flock(folder, fcntl.LOCK_EX)
        except OSError:
            pass  # this file system has no locks
        return lambda: os.close(folder)

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

    def _announce(self, address: str, release: Callable[[], None]) -> None:
        """Say that the site can be opened, once it can."""
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            try:
                urllib.request.urlopen(f"{address}/healthz", timeout=2).close()  # noqa: S310 (our own address)
            except OSError:
                time.sleep(0.1)
                continue
            release()  # from now on a second start finds the port taken
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


def _check_address(variable: str, host: str, port: int) -> None:
    """
    :raises CommandError: the server can't listen there.
    """
    problems = address_problems(host, str(port), variable=variable)
    if problems:
        raise CommandError(problems[0])
