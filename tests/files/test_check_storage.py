"""``manage.py check_storage`` finds what the database and storage say differently, and deletes only orphans."""

import json
import os
import time
from dataclasses import replace
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.management import call_command
from django.core.management.base import CommandError
from django.utils import timezone
from PIL import Image

from apps.accounts.services import request_export, set_picture
from apps.courses.models import ReviewComment, ReviewThread
from apps.files.models import BinnedOriginal, File, StorageCount, Upload, VideoAsset
from apps.files.services import StorageCheck
from apps.files.services.storage_references import SOURCES, is_referenced
from apps.files.storage import upload_path, video_directory, work_folder
from studyplatform.kit import jobs
from tests.accounts.test_settings import make_picture
from tests.buckets import Bucket
from tests.factories.courses import CourseFactory, CourseFileFactory, CoursePictureFactory
from tests.factories.files import (
    BinnedOriginalFactory,
    FileFactory,
    StoredFileFactory,
    UploadFactory,
    VideoFactory,
)
from tests.files.test_library import send

pytestmark = pytest.mark.django_db

DAYS = 86_400  # seconds


def check(*flags: str) -> tuple[int, dict[str, Any]]:
    """The exit code and the JSON of the command."""
    out, code = StringIO(), 0
    try:
        call_command("check_storage", "--json", *flags, stdout=out, stderr=StringIO())
    except SystemExit as ended:
        code = int(str(ended.code))
    return code, json.loads(out.getvalue())


def found(*flags: str) -> list[tuple[str, str, str]]:
    return [(one["kind"], one["place"], one["name"]) for one in check(*flags)[1]["problems"]]


def put(name: str, content: bytes = b"words", *, days_ago: float = 2) -> Path:
    """A file of the media folder that was stored so long ago."""
    path = Path(default_storage.path(default_storage.save(name, ContentFile(content))))
    return aged(path, days_ago)


def aged(path: Path, days_ago: float = 2) -> Path:
    at = time.time() - days_ago * DAYS
    os.utime(path, (at, at))
    return path


@pytest.fixture
def site(leo, browser_of, own_folders):
    return browser_of(leo)


def test_what_users_store_is_in_order(site, leo):
    image = BytesIO()
    Image.new("RGB", (60, 40), "teal").save(image, "PNG")
    send(site, "sea.png", image.getvalue())
    send(site, "empty.txt", b"")
    set_picture(user=leo, file=make_picture())
    request_export(user=leo, now=timezone.now())
    jobs.run_pending("default")
    for path in Path(default_storage.path("")).rglob("*.*"):
        aged(path)

    code, report = check("--checksums")

    assert (code, report["problems"]) == (0, [])
    assert report["summary"]["files"] == 4  # the image, its thumbnail, the picture, the archive
    assert report["summary"]["without_checksum"] == 0
    upload = Upload.objects.get(filename="sea.png")
    Path(default_storage.path(upload.stored_as)).write_bytes(image.getvalue()[::-1])
    assert found() == []
    assert found("--checksums") == [("checksum", "storage", upload.stored_as)]


def test_orphans_are_deleted_only_on_request_and_only_after_a_day(own_folders):
    put("files/old")
    put("videos/a/b/720p/00001.m4s")
    put("videos/a/b/master.m3u8")
    put("files/new", days_ago=0.5)
    put("backup/of-the-operator")
    version = uuid4()
    upload_path(version).write_bytes(b"x")
    aged(upload_path(version))
    work_folder(version).mkdir(parents=True)
    aged(work_folder(version))
    expected = [
        ("orphan", "storage", "files/old"),
        ("orphan", "storage", "videos/a/b"),
        ("orphan", "uploads", version.hex),
        ("orphan", "work", version.hex),
    ]

    assert check()[0] == 1
    assert found() == expected
    assert found() == expected  # nothing was deleted

    code, report = check("--repair")
    assert (code, report["summary"]["repaired"], report["summary"]["left"]) == (0, 4, 0)
    assert not default_storage.exists("videos/a")
    assert default_storage.exists("files/new")
    assert default_storage.exists("backup/of-the-operator")
    assert found() == []


def test_missing_and_changed_contents_are_reported_and_their_rows_stay(leo, own_folders):
    gone, short = FileFactory(owner=leo, thumbnail="thumbnails/gone.webp"), FileFactory(owner=leo)
    default_storage.delete(gone.current.stored_as)
    Path(default_storage.path(short.current.stored_as)).write_bytes(b"%")

    code, report = check("--repair")

    assert code == 1
    problems = {(one["kind"], one["name"]): one for one in report["problems"]}
    assert set(problems) == {
        ("missing", "thumbnails/gone.webp"),
        ("missing", gone.current.stored_as),
        ("size", short.current.stored_as),
    }
    size = problems["size", short.current.stored_as]
    assert (size["size"], size["expected_size"], size["row"]) == (1, short.size, f"upload {short.current.pk}")
    assert not any(one["repaired"] for one in report["problems"])
    assert File.objects.count() == 2


def test_uploads_and_videos_in_progress_are_in_order(own_folders):
    begun, half = UploadFactory(), UploadFactory(offset=3)
    upload_path(half.uid).write_bytes(b"123 and what a killed server wrote after it")
    queued = VideoFactory(stage=VideoAsset.Stage.QUEUED, version=uuid4(), source_bytes=4)
    upload_path(queued.version).write_bytes(b"film")
    work_folder(queued.version).mkdir(parents=True)
    not_moved_yet = StoredFileFactory(stored_as="", length=4)
    upload_path(not_moved_yet.uid).write_bytes(b"text")
    put(f"files/{not_moved_yet.uid.hex}")  # the job was killed before it said so
    published = video_directory(queued.uid, queued.version)
    put(f"{published}/720p/init.mp4")
    for path in (upload_path(half.uid), upload_path(queued.version), work_folder(queued.version)):
        aged(path)

    assert found("--repair") == []

    upload_path(half.uid).write_bytes(b"12")
    upload_path(queued.version).unlink()
    assert set(found()) == {("missing", "uploads", queued.version.hex), ("size", "uploads", half.uid.hex)}
    assert begun.uid.hex not in str(found())


def test_a_video_with_a_missing_segment_is_reported(own_folders):
    version = uuid4()
    video = VideoFactory(version=version, source="originals/film.mp4", source_bytes=5, stored_bytes=10)
    video.directory = video_directory(video.uid, version)
    video.save()
    put(video.source)
    binned = BinnedOriginal.objects.create(
        owner=video.owner, why="replaced", filename="a.mp4", source="originals/a", size=5, deleted_at=timezone.now()
    )
    put(binned.source)
    put(f"{video.directory}/master.m3u8")
    segment = put(f"{video.directory}/720p/00001.m4s")
    assert found("--repair") == []

    segment.unlink()

    assert found() == [("size", "storage", video.directory)]


def test_a_row_that_is_deleted_meanwhile_is_no_problem(leo, own_folders):
    upload = StoredFileFactory(owner=leo, stored_as="files/x")

    with StorageCheck(now=timezone.now()) as comparison:
        upload.delete()

        assert list(comparison.problems()) == []


def test_a_database_that_knows_almost_nothing_deletes_nothing(own_folders):
    for number in range(25):
        put(f"files/{number}")

    with pytest.raises(CommandError, match="right database") as refused:
        call_command("check_storage", "--repair")

    assert refused.value.returncode == 2
    assert check("--repair", "--force")[1]["summary"]["repaired"] == 25


def test_drifted_counts_are_corrected(leo, own_folders):
    FileFactory(owner=leo)
    StorageCount.objects.update(bytes=1)

    assert found() == [("count", "database", "storage counts")] == found("--repair")
    assert found() == []


def test_people_read_one_line_per_problem(own_folders):
    put("files/old")
    out = StringIO()

    with pytest.raises(SystemExit):
        call_command("check_storage", stdout=out)

    assert out.getvalue().splitlines() == [
        "storage files/old has no row, 5 bytes",
        "1 files, 5\xa0bytes. Problems: orphan 1, missing 0, size 0, checksum 0, count 0, scan 0.",
    ]


def test_a_bucket_is_compared_too(s3: Bucket, leo):
    kept = FileFactory(owner=leo)
    Upload.objects.update(sha256="0" * 64)
    gone = StoredFileFactory(owner=leo, stored_as="files/gone")
    s3.client.put_object(Bucket=s3.name, Key="videos/a/b/master.m3u8", Body=b"x")

    assert found("--checksums") == [
        ("missing", "storage", gone.stored_as),
        ("checksum", "storage", kept.current.stored_as),
    ]
    assert s3.names() == [kept.current.stored_as, "videos/a/b/master.m3u8"]  # which is not a day old

    with StorageCheck(now=timezone.now() + timezone.timedelta(days=2)) as comparison:
        for problem in comparison.problems():
            comparison.repair(problem)
    assert s3.names() == [kept.current.stored_as]


@pytest.mark.parametrize("is_replaced", [False, True])
def test_an_original_that_a_job_is_about_to_refer_to_is_no_orphan(is_replaced, own_folders):
    """A killed worker linked the original into storage, as old as the upload, before the row said so."""
    version = uuid4()
    facts = {"filename": "film.MP4", "source": "", "source_bytes": 4, "stage": "failed", "failure": "processing_failed"}
    video = VideoFactory(version=version, **facts)
    upload_path(version).write_bytes(b"film")
    put(f"originals/{video.uid.hex}/{version.hex}.mp4", b"film")
    if is_replaced:
        VideoAsset.objects.update(
            former=facts | {"version": version.hex}, stage="uploading", failure="", filename="new.webm"
        )

    assert found("--repair") == []


def refer(name: str, leo: Any) -> None:
    StoredFileFactory(owner=leo, stored_as=name, length=5)


def touch(name: str, leo: Any) -> None:
    aged(Path(default_storage.path(name)), days_ago=0)


@pytest.mark.parametrize("use", [refer, touch])
def test_what_is_used_since_it_was_listed_is_not_deleted(use, leo, own_folders):
    put("files/used")
    put("files/unused")

    with StorageCheck(now=timezone.now()) as comparison:
        used, unused = sorted(comparison.problems(), key=lambda problem: problem.name, reverse=True)
        use("files/used", leo)
        assert not comparison.repair(used)
        assert comparison.repair(unused)

    assert default_storage.exists("files/used")
    assert not default_storage.exists("files/unused")


def test_every_reference_is_found_by_its_name(leo, own_folders):
    stored = FileFactory(owner=leo, thumbnail="thumbnails/a.webp").current
    UploadFactory(owner=leo)
    StoredFileFactory(owner=leo, stored_as="")
    set_picture(user=leo, file=make_picture())
    request_export(user=leo, now=timezone.now())
    jobs.run_pending("default")
    former = {"filename": "old.mp4", "source_bytes": 4, "stage": "complete", "failure": "", "version": uuid4().hex}
    VideoFactory(version=uuid4(), source="originals/new", former=former | {"source": "originals/old"})
    VideoFactory(version=uuid4(), directory="videos/a/b", former=former | {"source": ""})
    BinnedOriginalFactory()
    CoursePictureFactory()
    CourseFileFactory()
    now = timezone.now()
    thread = ReviewThread.objects.create(course=CourseFactory(), place="course", opened_at=now, changed_at=now)
    facts = {"text": "Wider.", "written_at": now, "picture_width": 60, "picture_height": 40}
    ReviewComment.objects.create(thread=thread, author=leo, picture_key="a" * 24, **facts)

    unknown, rows_read = f"files/{uuid4().hex}", list[str]()
    for source in SOURCES.values():
        references = list(source.read())
        assert references
        for one in references:
            assert one in list(source.read_about(one.place, one.name))
        watched = replace(source, references=lambda row, facts: rows_read.append(row) or ())  # type: ignore[func-returns-value]
        list(watched.read_about("storage", unknown))
        assert rows_read == []
    assert not is_referenced("storage", unknown)
    assert is_referenced("storage", stored.stored_as)
    assert not is_referenced("uploads", stored.uid.hex)  # it was moved to storage
