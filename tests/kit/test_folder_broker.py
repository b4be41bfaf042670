"""The folder of wake-ups: whole messages, and none that ends a worker."""

import subprocess
import sys
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from kombu import Connection, Exchange, Queue

from studyplatform.celery import app
from studyplatform.kit.jobs import folder_broker

PLACES = {
    "data_folder_in": "messages",
    "data_folder_out": "messages",
    "processed_folder": "done",
    "control_folder": "control",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in {*PLACES.values()}:
        (tmp_path / name).mkdir()
    return tmp_path


@pytest.fixture
def queue(folder: Path) -> Any:
    assert app is not None  # which names the transport
    name = uuid4().hex  # kombu remembers in the process what it has declared
    options = {"polling_interval": 0.01} | {key: str(folder / name) for key, name in PLACES.items()}
    with Connection("folder://", transport_options=options) as connection:
        yield connection.SimpleQueue(Queue(name, Exchange(name), name))


def test_a_message_is_received(queue: Any, folder: Path) -> None:
    queue.put({"job": 7})

    assert queue.get(timeout=5).payload == {"job": 7}
    assert not [path for path in folder.iterdir() if path.name.startswith(".")]


@pytest.mark.parametrize("left", ["", '{"body": "eyJq'])
def test_a_message_that_cannot_be_read_is_dropped(queue: Any, folder: Path, left: str) -> None:
    (folder / "messages" / f"0_half.{queue.queue.name}.msg").write_text(left)  # the oldest, which is read first
    queue.put({"job": 8})

    assert queue.get(timeout=5).payload == {"job": 8}
    assert not [*(folder / "messages").iterdir()]


def test_a_message_is_seen_when_it_is_whole(queue: Any, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[list[str]] = []
    rename = Path.rename

    def noted(path: Path, target: Path) -> Path:
        seen.append([one.name for one in (folder / "messages").iterdir()])
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", noted)
    queue.put({"job": 9})

    assert seen == [[]]


def test_a_table_that_was_left_unfinished_is_written_again(queue: Any, folder: Path) -> None:
    [table] = (folder / "control").iterdir()
    table.write_text("[[")

    name = queue.queue.name
    queue.channel._queue_bind(name, name, "", name)

    assert name in table.read_text()


def test_a_table_that_another_process_is_writing_is_read_again(
    queue: Any, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    [table] = (folder / "control").iterdir()
    whole = table.read_text()
    table.write_text("")
    monkeypatch.setattr(folder_broker, "PAUSE", 0)
    monkeypatch.setattr(folder_broker.time, "sleep", lambda _: table.write_text(whole))

    assert queue.queue.name in str(queue.channel.get_table(queue.queue.name))


def test_a_worker_registers_the_task_that_wakes_it(settings):
    # In a process of its own, as other tests import the module of the task.
    script = (
        "import django; django.setup(); from studyplatform.celery import app; "
        "app.loader.import_default_modules(); assert 'kit.run_pending' in app.tasks"
    )
    subprocess.run([sys.executable, "-c", script], check=True, cwd=settings.BASE_DIR)
