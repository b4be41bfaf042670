"""`manage.py serve`: what it says when a start can't go on."""

import errno
import fcntl
import os
import sqlite3
import subprocess
import sys

import pytest
from django.core.management.base import CommandError
from django.db.utils import OperationalError

from studyplatform.site.management.commands import serve


def full_database() -> OperationalError:
    connection = sqlite3.connect(":memory:")
    connection.execute("PRAGMA max_page_count = 1")
    try:
        connection.execute("CREATE TABLE full (text)")
    except sqlite3.OperationalError as cause:
        problem = OperationalError(str(cause))
        problem.__cause__ = cause
        return problem
    raise AssertionError


@pytest.mark.parametrize("make", [full_database, lambda: OSError(errno.ENOSPC, "No space left on device")])
def test_a_full_disk_is_one_sentence(monkeypatch, make) -> None:
    def fail(*words: str, **options: object) -> None:
        raise make()

    monkeypatch.setattr(serve, "call_command", fail)

    with pytest.raises(CommandError, match=r"^The disk of .* is full\. The next start continues here\.$"):
        serve.Command()._prepare()


def test_ctrl_c_while_the_database_is_prepared_ends_with_one_sentence(monkeypatch, capsys) -> None:
    def interrupt(*words: str, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(serve, "call_command", interrupt)

    with pytest.raises(SystemExit) as caught:
        serve.Command()._prepare()

    assert caught.value.code == 130
    assert "Stopped. The next start continues here" in capsys.readouterr().out


def test_two_starts_with_the_same_data_prepare_it_one_after_the_other(settings, tmp_path, capsys) -> None:
    settings.DATA_DIR = tmp_path
    other = "import fcntl, os, sys, time; fcntl.flock(os.open(sys.argv[1], os.O_RDONLY), fcntl.LOCK_EX); "
    other += "print('locked', flush=True); time.sleep(2)"
    with subprocess.Popen([sys.executable, "-c", other, tmp_path], stdout=subprocess.PIPE, text=True) as first:
        assert first.stdout is not None
        assert first.stdout.readline() == "locked\n"
        release = serve.Command()._lock_data()
    assert "Waiting for another start with the same data" in capsys.readouterr().out

    third = os.open(tmp_path, os.O_RDONLY)
    with pytest.raises(BlockingIOError):
        fcntl.flock(third, fcntl.LOCK_EX | fcntl.LOCK_NB)
    release()
    fcntl.flock(third, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.close(third)


def test_an_address_that_cannot_be_used_is_named_with_its_variable() -> None:
    with pytest.raises(CommandError, match="STANDIN_PORT must be a number"):
        serve._check_address("STANDIN_PORT", "127.0.0.1", 70000)
