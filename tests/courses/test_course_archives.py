"""A course becomes an archive and a course again, and a foreign or broken archive leaves nothing behind."""

import errno
import io
import json
import re
import struct
import zipfile
from collections.abc import Callable, Iterable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone
from PIL import Image

from apps.accounts.errors import RoleRequired
from apps.courses.content_tree import questions_of
from apps.courses.course_archive import MANIFEST, TREE, ArchiveWriter
from apps.courses.errors import CourseArchiveUnreadable, CourseChangedMeanwhile
from apps.courses.models import Course, CourseFile, Lesson
from apps.courses.queries.content_tree import read_tree
from apps.courses.services import archive_imports, archives
from apps.courses.services.archive_imports import import_course
from apps.courses.services.archives import export_course
from apps.files import services as files
from apps.files.errors import QuotaExceeded
from apps.files.models import CaptionTrack, Upload, VideoAsset
from apps.files.services import archived_media
from apps.files.storage import kept_name, local_path
from studyplatform.kit import jobs
from studyplatform.kit.errors import StoreFull
from studyplatform.kit.models import Job
from tests.cases import all_cases
from tests.courses.whole_course import make_whole_course
from tests.factories.accounts import UserFactory
from tests.factories.courses import CourseFactory, LessonFactory
from tests.factories.files import CaptionFactory, RenditionFactory, StoredFileFactory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_folders")]
NOW = timezone.now()
UID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
PLAYLIST = '#EXTM3U\n#EXT-X-MAP:URI="init.mp4"\n#EXTINF:4,\n00000.m4s\n#EXT-X-ENDLIST\n'
PUBLIC = {
    "master.m3u8": "#EXTM3U\n720p/index.m3u8\n",
    "720p/index.m3u8": PLAYLIST,
    "720p/init.mp4": "init",
    "720p/00000.m4s": "picture" * 50_000,
    "audio/index.m3u8": PLAYLIST,
    "audio/init.mp4": "init of the sound",
    "audio/00000.m4s": "sound",
    "poster.jpg": "poster",
    "storyboard.vtt": "WEBVTT\n",
    "storyboard-1.jpg": "tiles",
    "sound.json": "{}",
}


def write(name: str, content: bytes) -> None:
    path = local_path(name)
    assert path is not None
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


@pytest.fixture
def course() -> Course:
    """A course with everything, whose contents are stored."""
    made = make_whole_course()
    video = VideoAsset.objects.get()
    video.source, video.directory = "originals/a/b.mp4", "videos/a/b"
    video.poster, video.storyboard, video.sound_levels = "poster.jpg", "storyboard.vtt", "sound.json"
    video.loudness, video.loudness_gain, video.facts = -21.5, 5.5, {"container": "mov"}
    write(video.source, b"original" * 1000)
    for name, text in PUBLIC.items():
        write(f"{video.directory}/{name}", text.encode())
    video.source_bytes = 8000
    video.stored_bytes = sum(len(text) for text in PUBLIC.values())
    video.save()
    RenditionFactory(video=video)
    words = "WEBVTT\n\n00:00:01.000 --> 00:00:02.000\nLight bends – <i>immer</i> &amp; überall.\n"
    CaptionFactory(video=video, webvtt=files.checked_captions(words))
    CaptionFactory(video=video, language="de", webvtt=files.checked_captions(words), origin="automatic")
    handout = StoredFileFactory(owner=made.instructor, filename="handout.pdf")
    section = made.sections.order_by("position").last()
    LessonFactory(section=section, title="Handout", slug="handout", kind="file", file=handout, file_name="Handout.pdf")
    picture = io.BytesIO()
    Image.new("RGB", (1280, 720), "navy").save(picture, "PNG")
    for shown in CourseFile.objects.select_related("upload"):
        shown.upload.filename = shown.name
        shown.upload.save()
    Upload.objects.filter(pk=made.picture.upload_id).update(filename="bend.png")
    for upload in Upload.objects.all():
        content = picture.getvalue() if not upload.filename.endswith(".pdf") else b"%PDF-1.7 " + upload.uid.bytes
        upload.stored_as, upload.length, upload.offset = kept_name(upload.uid), len(content), len(content)
        upload.completed_at = upload.completed_at or NOW
        upload.save()
        write(upload.stored_as, content)
    return Course.objects.get(pk=made.pk)


@pytest.fixture
def eve() -> Any:
    return UserFactory(username="eve", role="instructor")


@pytest.fixture
def archive(course: Course, tmp_path: Path) -> Path:
    path = tmp_path / "course.zip"
    export_course(course=course, path=path, now=NOW)
    return path


def comparable(tree: dict[str, Any]) -> Any:
    """A tree whose uids are numbered by their first appearance, without what a site decides."""
    tree = json.loads(json.dumps(tree))
    tree["picture"].pop("key")
    for file in tree["files"]:
        file.pop("is_rendered")
    tree["files"].sort(key=lambda file: (file["name"], file["media_type"]))
    numbers: dict[str, str] = {}
    text = UID.sub(lambda uid: numbers.setdefault(uid[0], f"#{len(numbers)}"), json.dumps(tree))
    return json.loads(text)


def stored(root: Path) -> dict[str, bytes]:
    return {each.relative_to(root).as_posix(): each.read_bytes() for each in root.rglob("*") if each.is_file()}


def test_a_course_round_trips_with_its_media_quizzes_and_captions(course, archive, eve, tmp_path) -> None:
    before = read_tree(course)
    told: list[tuple[int, int]] = []

    report = import_course(path=archive, owner=eve, now=NOW, progress=lambda *done: told.append(done))

    made = report.course
    assert made is not None
    assert (made.status, made.instructor, made.slug != course.slug) == ("draft", eve, True)
    assert report.left_out == []
    assert comparable(read_tree(made)) == comparable(before)
    assert told[-1][0] == told[-1][1]
    old, new = VideoAsset.objects.order_by("pk")
    assert new.owner == eve
    for name in ("filename", "duration", "loudness", "loudness_gain", "facts", "source_bytes", "stored_bytes"):
        assert getattr(new, name) == getattr(old, name), name
    pairs = [(old.source, new.source)] + [(f"{old.directory}/{name}", f"{new.directory}/{name}") for name in PUBLIC]
    media = stored(tmp_path / "media")
    for one, other in pairs:
        assert media[one] == media[other], other
    columns = ("language", "label", "origin", "webvtt")
    assert list(old.captions.order_by("language").values_list(*columns)) == list(
        new.captions.order_by("language").values_list(*columns)
    )
    assert list(old.renditions.values_list("name", "bandwidth", "codecs")) == list(
        new.renditions.values_list("name", "bandwidth", "codecs")
    )
    contents = sorted(media[kept_name(upload.uid)] for upload in Upload.objects.filter(owner=eve))
    assert contents == sorted(
        media[upload.stored_as] for upload in Upload.objects.exclude(owner=eve) if upload.length and upload.uid
    )
    assert made.picture.key != course.picture.key
    assert not Job.objects.filter(kind="files.remove_arrival").exists()
    # What was imported can be exported, and nothing but names differs.
    again = tmp_path / "again.zip"
    export_course(course=made, path=again, now=NOW)
    with zipfile.ZipFile(archive) as first, zipfile.ZipFile(again) as second:
        assert sorted(each.file_size for each in first.infolist() if "/" in each.filename) == sorted(
            each.file_size for each in second.infolist() if "/" in each.filename
        )


def counts() -> tuple[int, ...]:
    return tuple(model.objects.count() for model in (Course, VideoAsset, Upload, CaptionTrack, Job))


def refuse(path: Path, owner: Any, tmp_path: Path, error: type[Exception] = CourseArchiveUnreadable) -> Any:
    """Import an archive that is refused, and check that nothing is left."""
    before, files_before = counts(), set(stored(tmp_path / "media"))
    with pytest.raises(error) as refused:
        import_course(path=path, owner=owner, now=NOW)
    assert counts() == before
    assert set(stored(tmp_path / "media")) == files_before
    assert stored(tmp_path / "work") == {}
    return refused.value


def rewritten(path: Path, change: Callable[[dict[str, bytes]], Any], *, keeps_manifest: bool = False) -> Path:
    """Write an archive again with other entries; its manifest fits them unless `keeps_manifest`."""
    with zipfile.ZipFile(path) as old:
        entries = {info.filename: old.read(info) for info in old.infolist()}
    manifest = json.loads(entries.pop(MANIFEST))
    change(entries)
    other = path.with_name("other.zip")
    writer = ArchiveWriter(other)
    for name, content in entries.items():
        writer.add(name, [content])
    if keeps_manifest:
        writer._entries = manifest["entries"]
    writer.finish({"title": manifest["title"], "names": manifest["names"]})
    return other


def edit(entries: dict[str, bytes], name: str, change: Callable[[Any], Any]) -> None:
    value = json.loads(entries[name])
    change(value)
    entries[name] = json.dumps(value).encode()


def find(entries: dict[str, bytes], part: str) -> str:
    return next(name for name in entries if part in name and (part != "videos/" or name.endswith(".json")))


def rename(entries: dict[str, bytes], part: str, to: str) -> None:
    name = find(entries, part)
    entries[name.replace(part, to)] = entries.pop(name)


BREAKS: dict[str, Callable[[dict[str, bytes]], Any]] = {
    "traversal": lambda entries: entries.update({"videos/../../etc/passwd": b"x"}),
    "absolute": lambda entries: entries.update({"/etc/passwd": b"x"}),
    "other name": lambda entries: rename(entries, "720p/init.mp4", "720p/init.html"),
    "unknown upload": lambda entries: entries.update({"uploads/00000000-0000-4000-8000-000000000000": b"x"}),
    "foreign playlist": lambda entries: entries.update(
        {find(entries, "720p/index.m3u8"): b"#EXTM3U\n#EXTINF:4,\nhttps://evil.example/00000.m4s\n"}
    ),
    "playlist out of its folder": lambda entries: entries.update(
        {find(entries, "720p/index.m3u8"): b'#EXTM3U\n#EXT-X-MAP:URI="../../b/init.mp4"\n'}
    ),
    "no tree": lambda entries: entries.pop(TREE),
    "later tree": lambda entries: edit(entries, TREE, lambda tree: tree.update(format=2)),
    "tree of nothing": lambda entries: entries.update({TREE: b"[]"}),
    "deep tree": lambda entries: entries.update({TREE: b"[" * 200_000}),
    "title too long": lambda entries: edit(entries, TREE, lambda tree: tree["course"].update(title="x" * 5000)),
    "kind of lesson": lambda entries: edit(
        entries, TREE, lambda tree: tree["sections"][0]["lessons"][0].update(kind="program")
    ),
    "question without an answer": lambda entries: edit(
        entries, TREE, lambda tree: next(questions_of(tree)).update(answer={})
    ),
    "question of unknown choices": lambda entries: edit(
        entries, TREE, lambda tree: [question.update(options=7) for question in questions_of(tree)]
    ),
    "circle": lambda entries: edit(entries, TREE, _make_circle),
    "program": lambda entries: entries.update({find(entries, "uploads/"): b"MZ\x90\x00"}),
    "captions": lambda entries: edit(
        entries, find(entries, "videos/"), lambda video: video["captions"][0].update(webvtt="")
    ),
    "video path": lambda entries: edit(entries, find(entries, "videos/"), lambda video: video.update(poster="../../a")),
    "video without columns": lambda entries: edit(entries, find(entries, "videos/"), lambda video: video.pop("width")),
    "not a number": lambda entries: edit(
        entries, find(entries, "videos/"), lambda video: video.update(duration=float("nan"))
    ),
}


def _make_circle(tree: dict[str, Any]) -> None:
    lessons = [lesson for section in tree["sections"] for lesson in section["lessons"]]
    lessons[0]["prerequisites"], lessons[1]["prerequisites"] = [lessons[1]["uid"]], [lessons[0]["uid"]]


def failures(archive: Path, owner: Any, tmp_path: Path, names: Iterable[str]) -> list[str]:
    """Return which breaks are not refused: all cases share what is expensive."""
    failed = []
    for name in names:
        try:
            refuse(rewritten(archive, BREAKS[name]), owner, tmp_path)
        except (AssertionError, Exception) as problem:
            failed.append(f"{name}: {problem!r}")
    return failed


@pytest.mark.long
def test_an_archive_that_no_release_wrote_leaves_nothing_behind(archive, eve, tmp_path) -> None:
    assert failures(archive, eve, tmp_path, BREAKS) == []


def test_an_archive_names_no_files_of_the_server_and_no_other_site(archive, eve, tmp_path) -> None:
    assert failures(archive, eve, tmp_path, ("traversal", "foreign playlist", "title too long")) == []


def test_damage_is_found_by_the_hashes(archive, eve, tmp_path) -> None:
    def flip(entries: dict[str, bytes]) -> None:
        name = find(entries, "original")
        entries[name] = b"O" + entries[name][1:]

    refuse(rewritten(archive, flip, keeps_manifest=True), eve, tmp_path)
    raw = archive.read_bytes()
    cut = tmp_path / "cut.zip"
    for content in (
        b"",
        raw[: len(raw) // 2],
        raw.replace(b"picturepicture", b"pictureXicture", 1),
        b"PK\x05\x06" * 20,
    ):
        cut.write_bytes(content)
        refuse(cut, eve, tmp_path)


def test_a_bomb_is_refused_before_it_is_read(archive, eve, tmp_path) -> None:
    bomb = tmp_path / "bomb.zip"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr(TREE, b"0" * 50_000_000)
        made.writestr(MANIFEST, b"{}")
    refuse(bomb, eve, tmp_path)
    with zipfile.ZipFile(bomb, "w") as made:
        made.writestr(TREE, b"{}")
        with pytest.warns(UserWarning, match="Duplicate"):
            made.writestr(TREE, b"{}")
    refuse(bomb, eve, tmp_path)
    # An entry of the directory that says it is larger than the file.
    raw = bytearray(archive.read_bytes())
    at = raw.rindex(b"PK\x01\x02")
    raw[at + 20 : at + 28] = struct.pack("<II", 2**31, 2**31)
    bomb.write_bytes(raw)
    refuse(bomb, eve, tmp_path)


@pytest.mark.long
def test_what_the_site_or_its_owner_has_no_room_for_is_refused(
    archive, eve, leo, tmp_path, settings, monkeypatch
) -> None:
    refuse(archive, leo, tmp_path, RoleRequired)
    monkeypatch.setitem(settings.STORAGE_ALLOWANCE, "instructor", 100)
    refuse(archive, eve, tmp_path, QuotaExceeded)
    monkeypatch.undo()
    settings.DISK_RESERVE = 2**60
    refuse(archive, eve, tmp_path, StoreFull)


@pytest.mark.long
def test_a_full_disk_leaves_nothing_behind(archive, eve, tmp_path, monkeypatch) -> None:
    stored_files: list[str] = []

    def fill(path: Path, name: str, *_: Any) -> None:
        if len(stored_files) == 3:
            raise OSError(errno.ENOSPC, "No space left on device")
        stored_files.append(name)
        write(name, path.read_bytes())

    monkeypatch.setattr(archived_media, "put", fill)

    refuse(archive, eve, tmp_path, OSError)
    assert len(stored_files) == 3


@pytest.mark.long
def test_what_a_killed_import_has_stored_is_removed_later(archive, eve, tmp_path, monkeypatch, time_machine) -> None:
    before = set(stored(tmp_path / "media"))

    def die(*_: Any, **__: Any) -> Any:
        raise SystemExit

    monkeypatch.setattr(archive_imports, "_make", die)
    monkeypatch.setattr(files.Arrival, "__exit__", lambda *_: None)  # a killed process does not clean up
    with pytest.raises(SystemExit):
        import_course(path=archive, owner=eve, now=NOW)
    # The transaction that deletes the job was rolled back.
    assert Job.objects.filter(kind="files.remove_arrival").count() == 1
    assert set(stored(tmp_path / "media")) > before

    time_machine.move_to(timezone.now() + timedelta(hours=3), tick=False)
    jobs.run_pending("default")

    assert set(stored(tmp_path / "media")) == before
    assert not Course.objects.filter(instructor=eve).exists()


@pytest.mark.long
def test_an_import_whose_files_were_given_up_makes_no_course(archive, eve, monkeypatch) -> None:
    store = archive_imports._store

    def stand_still(*arguments: Any) -> None:
        store(*arguments)
        Job.objects.filter(kind="files.remove_arrival").update(state="running")

    monkeypatch.setattr(archive_imports, "_store", stand_still)

    with pytest.raises(RuntimeError):
        import_course(path=archive, owner=eve, now=NOW)
    assert not Course.objects.filter(instructor=eve).exists()


@pytest.mark.long
def test_a_file_that_is_gone_is_no_archive(course, tmp_path) -> None:
    path = local_path("videos/a/b/720p/00000.m4s")
    assert path is not None
    path.unlink()
    read = archived_media.open_stored

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(archives.files, "open_archived", lambda name: read(f"{name}-gone"))
        with pytest.raises(CourseChangedMeanwhile):
            export_course(course=course, path=tmp_path / "course.zip", now=NOW)

    assert not list(tmp_path.glob("course.zip*"))


@pytest.mark.long
def test_memory_does_not_grow_with_a_video(course, archive, eve, monkeypatch) -> None:
    sizes: list[int] = []
    read = archived_media.iterate_chunks

    def watch(source: Any) -> Any:
        for chunk in read(source):
            sizes.append(len(chunk))
            yield chunk

    monkeypatch.setattr(archived_media, "CHUNK_BYTES", 1000)
    monkeypatch.setattr(archives.files, "iterate_chunks", watch)
    import_course(path=archive, owner=eve, now=NOW, dry_run=True)
    assert max(sizes) <= 1000


@pytest.mark.long
def test_prices_of_another_currency_and_unknown_subjects_are_named(archive, eve, course) -> None:
    def change(tree: dict[str, Any]) -> None:
        tree["course"].update(subject="alchemy", price=990, currency="JPY", pricing="one_time")

    report = import_course(path=rewritten(archive, lambda entries: edit(entries, TREE, change)), owner=eve, now=NOW)

    assert report.left_out[:2] == ["alchemy", "990 JPY"]
    assert report.course is not None
    assert (report.course.price, report.course.pricing) == (0, "free")


def test_contents_that_are_only_named_are_not_taken_from_others(archive, eve, course) -> None:
    """An archive names rows of this site: what did not arrive with it is missing, even if somebody has it here."""
    others = CourseFactory(title="Secret plans")

    def change(entries: dict[str, bytes]) -> None:
        for name in [name for name in entries if name.startswith(("videos/", "uploads/"))]:
            del entries[name]
        edit(entries, TREE, lambda tree: tree["course"]["prerequisites"].append(str(others.uid)))

    path = rewritten(archive, change)
    report = import_course(path=path, owner=eve, now=NOW, dry_run=True)
    assert {"Film", "Handout", "A bend"} <= set(report.left_out)
    report = import_course(path=path, owner=eve, now=NOW)

    made, uids = report.course, set(Lesson.objects.filter(course=course).values_list("uid", flat=True))
    assert made is not None
    assert {"Film", "Handout", "A bend"} <= set(report.left_out)
    tree = read_tree(made)
    assert (tree["files"], tree["picture"]) == ([], None)
    for lesson in made.lessons.all():
        assert (lesson.video, lesson.file, lesson.downloads.count()) == (None, None, 0)
    assert [one.title for one in made.prerequisites.all()] == [one.title for one in course.prerequisites.all()]
    assert uids == set(Lesson.objects.filter(course=course).values_list("uid", flat=True))
    assert not VideoAsset.objects.filter(owner=eve).exists()


@all_cases("text is_foreign", [
    (PLAYLIST, False),
    ("#EXTM3U\n720p/index.m3u8\naudio/index.m3u8\n", False),
    ("#EXTM3U\n#EXT-X-MEDIA:TYPE=AUDIO,URI=\"audio/index.m3u8\"\n", False),
    ("#EXTM3U\nhttp://a/00000.m4s\n", True),
    ("#EXTM3U\n//a/00000.m4s\n", True),
    ("#EXTM3U\n../00000.m4s\n", True),
    ("#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI=\"https://a/key\"\n", True),
])  # fmt: skip
def test_playlists_name_only_what_is_beside_them(text: str, is_foreign: bool) -> None:
    assert files.is_foreign_playlist(text.encode()) is is_foreign


@pytest.mark.long
def test_the_commands_say_what_they_would_do_and_what_they_did(course, eve, tmp_path, capsys) -> None:
    path = tmp_path / "out.zip"
    before = counts()

    call_command("export_course", course.slug, path, dry_run=True)
    assert not path.exists()
    call_command("export_course", course.slug, path)
    call_command("import_course", path, owner=eve.email, dry_run=True)
    assert counts() == before
    call_command("import_course", path, owner=eve.email)

    said = capsys.readouterr().out
    assert "would have 6 lessons, 1 videos" in said or "would have 5 lessons, 1 videos" in said
    assert "would be made" in said
    assert "is the draft" in said
    for arguments in (
        ("export_course", "no-course", path),
        ("export_course", course.slug, tmp_path / "no-folder" / "a.zip"),
        ("import_course", tmp_path / "none.zip", "--owner", eve.email),
        ("import_course", path, "--owner", "nobody@example.com"),
    ):
        with pytest.raises(CommandError):
            call_command(*map(str, arguments))
