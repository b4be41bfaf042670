"""The library: uploads become files; folders, names, moves, copies, versions, the bin, storage; its pages."""

import base64
import json
import re
from io import StringIO
from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from apps.files import errors, library_queries, services
from apps.files.library_names import free_name, numbered, path_parts, sort_name
from apps.files.models import BinnedOriginal, File, FileVersion, Folder, Upload
from apps.files.queries import storage_of
from apps.files.services import Selection, copies, folders
from apps.files.services import bin as bin_service
from apps.files.services.folders import Names
from studyplatform.kit import jobs
from studyplatform.kit.errors import RateLimitExceeded
from studyplatform.kit.models import Job
from tests.factories.courses import LessonFactory
from tests.factories.files import FileFactory, FolderFactory

NOW = timezone.now


def send(client: Any, name: str, body: bytes, **facts: str) -> Any:
    """Upload a file in one request, as a tus client does."""
    pairs = {"filename": name, "purpose": "file", "target": "library", **facts}
    metadata = ",".join(f"{key} {base64.b64encode(value.encode()).decode()}" for key, value in pairs.items())
    return client.post(
        "/api/v1/uploads/",
        data=body,
        content_type="application/offset+octet-stream",
        HTTP_TUS_RESUMABLE="1.0.0",
        HTTP_UPLOAD_LENGTH=str(len(body)),
        HTTP_UPLOAD_METADATA=metadata,
    )


@pytest.fixture
def site(leo, browser_of, own_folders):
    return browser_of(leo)


def test_an_upload_becomes_a_file_in_its_folder(site, leo):
    folder = FolderFactory(owner=leo)

    assert send(site, "notes.md", b"# Tides", target=f"library/{folder.uid.hex}").status_code == 201

    file = File.objects.get()
    assert (file.owner, file.folder, file.name, file.kind, file.size) == (leo, folder, "notes.md", "text", 7)
    jobs.run_pending("default")
    assert site.get(f"/files/{file.uid}/download").getvalue() == b"# Tides"


def test_an_upload_into_a_folder_of_another_user_goes_to_the_top(site, leo, mia):
    folder = FolderFactory(owner=mia)

    send(site, "notes.md", b"# Tides", target=f"library/{folder.uid.hex}")

    assert File.objects.get().folder is None


def test_an_uploaded_folder_keeps_its_structure(site, leo):
    send(site, "a.txt", b"a", path="Walks/2024/a.txt")
    send(site, "b.txt", b"b", path="Walks/2024/b.txt")
    send(site, "c.txt", b"c", path="../../etc/./c.txt")

    year = Folder.objects.get(name="2024")
    assert year.parent is not None
    assert year.parent.name == "Walks"
    assert set(year.files.values_list("name", flat=True)) == {"a.txt", "b.txt"}
    assert File.objects.get(name="c.txt").folder.name == "etc"


def test_a_taken_name_gets_a_number_or_a_new_version(site):
    send(site, "notes.txt", b"one")
    send(site, "NOTES.txt", b"two")
    send(site, "notes.txt", b"three", conflict="replace")

    assert sorted(File.objects.values_list("name", "size")) == [("NOTES (2).txt", 3), ("notes.txt", 5)]
    assert FileVersion.objects.filter(file__name="notes.txt").count() == 2


def test_an_older_version_is_restored_without_a_copy(site, leo):
    send(site, "notes.txt", b"one")
    send(site, "notes.txt", b"three", conflict="replace")
    file, used = File.objects.get(), storage_of(leo).used

    site.post(f"/files/{file.uid}/versions/1/restore")

    file.refresh_from_db()
    assert (file.size, file.versions.count()) == (3, 3)
    assert storage_of(leo).used == used == 8


def test_a_version_that_does_not_exist_is_refused(leo, own_folders, db):
    file = FileFactory(owner=leo)

    with pytest.raises(errors.VersionNotFound):
        services.restore_version(file=file, number=2, by=leo, now=NOW())


@pytest.mark.parametrize(
    ("path", "folders", "name"),
    [
        ("a.txt", [], "a.txt"),
        ("..\\..\\a.txt", [], "a.txt"),
        ("/etc/passwd", ["etc"], "passwd"),
        ("x/\0y/z\n.txt", ["x", "y"], "z.txt"),
        ("...", [], "file"),
        ("/".join("d" * 1 for _ in range(30)) + "/a", ["d"] * 20, "a"),
    ],
)
def test_a_path_is_clean(path, folders, name):
    assert path_parts(path) == (folders, name)


def test_names_collide_without_case_and_in_any_unicode_form():
    assert sort_name("É.txt") == sort_name("e\u0301.TXT")
    assert free_name("a.txt", {sort_name("A.txt"), sort_name("a (2).txt")}) == "a (3).txt"
    assert numbered("x" * 120 + ".pdf", 2).endswith(" (2).pdf")
    assert len(numbered("x" * 200, 12)) == 120


def test_a_folder_cannot_be_moved_into_itself(leo, db):
    outer = FolderFactory(owner=leo)
    inner = FolderFactory(owner=leo, parent=outer)

    for target in (outer, inner):
        with pytest.raises(errors.FolderIntoItself):
            services.move_entries(selection=Selection(folders=[outer]), to=target, by=leo)
        with pytest.raises(errors.FolderIntoItself):
            services.copy_entries(selection=Selection(folders=[outer]), to=target, by=leo, now=NOW())


def test_folders_have_a_greatest_depth(leo, db):
    parent = None
    for n in range(20):
        parent = services.create_folder(owner=leo, parent=parent, name=str(n), now=NOW())

    with pytest.raises(errors.FolderTooDeep):
        services.create_folder(owner=leo, parent=parent, name="more", now=NOW())
    with pytest.raises(errors.FolderTooDeep):
        services.move_entries(selection=Selection(folders=[FolderFactory(owner=leo)]), to=parent, by=leo)


@pytest.mark.parametrize("name", ["", " . ", "..", "\u202e"])
def test_an_empty_name_is_refused(leo, db, name):
    with pytest.raises(errors.NameInvalid):
        services.create_folder(owner=leo, parent=None, name=name, now=NOW())


def test_a_copy_shares_its_contents_and_outlives_the_original(leo, own_folders, db):
    folder = FolderFactory(owner=leo)
    file = FileFactory(owner=leo, folder=folder)
    used = storage_of(leo).used

    services.copy_entries(selection=Selection(folders=[folder]), to=None, by=leo, now=NOW())
    services.move_to_bin(selection=Selection(folders=[folder]), by=leo, now=NOW())
    assert services.empty_bin(user=leo, until=NOW()) == 0

    copy = File.objects.get()
    assert (copy.name, copy.current_id, copy.folder.name) == (file.name, file.current_id, f"{folder.name} (2)")
    assert storage_of(leo).used == used
    assert Upload.objects.filter(pk=file.current_id).exists()


def test_a_folder_goes_to_the_bin_and_back_with_its_contents(leo, own_folders, db):
    folder = FolderFactory(owner=leo, name="Walks")
    inner = FolderFactory(owner=leo, parent=folder)
    file, earlier = FileFactory(owner=leo, folder=inner), FileFactory(owner=leo, folder=inner)
    services.move_to_bin(selection=Selection(files=[earlier]), by=leo, now=NOW())

    services.move_to_bin(selection=Selection(folders=[folder]), by=leo, now=NOW())
    FolderFactory(owner=leo, name="walks")  # took the name meanwhile
    assert list(library_queries.binned_folders(leo)) == [folder]
    assert list(library_queries.binned_files(leo)) == [earlier]
    services.restore_entries(selection=Selection(folders=[folder]), by=leo, now=NOW())

    folder.refresh_from_db()
    file.refresh_from_db()
    earlier.refresh_from_db()
    assert (folder.name, folder.deleted_at, file.deleted_at) == ("Walks (2)", None, None)
    assert earlier.deleted_at is not None


def test_a_file_is_restored_to_the_top_if_its_folder_is_gone(leo, own_folders, db):
    folder = FolderFactory(owner=leo)
    file = FileFactory(owner=leo, folder=folder)
    services.move_to_bin(selection=Selection(files=[file]), by=leo, now=NOW())
    services.move_to_bin(selection=Selection(folders=[folder]), by=leo, now=NOW())

    services.restore_entries(selection=Selection(files=[file]), by=leo, now=NOW())

    file.refresh_from_db()
    assert (file.folder, file.deleted_at) == (None, None)


def test_the_bin_counts_toward_storage_until_it_is_emptied(leo, own_folders, db):
    file = FileFactory(owner=leo)
    services.move_to_bin(selection=Selection(files=[file]), by=leo, now=NOW())
    use = library_queries.library_use(leo)
    assert use.bin == use.storage.used == file.size

    assert services.empty_bin(user=leo, until=NOW()) == 0

    assert storage_of(leo).used == 0
    assert not Upload.objects.exists()


def test_the_bin_promises_no_space_that_a_lesson_still_uses(leo, browser_of, own_folders, db):
    file, used = FileFactory(owner=leo, content=b"x" * 2000), FileFactory(owner=leo, content=b"y" * 3000)
    LessonFactory(kind="file", file=used.current)
    services.move_to_bin(selection=Selection(files=[file, used]), by=leo, now=NOW())
    site = browser_of(leo)

    for page in ("/files/bin", "/settings/storage"):
        shown = " ".join(site.get(page).content.decode().split())
        assert (
            'text="Everything in it will be permanently deleted. That frees up to 4.9 KB: files used elsewhere' in shown
        )
    site.post("/files/bin/empty")
    assert storage_of(leo).used == 3000


def test_emptying_the_bin_in_the_background_leaves_what_is_binned_later(leo, own_folders, db, monkeypatch):
    monkeypatch.setattr(bin_service, "AT_ONCE", 1)
    folder, later_folder = FolderFactory(owner=leo), FolderFactory(owner=leo)
    files = [FileFactory(owner=leo), FileFactory(owner=leo, folder=folder)]
    later = FileFactory(owner=leo)
    services.move_to_bin(selection=Selection(files=files[:1], folders=[folder]), by=leo, now=NOW())
    assert services.empty_bin(user=leo, until=NOW()) == 1

    services.move_to_bin(selection=Selection(files=[later], folders=[later_folder]), by=leo, now=NOW())
    original = BinnedOriginal.objects.create(
        owner=leo, filename="a.mp4", source="originals/a.mp4", size=1, why="deleted", deleted_at=NOW()
    )
    jobs.run_pending("default")
    assert list(File.objects.all()) == [later]
    assert list(Folder.objects.all()) == [later_folder]
    assert BinnedOriginal.objects.get() == original


def test_emptying_the_bin_twice_deletes_what_came_between(leo, own_folders, db, monkeypatch):
    monkeypatch.setattr(bin_service, "AT_ONCE", 1)
    for _ in range(2):
        services.move_to_bin(selection=Selection(files=FileFactory.create_batch(2, owner=leo)), by=leo, now=NOW())
        services.empty_bin(user=leo, until=NOW())

    jobs.run_pending("default")

    assert not File.objects.exists()


def test_the_bin_is_purged_after_30_days(leo, own_folders, db):
    old, new = FileFactory(owner=leo), FileFactory(owner=leo)
    now = NOW()
    services.move_to_bin(selection=Selection(files=[old]), by=leo, now=now - timezone.timedelta(days=31))
    services.move_to_bin(selection=Selection(files=[new]), by=leo, now=now)

    assert services.purge_bin(now=now) == 1

    assert list(File.objects.all()) == [new]


def purge(*flags: str) -> str:
    out = StringIO()
    call_command("purge_bin", *flags, stdout=out)
    return out.getvalue()


def test_an_operator_purges_the_bin(leo, own_folders, db, monkeypatch):
    monkeypatch.setattr(bin_service, "CHUNK", 2)
    folder, kept = FolderFactory(owner=leo), FileFactory(owner=leo)
    files = [FileFactory(owner=leo, folder=folder), *(FileFactory(owner=leo) for _ in range(3))]
    ago = NOW() - timezone.timedelta(days=8)
    services.move_to_bin(selection=Selection(folders=[folder], files=files[1:]), by=leo, now=ago)
    services.move_to_bin(selection=Selection(files=[kept]), by=leo, now=NOW())

    assert purge().startswith("0 files and folders that had been in the bin for 30 days were")
    assert purge("--days", "7", "--dry-run").startswith("5 files and folders")
    assert File.objects.count() == 5
    assert purge("--days", "7").startswith("5 files and folders")
    assert list(File.objects.all()) == [kept]
    assert not Folder.objects.exists()
    with pytest.raises(CommandError):
        purge("--days=-1")


def test_a_deleted_account_leaves_no_files(leo, own_folders, db):
    FileFactory(owner=leo, folder=FolderFactory(owner=leo))

    services.delete_library_of(user_id=leo.pk)

    assert not File.objects.exists()
    assert not Folder.objects.exists()
    assert not Upload.objects.exists()


def test_entries_of_another_user_do_not_exist(site, mia, own_folders):
    file, folder = FileFactory(owner=mia), FolderFactory(owner=mia)

    for data in ({"file": file.uid}, {"folder": folder.uid}, {"file": "x"}, {"here": folder.uid}):
        site.post("/files/act", {"action": "bin", **data})
    assert site.get(f"/files/?folder={folder.uid}").status_code == 404
    site.post("/files/folders", {"name": "x", "folder": folder.uid})
    site.post("/files/upload", {"folder": folder.uid, "file": SimpleUploadedFile("a.txt", b"a")})
    assert (File.objects.present().count(), Folder.objects.present().count()) == (1, 1)


def test_forms_work_without_scripts(site, leo):
    site.post("/files/folders", {"name": "Walks"})
    folder = Folder.objects.get()
    sent = [SimpleUploadedFile("a.txt", b"a"), SimpleUploadedFile("b.txt", b"b")]
    site.post("/files/upload", {"folder": folder.uid, "file": sent})
    a, b = File.objects.order_by("name")
    site.post(f"/files/{a.uid}/rename", {"name": "tides.txt"})
    site.post(f"/files/folders/{folder.uid}/rename", {"name": "Rivers"})
    site.post("/files/act", {"action": "move", "file": a.uid, "to": "", "here": folder.uid})
    site.post("/files/act", {"action": "copy", "file": b.uid, "to": ""})
    site.post("/files/act", {"action": "bin", "file": b.uid})

    assert sorted(File.objects.present().filter(folder=None).values_list("name", flat=True)) == ["b.txt", "tides.txt"]
    assert Folder.objects.get().name == "Rivers"
    page = site.get("/files/bin").content.decode()
    assert "b.txt" in page
    site.post("/files/act", {"action": "restore", "file": b.uid})
    assert File.objects.get(pk=b.pk).deleted_at is None


@pytest.mark.parametrize("action", ["", "explode"])
def test_an_unknown_action_is_refused(site, leo, action):
    file = FileFactory(owner=leo)

    site.post("/files/act", {"action": action, "file": file.uid})

    assert File.objects.present().count() == 1


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("page.html", b"<!doctype html><script>alert(1)</script>"),
        ("picture.svg", b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>"),
        ("picture.png", b"<html><script>alert(1)</script>"),
        ("run.exe", b"MZ\0\0"),
    ],
)
def test_what_could_run_is_only_downloaded(site, name, body):
    send(site, name, body)
    file = File.objects.get()

    answer = site.get(f"/files/{file.uid}/view")

    assert answer.headers["Content-Disposition"].startswith("attachment")
    assert answer.headers["Content-Security-Policy"].startswith("sandbox")
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Content-Type"] in {"text/plain", "application/octet-stream"}
    page = site.get(f"/files/{file.uid}").content.decode()
    assert "<script>alert" not in page


def test_an_image_is_shown_and_has_a_thumbnail(site):
    from io import BytesIO

    from PIL import Image

    out = BytesIO()
    Image.new("RGB", (900, 600), "teal").save(out, "PNG")
    send(site, "sea.png", out.getvalue())
    jobs.run_pending("default")
    file = File.objects.get()

    assert site.get(f"/files/{file.uid}/view").headers["Content-Disposition"].startswith("inline")
    small = Image.open(BytesIO(site.get(f"/files/{file.uid}/thumbnail").getvalue()))
    assert (small.format, small.size) == ("WEBP", (480, 320))


@pytest.mark.parametrize("way", ["upload", "restore"])
def test_a_new_version_removes_the_thumbnail_of_the_former_one(site, way):
    from io import BytesIO

    from PIL import Image

    out = BytesIO()
    Image.new("RGB", (90, 60), "teal").save(out, "PNG")
    send(site, "sea.png", out.getvalue())
    jobs.run_pending("default")
    file = File.objects.get()
    former = file.thumbnail
    assert default_storage.exists(former)

    if way == "upload":
        send(site, "sea.png", b"words", conflict="replace")
    else:
        site.post(f"/files/{file.uid}/versions/1/restore")
    jobs.run_pending("default")

    file.refresh_from_db()
    assert not default_storage.exists(former)
    assert (file.thumbnail != "" and default_storage.exists(file.thumbnail)) is (way == "restore")


def test_an_image_that_decodes_to_gigabytes_has_no_thumbnail(site):
    from io import BytesIO

    from PIL import Image

    out = BytesIO()
    Image.new("1", (20_000, 20_000)).save(out, "PNG")
    send(site, "bomb.png", out.getvalue())
    jobs.run_pending("default")

    assert File.objects.get().thumbnail == ""


def test_a_page_costs_the_same_with_many_files(site, leo):
    def queries(address: str) -> int:
        with CaptureQueriesContext(
            connection,
        ) as found:
            assert site.get(address).status_code == 200
        return len(found)

    folder = FolderFactory(owner=leo)
    FileFactory(owner=leo, folder=folder)
    FileFactory(owner=leo)
    addresses = ["/files/", f"/files/?folder={folder.uid}", "/files/?q=notes", "/files/bin"]
    few = [queries(address) for address in addresses]
    FileFactory.create_batch(30, owner=leo, folder=folder)
    FolderFactory.create_batch(30, owner=leo)
    FileFactory.create_batch(30, owner=leo)

    assert [queries(address) for address in addresses] == few
    assert max(few) <= 8


def test_the_storage_page_leads_to_files_of_the_library(site, leo):
    file = FileFactory(owner=leo)

    page = site.get("/settings/storage").content.decode()

    assert f"/files/{file.uid}" in page
    assert f"/settings/storage/files/{file.current.uid}/delete" not in page


def test_a_deleted_folder_leaves_what_was_moved_to_the_bin_before_it(leo, own_folders, db):
    outer = FolderFactory(owner=leo)
    inner = FolderFactory(owner=leo, parent=outer)
    early, within = FileFactory(owner=leo, folder=outer), FileFactory(owner=leo, folder=inner)
    services.move_to_bin(selection=Selection(files=[early], folders=[inner]), by=leo, now=NOW())
    services.move_to_bin(selection=Selection(folders=[outer]), by=leo, now=NOW())

    services.delete_entries(selection=Selection(folders=[outer]), by=leo)
    services.restore_entries(selection=Selection(files=[early], folders=[inner]), by=leo, now=NOW())

    assert list(Folder.objects.present()) == [inner]
    assert set(File.objects.present()) == {early, within}


def test_the_page_begins_with_what_the_api_answers(site, leo, monkeypatch):
    monkeypatch.setattr("apps.files.pages.library.PAGE", 2)
    monkeypatch.setattr("apps.files.listing.PIECE", 2)
    top = FolderFactory(owner=leo, name="</script>")
    folder = FolderFactory(owner=leo, parent=top)
    FolderFactory(owner=leo, parent=folder)
    FileFactory.create_batch(3, owner=leo, folder=folder)

    for query in (f"folder={folder.uid}&sort=name", f"folder={folder.uid}&q=notes&sort=size", "sort=modified"):
        page = site.get(f"/files/?{query}").content.decode()
        [props] = re.findall(r'data-island="files".*?<script[^>]*json">(.*?)</script>', page, re.DOTALL)

        assert json.loads(props)["first"] == site.get(f"/api/v1/files/?{query}").json()


def test_a_name_is_looked_up_without_reading_the_folder(leo, own_folders, db, django_assert_num_queries):
    names = ["a.txt", *(f"a ({number}).txt" for number in range(2, 150))]
    for name in names:
        FolderFactory(owner=leo, name=name)

    with django_assert_num_queries(3):
        found = Names(leo.pk, None)
        assert [found.free(each) for each in ("b.txt", "A.txt", "a.txt")] == ["b.txt", "A (150).txt", "a (151).txt"]


def test_copies_of_one_name_are_numbered(leo, own_folders, db):
    file = FileFactory(owner=leo, name="notes.pdf")
    folder = FolderFactory(owner=leo)
    for _ in range(2):
        services.copy_entries(selection=Selection(files=[file]), to=folder, by=leo, now=NOW())

    services.copy_entries(selection=Selection(folders=[folder]), to=folder.parent, by=leo, now=NOW())
    services.move_entries(selection=Selection(files=[file]), to=folder, by=leo)

    names = ["notes (2).pdf", "notes (3).pdf", "notes.pdf"]
    assert sorted(File.objects.filter(folder=folder).values_list("name", flat=True)) == names
    assert File.objects.exclude(folder=folder).count() == 2


def test_a_long_folder_has_numbered_pages_and_continues_by_a_cursor(site, leo, monkeypatch):
    monkeypatch.setattr("apps.files.pages.library.PAGE", 2)
    monkeypatch.setattr("apps.files.listing.COUNT_LIMIT", 4)
    for number in range(7):
        FileFactory(owner=leo, name=f"{number}.pdf")

    def names(page: str) -> list[str]:
        return re.findall(r'class="file__name"[^>]*>(\d)\.pdf', page)

    first, last = (site.get(f"/files/?sort=name&page={page}").content.decode() for page in (1, 99))
    assert (names(first), names(last)) == (["0", "1"], ["2", "3"])
    assert "7 files" in first
    assert "after=" not in first
    [cursor] = re.findall(r"after=([^\"]+)", last)
    rest = [site.get(f"/files/?sort=name&after={cursor}&page={page}").content.decode() for page in (1, 2)]
    assert [names(page) for page in rest] == [["4", "5"], ["6"]]
    assert names(site.get("/files/?sort=name&after=invented").content.decode()) == ["0", "1"]


def test_folders_show_files_and_bytes(site, leo):
    folder = FolderFactory(owner=leo)
    FileFactory(owner=leo, folder=folder, content=b"x" * 3072)
    FileFactory(owner=leo, folder=FolderFactory(owner=leo, parent=folder))

    assert "1 file, 3 KB" in site.get("/files/").content.decode()


def test_too_much_is_counted_before_anything_is_copied(leo, own_folders, db, monkeypatch):
    folder = FolderFactory(owner=leo)
    inner = FolderFactory(owner=leo, parent=folder)
    FileFactory.create_batch(3, owner=leo, folder=inner)
    monkeypatch.setattr(copies, "MAX_COPIED_ENTRIES", 4)
    monkeypatch.setattr(copies, "_copy_folder", lambda *_: pytest.fail("copied"))

    with pytest.raises(errors.TooManyEntries):
        services.copy_entries(selection=Selection(folders=[folder]), to=None, by=leo, now=NOW())


def test_copying_has_a_rate_and_a_library_a_size(leo, own_folders, db, monkeypatch, settings):
    files = FileFactory.create_batch(3, owner=leo)
    settings.RATE_LIMITS = settings.RATE_LIMITS | {"copy": (5, 600)}
    now = NOW()

    services.copy_entries(selection=Selection(files=files), to=None, by=leo, now=now)
    with pytest.raises(RateLimitExceeded):
        services.copy_entries(selection=Selection(files=files), to=None, by=leo, now=now)
    assert File.objects.count() == 6

    monkeypatch.setattr(folders, "MAX_LIBRARY_ENTRIES", 7)
    services.copy_entries(selection=Selection(files=files[:1]), to=None, by=leo, now=now)
    with pytest.raises(errors.LibraryFull):
        services.copy_entries(selection=Selection(files=files[:1]), to=None, by=leo, now=now)
    with pytest.raises(errors.LibraryFull):
        services.create_folder(owner=leo, parent=None, name="one more", now=now)


def test_only_copies_of_images_ask_for_a_thumbnail(leo, own_folders, db):
    files = [FileFactory(owner=leo, kind=kind) for kind in ("document", "image")]
    before = Job.objects.filter(kind="files.make_thumbnail").count()

    services.copy_entries(selection=Selection(files=files), to=None, by=leo, now=NOW())

    assert Job.objects.filter(kind="files.make_thumbnail").count() == before + 1
