"""The counts of what users store: exact after every change, wherever it comes from, and repaired if they are not."""

import threading
from typing import Any

import pytest
from django.db import OperationalError, connection, transaction
from django.utils import timezone

from apps.files import services
from apps.files.count_triggers import CROWDED
from apps.files.counts import BIN, BINNED, LOOSE, Count, counts_of, drift, folder_key, recount
from apps.files.models import BinnedOriginal, File, FileVersion, StorageCount, Upload, VideoAsset
from apps.files.queries import storage_of
from apps.files.services import Selection
from tests.factories.files import FileFactory, FolderFactory, StoredFileFactory, UploadFactory, VideoFactory

pytestmark = [pytest.mark.database, pytest.mark.django_db]
NOW = timezone.now


@pytest.fixture(autouse=True)
def _folders(own_folders: Any) -> None:
    pass


def test_every_change_of_the_library_is_counted(leo):
    """The counts are compared with the tables after each step."""
    folder = FolderFactory(owner=leo, name="Walks")
    inner = FolderFactory(owner=leo, parent=folder)
    a, b, c = (FileFactory(owner=leo, folder=place) for place in (None, folder, inner))
    size = a.size
    assert counts_of(leo.pk, [folder_key(None), folder_key(folder.pk)]) == {
        folder_key(None): Count(1, size),
        folder_key(folder.pk): Count(1, size),
    }
    new = StoredFileFactory(owner=leo, length=7)
    lesson = StoredFileFactory(owner=leo, length=5)
    steps = [
        lambda: services.copy_entries(selection=Selection(folders=[folder]), to=None, by=leo, now=NOW()),
        lambda: services.move_entries(selection=Selection(files=[a]), to=inner, by=leo),
        lambda: services.library.add_version(b, new, now=NOW()),
        lambda: services.restore_version(file=b, number=1, by=leo, now=NOW()),
        lambda: services.move_to_bin(selection=Selection(files=[a]), by=leo, now=NOW()),
        lambda: services.move_to_bin(selection=Selection(folders=[folder]), by=leo, now=NOW()),
        lambda: services.restore_entries(selection=Selection(folders=[folder]), by=leo, now=NOW()),
        lambda: services.move_to_bin(selection=Selection(folders=[folder]), by=leo, now=NOW()),
        lambda: services.delete_entries(selection=Selection(files=[a]), by=leo),
        lambda: services.empty_bin(user=leo, until=timezone.now()),
        lambda: services.cancel_upload(upload=lesson, by=leo),
        lambda: services.delete_library_of(user_id=leo.pk),
    ]
    for step in steps:
        step()
        assert drift() == 0

    assert storage_of(leo).used == 0
    assert c.size  # its contents went with the copy


def test_every_upload_and_video_counts_once(leo, ada):
    final = UploadFactory(owner=ada, purpose="file", length=70, concat="final;")
    UploadFactory(owner=ada, purpose="partial", length=40, part_of=final, part_number=0)
    UploadFactory(owner=ada, purpose="partial", length=8)
    UploadFactory(owner=ada, purpose="video", length=500, completed_at=NOW(), offset=500)
    video = VideoFactory(owner=ada, source_bytes=500)
    StoredFileFactory(owner=leo, length=9)

    storage = storage_of(ada)
    assert (storage.videos, storage.held, storage.files, storage.used) == (500, 78, 0, 578)

    VideoAsset.objects.filter(pk=video.pk).update(former_bytes=100)
    Upload.objects.filter(pk=final.pk).update(completed_at=NOW(), offset=70)
    assert (storage_of(ada).videos, storage_of(ada).held, storage_of(ada).loose) == (600, 8, 70)
    BinnedOriginal.objects.create(owner=ada, why="replaced", filename="a", source="a", size=30, deleted_at=NOW())
    assert (storage_of(ada).videos, storage_of(ada).bin, storage_of(ada).used) == (630, 30, 708)
    assert drift() == 0
    BinnedOriginal.objects.all().delete()
    video.delete()
    Upload.objects.of(ada.pk).delete()
    assert storage_of(ada).used == drift() == 0


def test_the_bin_frees_only_what_no_other_file_has(leo):
    file = FileFactory(owner=leo)
    services.copy_entries(selection=Selection(files=[file]), to=None, by=leo, now=NOW())
    copy = File.objects.exclude(pk=file.pk).get()

    services.move_to_bin(selection=Selection(files=[file]), by=leo, now=NOW())
    assert storage_of(leo).bin == 0
    services.move_to_bin(selection=Selection(files=[copy]), by=leo, now=NOW())

    assert storage_of(leo).bin == storage_of(leo).used == file.size
    assert counts_of(leo.pk, [BIN, BINNED]) == {BIN: Count(1, file.size), BINNED: Count(2, 2 * file.size)}


def test_a_change_that_is_rolled_back_is_not_counted(leo):
    with transaction.atomic():
        StoredFileFactory(owner=leo, length=9)
        assert storage_of(leo).loose == 9
        transaction.set_rollback(True)

    assert storage_of(leo).loose == drift() == 0


def test_wrong_counts_are_repaired(leo):
    file = FileFactory(owner=leo)
    StorageCount.objects.create(owner=leo, key=LOOSE, files=1, bytes=1000)
    Upload.objects.filter(pk=file.current_id).update(in_files=4, library_kind="image")

    assert drift() > 0
    assert storage_of(leo).loose == 1000  # finding out changes nothing
    assert recount() > 0

    assert recount() == drift() == 0
    assert (storage_of(leo).used, storage_of(leo).kinds["pdf"]) == (file.size, file.size)


def test_saving_an_outdated_upload_leaves_its_counts(leo):
    file = FileFactory(owner=leo)
    outdated = Upload.objects.get(pk=file.current_id)
    FileVersion.objects.create(file=file, upload=outdated, number=2, created_at=NOW())

    outdated.filename = "other.pdf"
    outdated.save()

    fresh = Upload.objects.get(pk=outdated.pk)
    assert (fresh.filename, fresh.in_files) == ("other.pdf", 2)
    assert drift() == 0


def test_many_changes_leave_few_rows(leo):
    for _ in range(3 * CROWDED):
        StoredFileFactory(owner=leo, length=2)

    assert storage_of(leo).loose == 6 * CROWDED
    assert StorageCount.objects.filter(owner=leo).count() <= CROWDED + 1


@pytest.mark.django_db(transaction=True)
def test_parallel_changes_are_counted_exactly(leo):
    """On PostgreSQL they fold the rows of one key at the same time; some of them are rolled back."""
    failures: list[Exception] = []

    def change(number: int) -> None:
        try:
            for turn in range(12):
                with transaction.atomic():
                    kept = StoredFileFactory(owner=leo, filename=f"{number}-{turn}.pdf", length=10)
                    StoredFileFactory(owner=leo, filename=f"{number}-{turn}-x.pdf", length=3).delete()
                    if turn % 3 == 0:
                        kept.delete()
                    elif turn % 3 == 1:
                        transaction.set_rollback(True)
        except Exception as problem:
            failures.append(problem)
        finally:
            connection.close()

    threads = [threading.Thread(target=change, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert failures == []
    assert storage_of(leo).loose == 6 * 4 * 10
    assert drift() == 0


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one writer")
def test_a_key_that_another_transaction_folds_is_left_to_it(leo):
    """Rows that the other one has deleted but not committed still count as crowded; each insert fires the trigger."""
    for _ in range(CROWDED):
        StorageCount.objects.create(owner=leo, key=LOOSE, files=0, bytes=1)
    has_folded, may_commit = threading.Event(), threading.Event()

    def fold() -> None:
        try:
            with transaction.atomic():
                StoredFileFactory(owner=leo, length=10)
                has_folded.set()
                may_commit.wait(20)
        finally:
            connection.close()

    other = threading.Thread(target=fold)
    other.start()
    assert has_folded.wait(20)
    try:
        StoredFileFactory(owner=leo, length=10)  # inserts one row, and folds nothing
    finally:
        may_commit.set()
        other.join()

    assert counts_of(leo.pk, [LOOSE])[LOOSE].bytes == CROWDED + 20
    assert StorageCount.objects.filter(owner=leo).count() == 2


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one writer")
def test_looking_for_wrong_counts_waits_for_nobody_and_counting_again_does(leo, monkeypatch):
    file = FileFactory(owner=leo)
    monkeypatch.setattr("apps.files.counts.LOCK_TIMEOUT", 50)
    monkeypatch.setattr("apps.files.counts.LOCK_ATTEMPTS", 1)
    has_begun, may_end = threading.Event(), threading.Event()

    def move_to_bin() -> None:
        try:
            with transaction.atomic():
                services.move_to_bin(selection=Selection(files=[file]), by=leo, now=NOW())
                has_begun.set()
                may_end.wait(20)
        finally:
            connection.close()

    other = threading.Thread(target=move_to_bin)
    other.start()
    assert has_begun.wait(20)
    try:
        assert drift() == 0
        with pytest.raises(OperationalError):
            recount()
    finally:
        may_end.set()
        other.join()
    assert (recount(), drift()) == (0, 0)
