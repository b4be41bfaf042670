"""Processing turns an uploaded file into a video, even if a worker is killed or a disk fills up."""

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from apps.accounts.models import User
from apps.files import queries, services
from apps.files.events import VideoAnalyzed, VideoCompleted, VideoFailed, VideoPlayable
from apps.files.models import CaptionTrack, VideoAsset
from apps.files.services import processing, publishing
from apps.files.storage import local_path, upload_path, work_folder
from apps.files.video.encode import PID_FILE
from apps.files.video.failures import ProcessingFailed
from apps.files.video.recipe import Recipe
from apps.files.video.steps import STEPS
from apps.files.video.work import Work
from studyplatform.kit import events, jobs
from studyplatform.kit.models import Job
from tests.factories.files import CaptionFactory, VideoFactory
from tests.files.clips import cut_off, damage, watch
from tests.servers import is_alive
from tests.uploads.server import PATIENCE_SECONDS, wait_until

pytestmark = [
    pytest.mark.media,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("own_folders"),
]

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def video_events() -> Any:
    """Return the names of the published video events, in order."""
    names: list[str] = []
    kinds = (VideoAnalyzed, VideoPlayable, VideoCompleted, VideoFailed)
    for kind in kinds:
        events.subscribe(kind)(lambda event: names.append(type(event).__name__))
    yield names
    for kind in kinds:
        events._subscribers[kind].pop()


def run_jobs() -> None:
    jobs.run_pending("media")
    jobs.run_pending("default")


def create_video(owner: User, path: Path) -> VideoAsset:
    return services.import_video(owner=owner, path=path, now=timezone.now())


def files_under(folder: Any) -> list[str]:
    root = Path(folder)
    return sorted(each.relative_to(root).as_posix() for each in root.rglob("*") if each.is_file())


def test_a_video_is_processed_and_published(ada, clip, video_events, settings, tmp_path) -> None:
    video = create_video(ada, clip("captioned.mp4"))

    run_jobs()

    video.refresh_from_db()
    assert (video.stage, video.percent, video.failure, video.is_playable) == ("complete", 100, "", True)
    assert video.duration == pytest.approx(4, abs=0.05)
    assert (video.width, video.height, video.has_audio) == (320, 180, True)
    assert (video.poster, video.storyboard) == ("poster.jpg", "storyboard.vtt")
    assert [each.name for each in video.renditions.order_by("-bandwidth")] == ["480p", "audio"]
    track = video.captions.get()
    assert (track.language, track.label) == ("de", "German")
    assert video_events == ["VideoAnalyzed", "VideoPlayable", "VideoCompleted"]
    folder = local_path(video.directory)
    assert folder is not None
    assert {"master.m3u8", "poster.jpg", "storyboard.vtt", "480p/index.m3u8", "audio/init.mp4"} <= set(
        files_under(folder)
    )
    assert watch(folder / "480p").duration == pytest.approx(4, abs=0.1)
    assert video.stored_bytes == sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    # The original is kept, and the work folder is empty.
    kept = local_path(video.source)
    assert kept is not None
    assert kept.read_bytes() == clip("captioned.mp4").read_bytes()
    assert files_under(tmp_path / "uploads") == files_under(tmp_path / "work") == []


@pytest.mark.long
def test_the_original_is_stored_only_if_configured(ada, clip, settings, tmp_path) -> None:
    settings.VIDEO_KEEP_ORIGINALS = False
    video = create_video(ada, clip("silent.mp4"))

    run_jobs()

    video.refresh_from_db()
    assert (video.stage, video.source, video.has_audio) == ("complete", "", False)
    assert files_under(tmp_path / "uploads") == []
    assert not (tmp_path / "media" / "originals").exists()


@pytest.mark.long
def test_the_stages_are_reported_in_order(ada, clip, monkeypatch) -> None:
    video = create_video(ada, clip("lecture.mp4"))
    seen: list[tuple[str, int]] = []
    tell = processing._ProgressReporter._save
    monkeypatch.setattr(processing, "SAVE_EVERY", 0)

    def record_step(clerk: Any, step: Any, percent: int) -> None:
        tell(clerk, step, percent)
        row = VideoAsset.objects.get(pk=video.pk)
        seen.append((row.stage, row.percent))

    monkeypatch.setattr(processing._ProgressReporter, "_save", record_step)
    run_jobs()

    stages = list(dict.fromkeys(stage for stage, _ in seen))
    assert stages == ["analyzing", "audio", "finalizing"]
    for stage in stages:
        percents = [percent for each, percent in seen if each == stage]
        assert percents == sorted(percents)
        assert percents[0] == 0
    assert any(0 < percent < 99 for stage, percent in seen if stage == "finalizing")


@pytest.mark.long
@pytest.mark.parametrize(("name", "first", "later"), [("lecture.mp4", "720p", "480p"), ("sparse.mp4", "480p", "720p")])
def test_the_first_rendition_is_playable_while_the_others_are_encoded(
    name: str, first: str, later: str, ada, clip, video_events, monkeypatch
) -> None:
    """A copy of the source's picture, or its smallest size."""
    monkeypatch.setattr(processing, "Recipe", partial(Recipe, early_min_seconds=5))
    video = create_video(ada, clip(name))
    during: list[dict[str, Any]] = []
    begin = processing._ProgressReporter.begin

    def check_playback(clerk: Any, step: Any) -> None:
        begin(clerk, step)
        if step.name == "ladder":
            row = VideoAsset.objects.get(pk=video.pk)
            master = local_path(f"{row.directory}/master.m3u8")
            assert master is not None
            during.append({"playable": row.is_playable, "stage": row.stage, "master": master.read_text()})

    monkeypatch.setattr(processing._ProgressReporter, "begin", check_playback)
    run_jobs()

    assert during[0]["playable"] is True
    assert during[0]["stage"] == "finalizing"
    assert f"{first}/index.m3u8" in during[0]["master"]
    assert later not in during[0]["master"]
    assert video_events == ["VideoAnalyzed", "VideoPlayable", "VideoCompleted"]
    video.refresh_from_db()
    assert {each.name for each in video.renditions.all()} == {"720p", "480p", "audio"}


@pytest.mark.parametrize("kind", ["truncated", "text", "empty", "playlist"])
def test_a_file_that_is_not_a_video_ends_as_a_corrupt_file(kind: str, ada, clip, tmp_path, video_events) -> None:
    path = tmp_path / "bad.mp4"
    if kind == "truncated":
        cut_off(clip("lecture.mp4"), path, 0.6)
    else:
        path.write_bytes(
            {"text": b"words, words\n" * 9, "empty": b"", "playlist": b"#EXTM3U\nfile:///etc/passwd\n"}[kind]
        )
    video = create_video(ada, path)

    run_jobs()

    video.refresh_from_db()
    assert (video.stage, video.failure) == ("failed", "corrupt_file")
    assert len(video.failure_detail) > 20
    assert queries.storage_of(ada).used == 0
    assert video_events == ["VideoFailed"]
    assert files_under(tmp_path / "uploads") == files_under(tmp_path / "work") == []
    assert Job.objects.get(kind="files.process_video").state == Job.State.DONE


# --- Killed and stopped workers -----------------------------------------------------------------------------

WORKER = """
import os, sys
import django
django.setup()
from pathlib import Path
from django.conf import settings
folder = Path(sys.argv[1])
settings.UPLOAD_ROOT, settings.WORK_ROOT = folder / "uploads", folder / "work"
settings.STORAGES["default"]["OPTIONS"] = {"location": str(folder / "media")}
from django.db import connection
connection.settings_dict["NAME"] = sys.argv[2]
from studyplatform.kit import jobs
jobs.run_pending("media")
jobs.run_pending("default")
"""


def start_worker(folder: Path) -> subprocess.Popen[bytes]:
    """Start a worker process that uses the test's database and folders."""
    code = [sys.executable, "-c", WORKER, str(folder), connection.settings_dict["NAME"]]
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "studyplatform.settings.test"}
    return subprocess.Popen(code, cwd=ROOT, env=environment)


@pytest.mark.long
def test_a_killed_worker_leaves_nothing_behind_and_the_next_one_finishes(ada, clip, tmp_path) -> None:
    video = create_video(ada, clip("long.mp4"))
    assert video.version is not None
    folder = work_folder(video.version)
    worker = start_worker(tmp_path)
    is_encoding_ladder = lambda: (  # noqa: E731
        VideoAsset.objects.get(pk=video.pk).step == "ladder" and any(folder.glob("part-ladder-*/*/*.m4s*"))
    )
    assert wait_until(is_encoding_ladder)
    ffmpeg = json.loads((folder / PID_FILE).read_text())["pid"]
    assert is_alive(ffmpeg)
    done_before = files_under(folder / "done")

    worker.send_signal(signal.SIGKILL)
    worker.wait()

    assert wait_until(lambda: not is_alive(ffmpeg))
    assert done_before == ["analyze", "captions", "first", "levels", "poster", "sound"]
    job = Job.objects.get(kind="files.process_video")
    assert job.state == Job.State.RUNNING
    Job.objects.filter(pk=job.pk).update(lease_until=timezone.now() - timedelta(seconds=1))  # the lease expires
    marks = {name: (folder / "done" / name).stat().st_mtime_ns for name in done_before}
    second = start_worker(tmp_path)
    assert wait_until(lambda: VideoAsset.objects.get(pk=video.pk).step in {"ladder", "finish"})
    assert {name: (folder / "done" / name).stat().st_mtime_ns for name in done_before} == marks
    assert second.wait(PATIENCE_SECONDS) == 0

    video.refresh_from_db()
    job.refresh_from_db()
    assert (video.stage, job.state, job.attempts) == ("complete", "done", 2)
    made = local_path(video.directory)
    assert made is not None
    assert watch(made / "480p").duration == pytest.approx(14, abs=0.1)
    assert files_under(tmp_path / "work") == []


def interfere_during_the_ladder(monkeypatch: Any, action: Callable[[], object]) -> None:
    """Run an action while the ladder of a video is encoded."""
    note, did = processing._ProgressReporter.note, []

    def interfere(clerk: Any, step: Any, done: float) -> None:
        if step.name == "ladder" and not did:
            did.append(True)
            action()
            clerk._told_at = 0
        note(clerk, step, done)

    monkeypatch.setattr(processing._ProgressReporter, "note", interfere)


def test_a_video_deleted_during_processing_leaves_no_files(ada, clip, monkeypatch, tmp_path) -> None:
    video = create_video(ada, clip("lecture.mp4"))
    interfere_during_the_ladder(monkeypatch, lambda: services.delete_video(video=video, by=ada))

    run_jobs()

    assert not VideoAsset.objects.exists()
    for name in ("uploads", "work", "media"):
        assert files_under(tmp_path / name) == []
    assert not Job.objects.exclude(state=Job.State.DONE).exists()


def test_a_worker_that_lost_its_lease_stops(ada, clip, monkeypatch) -> None:
    video = create_video(ada, clip("lecture.mp4"))
    monkeypatch.setattr(jobs.queue, "LEASE", timedelta(0))
    other = uuid.uuid4()
    interfere_during_the_ladder(monkeypatch, lambda: Job.objects.filter(queue="media").update(lease_token=other))

    jobs.perform(jobs.claim("media", now=timezone.now()))  # type: ignore[arg-type]

    video.refresh_from_db()
    assert video.stage == "finalizing"
    assert Job.objects.get(kind="files.process_video").lease_token == other


@pytest.mark.long
def test_a_temporary_failure_is_retried(ada, clip, monkeypatch) -> None:
    video = create_video(ada, clip("silent.mp4"))
    work_on = processing._open_work
    fails = iter([True, True, False])

    def fail_once(*args: Any) -> Any:
        if next(fails):
            raise ProcessingFailed("stalled", retry=True)
        return work_on(*args)

    monkeypatch.setattr(processing, "_open_work", fail_once)
    for _ in range(3):
        Job.objects.filter(queue="media").update(run_at=timezone.now())
        jobs.run_pending("media")

    video.refresh_from_db()
    assert video.stage == "complete"
    assert Job.objects.get(kind="files.process_video").attempts == 3


def test_a_permanent_failure_ends_processing_and_can_be_retried(ada, clip, monkeypatch, video_events, tmp_path) -> None:
    video = create_video(ada, clip("lecture.mp4"))
    assert video.version is not None
    real = STEPS[6].run
    object.__setattr__(STEPS[6], "run", lambda *_: (_ for _ in ()).throw(ProcessingFailed("encoder", "it said so")))
    try:
        run_jobs()
    finally:
        object.__setattr__(STEPS[6], "run", real)

    video.refresh_from_db()
    assert (video.stage, video.failure) == ("failed", "processing_failed")
    assert video.failure_detail == "The video couldn't be converted."
    assert "it said so" not in video.failure_detail
    assert video.is_playable  # the copied rendition is already published
    assert upload_path(video.version).exists()
    assert queries.storage_of(ada).used == clip("lecture.mp4").stat().st_size

    services.retry_video(video=video, by=ada)
    run_jobs()

    video.refresh_from_db()
    assert (video.stage, video.failure, video.failure_detail) == ("complete", "", "")
    assert video_events[-2:] == ["VideoFailed", "VideoCompleted"]


def test_a_job_that_always_kills_its_worker_fails(ada, clip) -> None:
    video = create_video(ada, clip("silent.mp4"))
    Job.objects.filter(queue="media").update(
        state="running", attempts=5, lease_until=timezone.now() - timedelta(minutes=1)
    )

    run_jobs()

    video.refresh_from_db()
    assert (video.stage, video.failure) == ("failed", "processing_failed")


@pytest.mark.long
def test_processing_twice_changes_nothing(ada, clip, video_events) -> None:
    video = create_video(ada, clip("silent.mp4"))
    run_jobs()
    video.refresh_from_db()
    before = (video.updated_at, video.directory)

    assert video.version is not None
    services.process_video(video_id=video.pk, version=video.version, extend_lease=lambda: None, is_last_attempt=False)

    video.refresh_from_db()
    assert (video.updated_at, video.directory) == before
    assert video_events.count("VideoCompleted") == 1


# --- Replaced and deleted ----------------------------------------------------------------------------------


def replace(video: VideoAsset, owner: User, path: Path) -> None:
    upload = services.begin_upload(
        owner=owner, purpose="video", filename=path.name, length=path.stat().st_size, replaces=video, now=timezone.now()
    )
    with path.open("rb") as file:
        services.receive_chunk(upload=upload, offset=0, read=file.read, now=timezone.now())


def test_the_old_video_is_playable_until_its_replacement_is_complete(ada, clip, tmp_path, monkeypatch) -> None:
    video = create_video(ada, clip("silent.mp4"))
    run_jobs()
    video.refresh_from_db()
    CaptionFactory(video=video, language="fr")
    old = video.directory
    during: list[Any] = []
    original, keep_source = local_path(video.source), processing.store_source
    both = video.source_bytes + clip("lecture.mp4").stat().st_size

    def check_playback(*args: Any) -> None:
        during.append(VideoAsset.objects.values_list("directory", "is_playable", "duration").get())
        assert original.exists()
        assert queries.storage_of(ada).used == both
        keep_source(*args)

    monkeypatch.setattr(processing, "store_source", check_playback)

    replace(video, ada, clip("lecture.mp4"))
    run_jobs()

    video.refresh_from_db()
    assert during == [(old, True, pytest.approx(4, abs=0.1))]
    assert local_path(video.source).exists()
    assert queries.storage_of(ada).used == both  # the former original is in the bin
    services.empty_bin(user=ada, until=timezone.now())
    run_jobs()
    assert not original.exists()
    assert queries.storage_of(ada).used == clip("lecture.mp4").stat().st_size
    assert video.directory != old
    assert video.duration == pytest.approx(6, abs=0.1)
    assert video.stage == "complete"
    assert {each.name for each in video.renditions.all()} == {"720p", "480p", "audio"}
    assert CaptionTrack.objects.get(video=video).language == "fr"
    assert not (tmp_path / "media" / old).exists()


def row_of(video: VideoAsset) -> dict[str, Any]:
    row = VideoAsset.objects.filter(pk=video.pk).values().get()
    return {name: value for name, value in row.items() if name not in {"updated_at", "replacement_failure"}}


@pytest.mark.parametrize(
    "what",
    [
        "cut off",
        pytest.param("mostly unreadable", marks=pytest.mark.long),
        pytest.param("not converted", marks=pytest.mark.long),
    ],
)
def test_a_failed_replacement_changes_nothing(what: str, ada, clip, tmp_path, monkeypatch, video_events) -> None:
    video = create_video(ada, clip("short.mp4"))
    run_jobs()
    before, files = row_of(video), files_under(tmp_path / "media")
    bad = tmp_path / "bad.mp4"
    if what == "cut off":
        cut_off(clip("short.mp4"), bad, 0.5)
    elif what == "mostly unreadable":
        damage(clip("short.mp4"), bad, 0.3, 0.7)
    else:
        shutil.copy(clip("short.mp4"), bad)

        def fail(*_: Any) -> None:
            raise ProcessingFailed("encoder")

        monkeypatch.setattr(processing, "store_source", fail)

    replace(video, ada, bad)
    assert queries.storage_of(ada).used == before["source_bytes"] + bad.stat().st_size
    run_jobs()

    assert row_of(video) == before
    assert files_under(tmp_path / "media") == files
    assert files_under(tmp_path / "uploads") == files_under(tmp_path / "work") == []
    assert queries.storage_of(ada).used == before["source_bytes"]
    video.refresh_from_db()
    assert "The new file wasn't used. " in queries.notice_of(video)
    assert video_events == ["VideoAnalyzed", "VideoPlayable", "VideoCompleted"]


@pytest.mark.long
def test_a_video_deleted_during_its_replacement_leaves_no_files(ada, clip, tmp_path) -> None:
    video = create_video(ada, clip("short.mp4"))
    run_jobs()
    replace(video, ada, clip("short.mp4"))

    services.delete_video(video=VideoAsset.objects.get(pk=video.pk), by=ada)
    services.empty_bin(user=ada, until=timezone.now())
    run_jobs()

    for name in ("uploads", "work", "media"):
        assert files_under(tmp_path / name) == []


def test_a_new_replacement_clears_the_previous_failure(ada, clip) -> None:
    video = VideoFactory(owner=ada, replacement_failure="It was damaged.")

    replace(video, ada, clip("short.mp4"))

    video.refresh_from_db()
    assert video.replacement_failure == ""


# --- Unreadable files ---------------------------------------------------------------------------------------


@pytest.mark.long
def test_the_owner_sees_how_much_could_not_be_decoded(ada, clip, tmp_path, browser_of) -> None:
    video = create_video(ada, damage(clip("lecture.mp4"), tmp_path / "lecture.mp4", 0.5, 0.53))

    run_jobs()

    video.refresh_from_db()
    assert (video.stage, video.is_playable) == ("complete", True)
    assert 0 < video.picture_lost < 0.6
    folder = tmp_path / "media" / video.directory
    assert video.stored_bytes == sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    notice = browser_of(ada).get(f"/api/v1/videos/{video.uid}/").json()["notice"]
    assert notice.startswith("About 1 second of the picture (")


def test_a_published_copy_is_withdrawn_if_too_much_is_unreadable(ada, clip, tmp_path, video_events) -> None:
    video = create_video(ada, damage(clip("silent.mp4"), tmp_path / "silent.mp4", 0.4, 0.6))

    run_jobs()

    video.refresh_from_db()
    assert (video.stage, video.failure, video.is_playable) == ("failed", "corrupt_file", False)
    assert video.failure_detail.startswith("The file is damaged: more than a tenth")
    assert video_events == ["VideoAnalyzed", "VideoPlayable", "VideoFailed"]
    assert queries.storage_of(ada).used == video.stored_bytes == video.renditions.count() == 0
    for name in ("uploads", "work", "media"):
        assert files_under(tmp_path / name) == []


# --- Disk space --------------------------------------------------------------------------------------------


def test_processing_waits_for_disk_space_and_continues_when_there_is_enough(ada, clip, settings, browser_of) -> None:
    video = create_video(ada, clip("short.mp4"))
    reserve, settings.DISK_RESERVE = settings.DISK_RESERVE, 2**60

    for _ in range(7):  # more often than a failure is retried
        Job.objects.filter(queue="media").update(run_at=timezone.now())
        run_jobs()

    shown = browser_of(ada).get(f"/api/v1/videos/{video.uid}/").json()
    assert (shown["stage"], shown["failure"]) == ("analyzing", "")
    assert (
        shown["notice"]
        == "The server is out of disk space. Processing will continue automatically when there is enough."
    )
    assert not (work_folder(video.version) / "done" / "ladder").exists()

    settings.DISK_RESERVE = reserve
    Job.objects.filter(queue="media").update(run_at=timezone.now())
    run_jobs()
    video.refresh_from_db()
    assert (video.stage, video.step) == ("complete", "")


def test_a_step_that_filled_the_disk_requires_more_space_next_time(ada, clip, monkeypatch) -> None:
    video = create_video(ada, clip("short.mp4"))
    begun: list[str] = []
    free = [2**40]
    run_step = processing.pipeline.run_step

    def run_step_recorded(step: Any, work: Work, report: Any) -> None:
        if not work.is_done(step.name):
            begun.append(step.name)
        if step.name == "poster" and len(begun) == 2:
            free[0] = processing.pipeline.disk_space_needed(work)
        run_step(step, work, report)

    def free_space(folder: Path) -> int:
        """Report enough space at first, and a full disk once the encoding of the ladder starts."""
        return -1 if list(folder.rglob("part-ladder-*")) else free[0]

    monkeypatch.setattr(processing.pipeline, "run_step", run_step_recorded)
    monkeypatch.setattr(processing, "free_space", free_space)
    for _ in range(4):
        Job.objects.filter(queue="media").update(run_at=timezone.now())
        run_jobs()

    video.refresh_from_db()
    assert video.step == "no_room"
    assert begun.count("ladder") == 1

    monkeypatch.setattr(processing, "free_space", lambda folder: 2**40)
    Job.objects.filter(queue="media").update(run_at=timezone.now())
    run_jobs()
    video.refresh_from_db()
    assert video.stage == "complete"


@pytest.mark.parametrize("when", ["before anything is encoded", "when others fill the disk meanwhile"])
def test_encoding_does_not_use_the_disk_reserve(when: str, ada, clip, monkeypatch) -> None:
    video = create_video(ada, clip("short.mp4"))

    def free_space(_: Path) -> int:
        if when == "before anything is encoded":
            return 1000  # less than the video needs
        return -1 if VideoAsset.objects.get().step == "ladder" else 2**40

    monkeypatch.setattr(processing, "free_space", free_space)
    run_jobs()

    video.refresh_from_db()
    job = Job.objects.get(kind="files.process_video")
    assert (video.step, job.state, job.attempts) == ("no_room", "queued", 0)
    done = {each.name for each in (work_folder(video.version) / "done").iterdir()}
    assert ("poster" in done) == (when != "before anything is encoded")
    assert "ladder" not in done


@pytest.mark.parametrize("where", ["in the encoder", pytest.param("in storage", marks=pytest.mark.long)])
def test_processing_continues_after_the_disk_was_full(where: str, ada, clip, monkeypatch) -> None:
    video = create_video(ada, clip("short.mp4"))
    is_full = [True]

    def fail_while_full(real: Any) -> Any:
        def call(*args: Any, **more: Any) -> Any:
            if is_full[0]:
                raise OSError(errno.ENOSPC, "No space left on device")
            return real(*args, **more)

        return call

    if where == "in the encoder":
        monkeypatch.setattr(Work, "execute", fail_while_full(Work.execute))
    else:
        monkeypatch.setattr(publishing, "put", fail_while_full(publishing.put))
    run_jobs()

    video.refresh_from_db()
    job = Job.objects.get(kind="files.process_video")
    assert (video.step, job.state, job.attempts) == ("no_room", "queued", 0)
    is_full[0] = False
    Job.objects.filter(queue="media").update(run_at=timezone.now())
    run_jobs()
    video.refresh_from_db()
    assert video.stage == "complete"


@pytest.mark.long
def test_a_deleted_video_leaves_no_files(ada, clip, tmp_path) -> None:
    video = create_video(ada, clip("captioned.mp4"))
    run_jobs()
    other = create_video(ada, clip("silent.mp4"))
    run_jobs()
    other.refresh_from_db()
    kept = {name for name in files_under(tmp_path / "media") if other.uid.hex in name}

    services.delete_video(video=VideoAsset.objects.get(pk=video.pk), by=ada)
    services.empty_bin(user=ada, until=timezone.now())
    run_jobs()

    assert set(files_under(tmp_path / "media")) == kept
    assert len(kept) > 3
    assert queries.storage_of(ada).videos == other.source_bytes


def test_a_video_in_use_is_not_deleted(ada) -> None:
    from apps.files.errors import VideoInUse
    from apps.files.services import videos

    video = VideoFactory(owner=ada)
    services.register_deletion_check(lambda _: VideoInUse())
    try:
        with pytest.raises(VideoInUse):
            services.delete_video(video=video, by=ada)
    finally:
        videos._deletion_checks.pop()

    assert VideoAsset.objects.filter(pk=video.pk).exists()


def test_processing_without_the_uploaded_file_fails_with_a_reason(ada, clip, tmp_path) -> None:
    video = create_video(ada, clip("silent.mp4"))
    shutil.rmtree(tmp_path / "uploads")

    run_jobs()

    video.refresh_from_db()
    assert video.stage == "failed"


@pytest.mark.long
def test_a_job_without_a_wake_up_message_is_still_run(ada, clip, tmp_path) -> None:
    """A worker finds queued jobs in the database when it starts, even if the message was lost."""
    video = create_video(ada, clip("silent.mp4"))

    began = time.monotonic()
    worker = start_worker(tmp_path)
    assert worker.wait(60) == 0

    assert VideoAsset.objects.get(pk=video.pk).stage == "complete"
    assert time.monotonic() - began < 60
