"""The ffmpeg process ends when its work is canceled, when its worker dies, or when it hangs."""

import json
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from apps.files.video import pipeline, steps
from apps.files.video.binaries import find_ffmpeg
from apps.files.video.encode import PID_FILE, kill_stray, run
from apps.files.video.failures import ProcessingFailed
from apps.files.video.recipe import Recipe
from apps.files.video.work import Step
from studyplatform.kit import die_with_parent
from tests.servers import is_alive
from tests.uploads.server import wait_until

pytestmark = pytest.mark.media
QUIET = ["-v", "error", "-nostdin", "-progress", "pipe:1", "-nostats"]
PICTURES = ["-f", "lavfi", "-i", "testsrc2=s=64x64:r=10"]
ENDLESS = [*QUIET, "-re", *PICTURES, "-f", "null", "-"]
ROOT = Path(__file__).resolve().parents[2]


def pid_in(folder: Path) -> int:
    assert wait_until(lambda: (folder / PID_FILE).exists() and (folder / PID_FILE).read_text() != "")
    return int(json.loads((folder / PID_FILE).read_text())["pid"])


class EnoughError(Exception):
    """Cancels the work."""


def test_the_reported_progress_increases(clip, work_on) -> None:
    reports: list[tuple[str, float]] = []

    pipeline.process(work_on(clip("uneven.mp4")), lambda step, done: reports.append((step.name, done)))

    whole = [pipeline.overall_progress(next(s for s in steps.STEPS if s.name == name), done) for name, done in reports]
    assert whole == sorted(whole)
    # A slow machine reports 0 more than once.
    assert list(dict.fromkeys(name for name, done in reports if done == 0)) == [step.name for step in steps.STEPS]
    assert ("ladder", 1.0) in reports


def test_a_report_that_raises_ends_ffmpeg(tmp_path: Path, recipe: Recipe) -> None:
    pids = []

    def stop(_: float) -> None:
        pids.append(pid_in(tmp_path))
        raise EnoughError

    with pytest.raises(EnoughError):
        run(ENDLESS, ffmpeg=find_ffmpeg(), folder=tmp_path, seconds=60, recipe=recipe, report=stop)

    assert not is_alive(pids[0])
    assert not (tmp_path / PID_FILE).exists()


def test_ffmpeg_that_makes_no_progress_is_killed(tmp_path: Path) -> None:
    # ffmpeg waits forever for a pipe without a writer.
    os.mkfifo(tmp_path / "silence")
    keep_open = os.open(tmp_path / "silence", os.O_RDWR)
    arguments = ["-v", "error", "-f", "rawvideo", "-s", "64x64", "-i", str(tmp_path / "silence")]
    arguments += ["-progress", "pipe:1", "-nostats", "-f", "null", "-"]

    with pytest.raises(ProcessingFailed) as failed:
        run(
            arguments, ffmpeg=find_ffmpeg(), folder=tmp_path, seconds=120, recipe=Recipe(stall=2), report=lambda _: None
        )
    os.close(keep_open)

    assert failed.value.reason == "stalled"
    assert failed.value.retry


def test_a_full_error_pipe_does_not_stop_ffmpeg(tmp_path: Path, recipe: Recipe) -> None:
    arguments = [*QUIET, "-v", "trace", *PICTURES, "-t", "20", "-f", "null", "-"]

    run(arguments, ffmpeg=find_ffmpeg(), folder=tmp_path, seconds=20, recipe=recipe, report=lambda _: None)


def test_the_output_of_ffmpeg_is_logged(tmp_path: Path, recipe: Recipe) -> None:
    with pytest.raises(ProcessingFailed) as failed:
        run(["-v", "error", "-i", "file:nowhere"], ffmpeg=find_ffmpeg(), folder=tmp_path, seconds=1, recipe=recipe,
            report=lambda _: None)  # fmt: skip

    assert "No such file" in failed.value.note
    assert "nowhere" not in str(failed.value)


WORKER = """
    import sys
    from pathlib import Path
    from apps.files.video.binaries import find_ffmpeg
    from apps.files.video.encode import run
    from apps.files.video.recipe import Recipe
    run(sys.argv[2:], ffmpeg=find_ffmpeg(), folder=Path(sys.argv[1]), seconds=60, recipe=Recipe(),
        report=lambda _: None)
"""


def start_worker(folder: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", textwrap.dedent(WORKER), str(folder), *ENDLESS], cwd=ROOT)


def test_ffmpeg_ends_when_its_worker_is_killed(tmp_path: Path) -> None:
    worker = start_worker(tmp_path)
    pid = pid_in(tmp_path)
    assert wait_until(lambda: b"testsrc2" in Path(f"/proc/{pid}/cmdline").read_bytes() and is_alive(pid))

    worker.kill()
    worker.wait()

    assert wait_until(lambda: not is_alive(pid))


def test_without_a_parent_death_signal_the_supervisor_watches_the_pipe(tmp_path: Path, monkeypatch) -> None:
    """Simulates macOS, where a supervisor process runs between the worker and ffmpeg."""
    supervisor = tmp_path / "die_with_parent.py"
    supervisor.write_text(
        Path(str(die_with_parent.__file__)).read_text().replace('startswith("linux")', 'startswith("never")')
    )
    worker = subprocess.Popen(
        [sys.executable, "-c", f"import studyplatform.kit.die_with_parent as l; l.__file__ = {str(supervisor)!r}\n"
         + textwrap.dedent(WORKER), str(tmp_path), *ENDLESS],
        cwd=ROOT,
    )  # fmt: skip
    pid = pid_in(tmp_path)
    children = Path(f"/proc/{pid}/task/{pid}/children")
    assert wait_until(lambda: children.read_text().strip() != "")
    child = int(children.read_text().split()[0])
    assert wait_until(lambda: b"testsrc2" in Path(f"/proc/{child}/cmdline").read_bytes())

    worker.kill()
    worker.wait()

    assert wait_until(lambda: not is_alive(child) and not is_alive(pid))


def test_a_stray_process_of_an_earlier_attempt_is_killed(tmp_path: Path) -> None:
    out = tmp_path / "out.nut"
    stray = subprocess.Popen(
        [find_ffmpeg(), *ENDLESS[:-3], "-f", "nut", "-y", out], stdout=subprocess.DEVNULL, start_new_session=True
    )
    (tmp_path / PID_FILE).write_text(json.dumps({"pid": stray.pid, "marker": str(tmp_path)}))
    assert wait_until(lambda: str(out) in Path(f"/proc/{stray.pid}/cmdline").read_text())

    assert kill_stray(tmp_path)

    assert stray.wait(5) == -signal.SIGKILL
    assert not kill_stray(tmp_path)


def test_a_pid_reused_by_another_program_is_not_killed(tmp_path: Path) -> None:
    other = subprocess.Popen(["sleep", "30"], start_new_session=True)
    (tmp_path / PID_FILE).write_text(json.dumps({"pid": other.pid, "marker": str(tmp_path)}))

    assert not kill_stray(tmp_path)

    assert other.poll() is None
    other.kill()
    other.wait()


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"pid": "x", "marker": 3}'])
def test_an_invalid_pid_file_is_ignored(content: str, tmp_path: Path) -> None:
    (tmp_path / PID_FILE).write_text(content)

    assert not kill_stray(tmp_path)


def test_only_the_interrupted_step_is_repeated(clip, work_on) -> None:
    work = work_on(clip("captioned.mp4"))
    taken: list[str] = []

    def stop_in_the_ladder(step: Step, done: float) -> None:
        if done == 0:
            taken.append(step.name)
        if step.name == "ladder":
            raise EnoughError

    with pytest.raises(EnoughError):
        pipeline.process(work, stop_in_the_ladder)
    (work.folder / "part-ladder").mkdir()
    (work.folder / "part-ladder" / "rubbish").write_text("of the killed try")
    again: list[str] = []
    done = pipeline.process(work, lambda step, share: again.append(step.name) if share == 0 else None)

    assert list(dict.fromkeys(taken)) == ["analyze", "poster", "levels", "sound", "captions", "first", "ladder"]
    assert list(dict.fromkeys(again)) == ["ladder", "storyboard", "finish"]
    assert done.is_complete
    assert not list(work.folder.glob("**/rubbish"))


def test_a_full_disk_is_a_temporary_failure(clip, work_on, monkeypatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(steps, "probe", refuse)

    with pytest.raises(ProcessingFailed) as failed:
        pipeline.process(work_on(clip("silent.mp4")))

    assert (failed.value.reason, failed.value.retry) == ("no_space", True)
