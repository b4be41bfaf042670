"""Originals of replaced and deleted videos: in the bin, in the storage used, restored, deleted."""

import hashlib
import json
import os
import re
import threading
import uuid
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.management import call_command
from django.db import OperationalError, connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from apps.accounts.models import User
from apps.files import library_queries, services
from apps.files.models import BinnedOriginal, Folder, VideoAsset
from apps.files.queries import storage_of
from apps.files.services import Selection, folders, originals, processing, publishing, replacement
from apps.files.services.videos import mark_failed
from apps.files.storage import local_path, upload_path
from apps.files.video.failures import CorruptFile
from studyplatform.kit import jobs
from studyplatform.kit.errors import NotFound
from studyplatform.kit.models import Job
from tests.factories.courses import LessonFactory
from tests.factories.files import BinnedOriginalFactory, FileFactory, FolderFactory, VideoFactory
from tests.files.test_linked_pages import follow
from tests.files.test_processing import create_video, files_under, replace, run_jobs

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_folders")]


def stored(name: str = "originals/a/b.mp4", body: bytes = b"original") -> str:
    return default_storage.save(name, ContentFile(body))


def processed_video(owner: User, **facts: Any) -> VideoAsset:
    """A complete video with an original of 8 bytes, without encoding anything."""
    return VideoFactory(owner=owner, source=stored(), source_bytes=8, **facts)


def delete(video: VideoAsset, by: User) -> BinnedOriginal:
    services.delete_video(video=video, by=by)
    return BinnedOriginal.objects.latest("pk")


# --- Locks --------------------------------------------------------------------------------------------------

only_rows = pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite locks no single rows")


def replace_original(video: VideoAsset, original: BinnedOriginal, folder: Folder) -> None:
    owner = video.owner
    services.begin_upload(owner=owner, purpose="video", filename="b.mp4", length=9, replaces=video, now=timezone.now())


def restore_original(video: VideoAsset, original: BinnedOriginal, folder: Folder) -> None:
    services.restore_original(original=original, by=video.owner, now=timezone.now())


def restore_folder(video: VideoAsset, original: BinnedOriginal, folder: Folder) -> None:
    services.restore_entries(selection=Selection(folders=[folder]), by=video.owner, now=timezone.now())


def delete_folder(video: VideoAsset, original: BinnedOriginal, folder: Folder) -> None:
    services.delete_entries(selection=Selection(folders=[folder]), by=video.owner)


@only_rows
@pytest.mark.database
@pytest.mark.parametrize("change", [replace_original, restore_original, restore_folder, delete_folder])
def test_every_change_locks_the_library_first(ada, change) -> None:
    """In different orders, a restoration and a replacement would wait for each other."""
    video, folder = processed_video(ada), FolderFactory(owner=ada, deleted_at=timezone.now())
    original = BinnedOriginalFactory(owner=ada, video=video, why="replaced", source=stored())

    with CaptureQueriesContext(connection) as queries:
        change(video, original, folder)

    statements = [query["sql"] for query in queries]
    locks = [sql for sql in statements if " FOR " in sql or sql.startswith(("UPDATE", "DELETE"))]
    assert 'FROM "accounts_user"' in locks[0]


@only_rows
@pytest.mark.database
@pytest.mark.django_db(transaction=True)
def test_an_original_goes_to_the_bin_while_the_library_is_locked(ada) -> None:
    """A worker holds the lock of a video then, so it must not wait until the library is unlocked."""
    video, outcomes = processed_video(ada), list[object]()

    def bin_in_another_connection() -> None:
        try:
            with transaction.atomic():
                connection.cursor().execute("SET LOCAL lock_timeout = '2s'")
                outcomes.append(originals.bin_original(ada.pk, originals.original_of(video), why="deleted"))
        except OperationalError as error:
            outcomes.append(error)
        finally:
            connection.close()

    with transaction.atomic():
        folders.lock_library(ada.pk)
        other = threading.Thread(target=bin_in_another_connection)
        other.start()
        other.join()

    assert outcomes == [True]


# --- To the bin ---------------------------------------------------------------------------------------------


def test_the_original_of_a_deleted_video_goes_to_the_bin_and_counts(ada) -> None:
    video = processed_video(ada, filename="tides.mp4")

    original = delete(video, ada)
    jobs.run_pending("default")

    assert (original.owner, original.filename, original.size, original.why) == (ada, "tides.mp4", 8, "deleted")
    assert default_storage.open(original.source).read() == b"original"
    use = library_queries.library_use(ada)
    assert storage_of(ada).used == use.bin == 8


def changed_originals() -> list[str]:
    with services.StorageCheck(now=timezone.now()) as comparison:
        return [each.name for each in comparison.problems(checksums=True) if each.kind == "checksum"]


def test_an_original_keeps_its_checksum_into_the_bin_and_back(ada, settings) -> None:
    settings.VIDEO_KEEP_ORIGINALS = True
    video = VideoFactory(owner=ada, source_bytes=8, stage="finalizing", version=uuid.uuid4())
    upload_path(video.version).write_bytes(b"original")
    publishing.store_source(video, video.version, lambda: None)
    video = VideoAsset.objects.get()
    assert video.source_sha256 == hashlib.sha256(b"original").hexdigest()
    local_path(video.source).write_bytes(b"laniigro")
    assert changed_originals() == [video.source]

    replacement.save_former_version(video)
    assert changed_originals() == [video.source]
    video.source = ""  # the new contents arrived
    replacement.remove_former_version(video)  # and are processed
    original = BinnedOriginal.objects.get()
    assert changed_originals() == [original.source]
    VideoAsset.objects.all().delete()
    restored = services.restore_original(original=original, by=ada, now=timezone.now())
    assert changed_originals() == [restored.source]
    VideoAsset.objects.update(stage="complete")
    delete(VideoAsset.objects.get(), ada)
    assert changed_originals() == [original.source]


def test_a_video_without_an_original_leaves_nothing_in_the_bin(ada) -> None:
    for facts in ({"source": ""}, {"source": "", "stage": "failed", "failure": "processing_failed"}):
        services.delete_video(video=VideoFactory(owner=ada, **facts), by=ada)

    assert not BinnedOriginal.objects.exists()


def test_an_original_that_a_killed_worker_stored_is_removed(ada) -> None:
    """The worker put the original into storage, and was killed before the row said so."""
    video = VideoFactory(owner=ada, filename="a.mp4", stage="finalizing", version="0" * 32)
    name = stored(f"originals/{video.uid.hex}/{'0' * 32}.mp4")

    services.delete_video(video=VideoAsset.objects.get(), by=ada)
    jobs.run_pending("default")

    assert not default_storage.exists(name)


def failed_video(owner: User) -> VideoAsset:
    """A video whose original proved damaged after it was put into storage; it is in the bin."""
    video = VideoFactory(owner=owner, filename="a.mp4", stage="finalizing", version="1" * 32, source_bytes=8)
    video = VideoAsset.objects.get(pk=video.pk)
    video.source = stored(f"originals/{video.uid.hex}/{video.version.hex}.mp4")
    mark_failed(video, CorruptFile("damaged"))
    jobs.run_pending("default")
    return video


def test_deleting_a_failed_video_keeps_its_original_in_the_bin(ada) -> None:
    video = failed_video(ada)
    original = BinnedOriginal.objects.get()

    services.delete_video(video=video, by=ada)
    jobs.run_pending("default")

    assert default_storage.open(original.source).read() == b"original"
    services.empty_bin(user=ada, until=timezone.now())
    jobs.run_pending("default")
    assert not default_storage.exists(original.source)


@pytest.mark.parametrize("holder", ["bin", "video", "former"])
def test_a_removal_spares_an_original_that_is_kept_by_now(ada, holder) -> None:
    name = stored("originals/a/kept.mp4")
    if holder == "bin":
        BinnedOriginalFactory(owner=ada, source=name)
    elif holder == "video":
        VideoFactory(owner=ada, source=name)
    else:
        VideoFactory(owner=ada, former={"source": name})

    services.remove_files(versions=[], names=[name, stored("originals/a/other.mp4")])

    assert default_storage.exists(name)
    assert not default_storage.exists("originals/a/other.mp4")


def test_a_video_deleted_while_it_is_replaced_leaves_its_former_original_in_the_bin(ada) -> None:
    video = processed_video(ada, filename="former.mp4")
    services.begin_upload(owner=ada, purpose="video", filename="new.mp4", length=9, replaces=video, now=timezone.now())

    original = delete(VideoAsset.objects.get(), ada)

    assert (original.filename, BinnedOriginal.objects.count()) == ("former.mp4", 1)
    assert storage_of(ada).used == 8


@pytest.mark.media
@pytest.mark.django_db(transaction=True)
def test_a_replaced_original_comes_back_while_the_video_stays_playable(ada, clip, tmp_path, monkeypatch) -> None:
    video = create_video(ada, clip("silent.mp4"))
    run_jobs()
    lesson = LessonFactory(section__course__instructor=ada, video=video)
    first = VideoAsset.objects.get()
    replace(video, ada, clip("short.mp4"))
    run_jobs()
    original = BinnedOriginal.objects.get()
    sizes = [clip("silent.mp4").stat().st_size, clip("short.mp4").stat().st_size]
    assert (original.why, original.video, original.source) == ("replaced", video, first.source)
    assert (original.filename, original.size) == ("silent.mp4", sizes[0])
    assert storage_of(ada).used == sum(sizes)

    seen: list[Any] = []
    keep_source = processing.store_source

    def look(*args: Any) -> None:
        row = VideoAsset.objects.get()
        seen.append((row.is_playable, Path(str(local_path(row.directory)), "master.m3u8").exists()))
        seen.append(storage_of(ada).used)
        keep_source(*args)

    monkeypatch.setattr(processing, "store_source", look)
    services.restore_original(original=original, by=ada, now=timezone.now())
    run_jobs()

    assert seen == [(True, True), sum(sizes)]
    video.refresh_from_db()
    lesson.refresh_from_db()
    assert (lesson.video, video.stage, video.filename, video.source) == (video, "complete", "silent.mp4", first.source)
    assert video.duration == pytest.approx(first.duration, abs=0.1)
    assert local_path(video.source).read_bytes() == clip("silent.mp4").read_bytes()
    back = BinnedOriginal.objects.get()
    assert (back.filename, back.why) == ("short.mp4", "replaced")
    assert local_path(back.source).read_bytes() == clip("short.mp4").read_bytes()
    assert storage_of(ada).used == sum(sizes)
    originals = [name for name in files_under(tmp_path / "media") if name.startswith("originals/")]
    assert sorted(originals) == sorted([video.source, back.source])
    assert files_under(tmp_path / "uploads") == files_under(tmp_path / "work") == []


@pytest.mark.media
@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_a_worker_killed_while_it_publishes_leaves_both_originals(ada, clip, tmp_path, monkeypatch) -> None:
    video = create_video(ada, clip("silent.mp4"))
    run_jobs()
    former = VideoAsset.objects.get().source
    replace(video, ada, clip("short.mp4"))

    def kill(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(publishing, "_replace_renditions", kill)  # after the former original was put into the bin
        with pytest.raises(KeyboardInterrupt):
            run_jobs()
    video.refresh_from_db()
    assert not BinnedOriginal.objects.exists()
    assert video.former is not None
    assert video.former["source"] == former
    assert local_path(former).exists()

    Job.objects.filter(state="running").update(lease_until=timezone.now() - timedelta(minutes=1))
    run_jobs()

    assert BinnedOriginal.objects.get().source == former
    video.refresh_from_db()
    originals = [name for name in files_under(tmp_path / "media") if name.startswith("originals/")]
    assert sorted(originals) == sorted([video.source, former])
    assert storage_of(ada).used == sum(clip(name).stat().st_size for name in ("silent.mp4", "short.mp4"))


@pytest.mark.media
@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_a_deleted_video_comes_back_as_a_new_one(ada, clip, browser_of) -> None:
    video = create_video(ada, clip("silent.mp4"))
    run_jobs()
    original = delete(VideoAsset.objects.get(pk=video.pk), ada)
    run_jobs()

    new = services.restore_original(original=original, by=ada, now=timezone.now())
    run_jobs()

    new.refresh_from_db()
    assert (new.stage, new.filename, new.is_playable) == ("complete", "silent.mp4", True)
    assert new.renditions.count() == 1
    listed = browser_of(ada).get("/api/v1/videos/").json()["results"]
    assert [each["uid"] for each in listed] == [str(new.uid)]


# --- Back from the bin --------------------------------------------------------------------------------------


def test_a_restored_original_becomes_the_contents_of_its_video_again(ada) -> None:
    video = processed_video(ada, filename="now.mp4", directory="videos/x/y")
    original = BinnedOriginal.objects.create(
        owner=ada, video=video, why="replaced", filename="former.mp4", source=stored("originals/f.mp4", b"12345"),
        size=5, deleted_at=timezone.now(),
    )  # fmt: skip

    services.restore_original(original=original, by=ada, now=timezone.now())

    video.refresh_from_db()
    assert (video.filename, video.source, video.stage, video.is_playable) == (
        "former.mp4",
        original.source,
        "queued",
        True,
    )
    assert video.directory == "videos/x/y"
    assert storage_of(ada).used == 13
    assert not BinnedOriginal.objects.exists()


@pytest.mark.parametrize("stage", ["uploading", "queued", "finalizing"])
def test_a_video_that_is_being_processed_is_not_disturbed(ada, stage) -> None:
    video = processed_video(ada, filename="now.mp4", stage=stage)
    original = BinnedOriginal.objects.create(
        owner=ada, video=video, why="replaced", filename="former.mp4", source=stored("originals/f.mp4"), size=8,
        deleted_at=timezone.now(),
    )  # fmt: skip

    new = services.restore_original(original=original, by=ada, now=timezone.now())

    video.refresh_from_db()
    assert new != video
    assert (video.filename, video.stage) == ("now.mp4", stage)
    assert (new.owner, new.filename, new.stage) == (ada, "former.mp4", "queued")


@pytest.mark.parametrize("is_video_there", [True, False])
def test_an_original_that_cannot_be_processed_returns_to_the_bin(ada, is_video_there) -> None:
    video = processed_video(ada, filename="now.mp4")
    original = BinnedOriginal.objects.create(
        owner=ada, video=video if is_video_there else None, why="replaced", filename="former.mp4",
        source=stored("originals/f.mp4"), size=8, deleted_at=timezone.now(),
    )  # fmt: skip
    restored = services.restore_original(original=original, by=ada, now=timezone.now())
    assert restored.version is not None

    services.give_up(video_id=restored.pk, version=restored.version)
    jobs.run_pending("default")

    assert default_storage.exists(original.source)
    assert storage_of(ada).used == 16
    if is_video_there:
        video.refresh_from_db()
        assert (video.filename, video.stage) == ("now.mp4", "complete")
        assert BinnedOriginal.objects.get().why == "failed"
    else:  # it can be tried again
        restored.refresh_from_db()
        assert (restored.stage, restored.source) == ("failed", original.source)


def test_a_damaged_original_returns_to_the_bin(ada) -> None:
    original = delete(processed_video(ada), ada)  # whose bytes are no video
    restored = services.restore_original(original=original, by=ada, now=timezone.now())

    run_jobs()

    restored.refresh_from_db()
    assert (restored.failure, restored.source) == ("corrupt_file", "")
    back = BinnedOriginal.objects.get()
    assert (back.source, back.why, back.video) == (original.source, "failed", restored)
    assert default_storage.exists(back.source)
    assert storage_of(ada).used == 8


def test_only_the_owner_can_restore_and_delete_an_original(ada, eve, sam, browser_of) -> None:
    original = delete(processed_video(ada), ada)

    for person in (eve, sam):
        with pytest.raises(NotFound):
            services.restore_original(original=original, by=person, now=timezone.now())
        for action in ("restore", "delete"):
            browser_of(person).post("/files/act", {"action": action, "original": original.uid})
        services.empty_bin(user=person, until=timezone.now())

    assert BinnedOriginal.objects.filter(pk=original.pk).exists()
    assert not VideoAsset.objects.exists()


def test_an_original_is_restored_only_once(ada) -> None:
    original = delete(processed_video(ada), ada)
    services.restore_original(original=original, by=ada, now=timezone.now())

    with pytest.raises(NotFound):
        services.restore_original(original=original, by=ada, now=timezone.now())

    assert VideoAsset.objects.count() == 1


# --- The page -----------------------------------------------------------------------------------------------


def test_the_bin_lists_originals_and_restores_them(ada, browser_of) -> None:
    original = delete(processed_video(ada, filename="tides.mp4"), ada)
    site = browser_of(ada)

    page = site.get("/files/bin").content.decode()
    assert "tides.mp4" in page
    assert "Original of a deleted video" in page
    assert "That includes 8 bytes in the bin" in page
    site.post("/files/act", {"action": "restore", "original": original.uid})

    assert VideoAsset.objects.get().filename == "tides.mp4"
    assert "tides.mp4" not in site.get("/files/bin").content.decode().split("<main")[1]


def test_pages_of_the_bin_show_originals_before_files(ada, browser_of, monkeypatch) -> None:
    from apps.files.pages import library

    monkeypatch.setattr(library, "PAGE", 2)
    for n in range(3):
        delete(VideoFactory(owner=ada, source=stored(f"originals/{n}.mp4"), filename=f"film-{n}.mp4"), ada)
    files = FileFactory.create_batch(2, owner=ada)
    services.move_to_bin(selection=Selection(files=files), by=ada, now=timezone.now())
    site = browser_of(ada)

    pages = follow(site, "/files/bin", "next")

    shown = [name for page in pages for name in re.findall(r'class="file__name">([^<]+)', page)]
    assert len(pages) == 3
    assert shown[:3] == ["film-2.mp4", "film-1.mp4", "film-0.mp4"]
    assert sorted(shown[3:]) == sorted(file.name for file in files)


# --- Out of the bin -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["emptied", "deleted", "purged"])
def test_an_original_deleted_from_the_bin_frees_its_storage_at_once(ada, browser_of, way) -> None:
    original = delete(processed_video(ada), ada)
    if way == "emptied":
        browser_of(ada).post("/files/bin/empty")
    elif way == "deleted":
        browser_of(ada).post("/files/act", {"action": "delete", "original": original.uid})
    else:
        assert services.purge_bin(now=timezone.now() + timedelta(days=29)) == 0
        assert services.purge_bin(now=timezone.now() + timedelta(days=30, minutes=1)) == 1

    assert storage_of(ada).used == 0
    jobs.run_pending("default")
    assert not default_storage.exists(original.source)


def test_check_storage_knows_the_originals_in_the_bin(ada) -> None:
    original = delete(processed_video(ada), ada)
    path = Path(default_storage.path(original.source))
    os.utime(path, (1, 1))

    report = StringIO()
    call_command("check_storage", "--json", stdout=report, stderr=StringIO())

    assert json.loads(report.getvalue())["problems"] == []
    path.unlink()
    with pytest.raises(SystemExit):
        call_command("check_storage", "--json", stdout=StringIO(), stderr=StringIO())


def test_a_job_purges_originals_after_their_time(ada) -> None:
    delete(processed_video(ada), ada)

    job = Job.objects.get(kind="files.purge_bin")
    assert job.run_at > timezone.now() + timedelta(days=30)


def test_a_deleted_account_has_no_bin(ada) -> None:
    original = delete(processed_video(ada), ada)
    video = VideoFactory(owner=ada, source=stored("originals/later.mp4"), source_bytes=8)

    services.delete_library_of(user_id=ada.pk)
    User.objects.filter(pk=ada.pk).update(deleted_at=timezone.now())
    services.discard_video(video_id=video.pk)
    jobs.run_pending("default")

    assert not BinnedOriginal.objects.exists()
    assert not default_storage.exists(original.source)
    assert not default_storage.exists(video.source)
