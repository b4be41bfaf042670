"""What is started together ends together."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from studyplatform.supervisor import commands, dev_commands
from tests.servers import is_alive

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = """
import sys
from studyplatform.supervisor import Supervisor
child = "import os, pathlib, time; pathlib.Path(%r).write_text(str(os.getpid())); time.sleep(60)"
Supervisor({"child": [sys.executable, "-c", child % sys.argv[1]]}).run()
"""


def wait_for(condition, seconds: float = 15.0):
    deadline = time.monotonic() + seconds
    while not (answer := condition()):
        assert time.monotonic() < deadline, "waited too long"
        time.sleep(0.05)
    return answer


@pytest.fixture
def supervised(tmp_path):
    note = tmp_path / "pid"
    process = subprocess.Popen([sys.executable, "-c", SCRIPT, str(note)], cwd=ROOT)

    def pid_of_child(other_than: int = 0) -> int:
        text = note.read_text() if note.exists() else ""
        return int(text) if text and int(text) != other_than else 0

    yield process, pid_of_child
    process.kill()
    process.wait()


def test_a_process_that_died_is_restarted(supervised):
    _, pid_of_child = supervised
    first = wait_for(pid_of_child)

    os.kill(first, signal.SIGKILL)

    assert wait_for(lambda: pid_of_child(other_than=first))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_all_processes_end_with_the_supervisor(supervised, number):
    process, pid_of_child = supervised
    child = wait_for(pid_of_child)

    process.send_signal(number)

    wait_for(lambda: not is_alive(child))
    process.wait(15)


STUBBORN = """
import sys
from studyplatform.supervisor import Supervisor
child = "import signal, time; signal.signal(15, signal.SIG_IGN); print('started', flush=True); time.sleep(60)"
Supervisor({"worker": [sys.executable, "-c", child]}, say=lambda text: print(text, flush=True)).run()
"""


def test_ctrl_c_says_what_is_being_finished_and_a_second_one_ends_it():
    words = [sys.executable, "-c", STUBBORN]
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "started\n"

        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "Stopping\n"
        assert process.stdout.readline() == (
            "Finishing background jobs, such as the processing of a video: at most 10 s. "
            "Press Ctrl-C again to stop at once\n"
        )
        process.send_signal(signal.SIGINT)
        assert process.wait(8) == 0


def test_stand_in_for_payments_runs_only_without_keys(settings):
    settings.BILLING_MODE = "standin"
    [command] = [words for name, words in commands("127.0.0.1", 8000).items() if name == "payments"]
    assert command[1:3] == ["-m", "apps.billing.standin"]
    assert str(settings.STANDIN_PORT) in command
    assert "payments" in dev_commands("127.0.0.1", 8000)

    settings.BILLING_MODE = "stripe"
    assert "payments" not in {**commands("127.0.0.1", 8000), **dev_commands("127.0.0.1", 8000)}
