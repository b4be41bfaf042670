"""Hostile names and ids in every form and call of the library are refused or harmless."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from apps.files import services
from apps.files.file_types import clean_name
from apps.files.library_names import sort_name
from apps.files.models import File, Folder
from apps.files.services import Selection
from tests.cases import all_cases
from tests.factories.files import FileFactory, FolderFactory
from tests.files.test_library import send

pytestmark = [pytest.mark.database, pytest.mark.django_db]

HOSTILE = {
    "4,096 bytes": "é" * 2048,
    "4,096 bytes and a suffix": "x" * 4092 + ".pdf",
    "null byte": "notes\0.exe",
    "right-to-left override": "invoice\u202efdp.exe",
    "device": "NUL.txt",
    "device with a case": "cOm1",
    "device with a superscript": "LPT\u00b9.txt",
    "traversal": "../../../etc/passwd",
    "traversal of Windows": "..\\..\\boot.ini",
    "line break": "a\r\nSet-Cookie: x=1",
    "markup": "<img src=x onerror=alert(1)>",
    "invisible": "a\u200b\u2060\ufeffb",
    "trailing dots": "notes. . .",
    "template": "{{ 7 * 7 }}%(name)s%n",
    "combining characters": "a" + "\u0301" * 500,
}
EMPTY = {"empty": "", "spaces": "   ", "dots": "..", "only invisible": "\u202e\u200f\0"}


@pytest.fixture
def site(leo, browser_of, own_folders) -> Client:
    browser: Client = browser_of(leo)
    return browser


def patched(site: Client, address: str, **body: str) -> Any:
    return site.patch(address, body, content_type="application/json")


def create_folder(site: Client, name: str) -> None:
    site.post("/files/folders", {"name": name})


def create_folder_by_api(site: Client, name: str) -> None:
    site.post("/api/v1/files/folders/", {"name": name}, content_type="application/json")


def rename_folder(site: Client, name: str) -> None:
    folder = FolderFactory(owner=site.owner)  # type: ignore[attr-defined]
    site.post(f"/files/folders/{folder.uid}/rename", {"name": name})


def rename_folder_by_api(site: Client, name: str) -> None:
    patched(site, f"/api/v1/files/folders/{FolderFactory(owner=site.owner).uid}/", name=name)  # type: ignore[attr-defined]


def rename_file(site: Client, name: str) -> None:
    site.post(f"/files/{FileFactory(owner=site.owner).uid}/rename", {"name": name})  # type: ignore[attr-defined]


def rename_file_by_api(site: Client, name: str) -> None:
    patched(site, f"/api/v1/files/{FileFactory(owner=site.owner).uid}/", name=name)  # type: ignore[attr-defined]


def upload_by_form(site: Client, name: str) -> None:
    site.post("/files/upload", {"file": SimpleUploadedFile(name, b"words")})


def upload_by_tus(site: Client, name: str) -> None:
    send(site, name, b"words")


def upload_into_folders(site: Client, name: str) -> None:
    send(site, "a.txt", b"words", path=f"{name}/{name}")


RENAMING = [create_folder, create_folder_by_api, rename_folder, rename_folder_by_api, rename_file, rename_file_by_api]
UPLOADING = [upload_by_form, upload_by_tus, upload_into_folders]


@pytest.mark.parametrize("way", [*RENAMING, *UPLOADING])
def test_a_hostile_name_is_refused_or_made_harmless(way, site, leo):
    site.owner = leo
    for what, name in HOSTILE.items():
        way(site, name)

        for entry in [*File.objects.all(), *Folder.objects.all()]:
            assert entry.name == clean_name(entry.name), what
            assert len(entry.name) <= 120, what
            assert len(entry.name.encode()) <= 240, what
            assert entry.name.isprintable(), what
            assert not set("/\\\0\r\n") & set(entry.name), what
            assert entry.sort_name == sort_name(entry.name), what
        page = site.get("/files/")
        assert page.status_code == 200, what
        assert "<img src=x" not in page.content.decode(), what
    assert File.objects.exists() or Folder.objects.exists()


@pytest.mark.parametrize("way", RENAMING)
def test_a_name_of_which_nothing_is_left_is_refused(way, site, leo):
    site.owner = leo
    for name in EMPTY.values():
        way(site, name)

    names = {*File.objects.values_list("name", flat=True), *Folder.objects.values_list("name", flat=True)}
    assert all(name.startswith(("notes-", "Folder ")) for name in names)  # as the factories named them


LOOKALIKES = ["Notes", "notes", "NOTES", "\uff4e\uff4f\uff54\uff45\uff53", "no\u200btes", " notes ", "notes."]


@pytest.mark.parametrize("name", LOOKALIKES)
def test_a_folder_holds_no_two_names_that_differ_only_in_their_case_or_form(name, site, leo):
    FolderFactory(owner=leo, name="Notes")
    other = FileFactory(owner=leo, name="other")

    create_folder(site, name)
    create_folder_by_api(site, name)
    assert patched(site, f"/api/v1/files/{other.uid}/", name=name).json()["code"] == "FILE_NAME_TAKEN"
    site.post(f"/files/{other.uid}/rename", {"name": name})
    upload_by_tus(site, name)

    assert Folder.objects.count() == 1
    other.refresh_from_db()
    assert other.name == "other"
    assert sort_name(File.objects.exclude(pk=other.pk).get().name) == "notes (2)"


@pytest.mark.parametrize("action", ["move", "copy"])
def test_names_that_collide_are_numbered_however_often(action, site, leo):
    long = "x" * 116 + ".pdf"
    target = FolderFactory(owner=leo)
    for name in (long, long.upper(), long.title()):
        folder = FolderFactory(owner=leo)
        file = FileFactory(owner=leo, folder=folder, name=name)
        site.post("/files/act", {"action": action, "file": file.uid, "to": target.uid})

    names = File.objects.filter(folder=target).values_list("name", flat=True)
    assert len(names) == len({sort_name(name) for name in names}) == 3
    assert all(len(name) <= 120 and name.lower().endswith(".pdf") for name in names)


def test_a_duplicate_in_one_selection_is_handled_once(site, leo):
    file, target = FileFactory(owner=leo), FolderFactory(owner=leo)

    site.post("/files/act", {"action": "copy", "file": [file.uid, file.uid, file.uid], "to": target.uid})

    assert File.objects.filter(folder=target).count() == 1


# --- Ids of other users ---------------------------------------------------------------------------------------


@pytest.fixture
def state(leo, mia):
    """A file and a folder of Leo and of Mia each, and one of each in the bin; returns what all of them are."""
    for owner in (leo, mia):
        folder = FolderFactory(owner=owner)
        FileFactory(owner=owner, folder=folder)
        binned = FileFactory(owner=owner)
        services.move_to_bin(selection=Selection(files=[binned]), by=owner, now=timezone.now())
    return lambda: (
        sorted(File.objects.values_list("pk", "name", "folder", "deleted_at")),
        sorted(Folder.objects.values_list("pk", "name", "parent", "deleted_at")),
    )


@pytest.mark.parametrize("action", ["move", "copy", "bin", "restore", "delete"])
def test_an_action_with_one_foreign_id_changes_nothing(action, site, leo, mia, state):
    before = state()
    own, own_folder = File.objects.filter(owner=leo), Folder.objects.get(owner=leo)
    foreign, foreign_folder = File.objects.filter(owner=mia), Folder.objects.get(owner=mia)
    mine = [str(file.uid) for file in own]
    tries: list[dict[str, Any]] = [{"files": [*mine, str(file.uid)], "folders": [], "to": None} for file in foreign]
    tries += [{"files": mine, "folders": [str(foreign_folder.uid)], "to": None}]
    if action in {"move", "copy"}:
        tries += [{"files": mine[:1], "folders": [str(own_folder.uid)], "to": str(foreign_folder.uid)}]
    for one in tries:
        called = site.post("/api/v1/files/actions/", {"action": action, **one}, content_type="application/json")
        assert called.status_code == 404
        form = {"action": action, "file": one["files"], "folder": one["folders"], "to": one["to"] or ""}
        assert site.post("/files/act", form).status_code in {302, 404}

    assert state() == before


def test_a_foreign_folder_receives_nothing(site, leo, mia, state):
    before, foreign = state(), Folder.objects.get(owner=mia)

    for address in ("/files/folders", "/files/upload"):
        site.post(address, {"folder": foreign.uid, "name": "x", "file": SimpleUploadedFile("a.txt", b"a")})
    called = {"name": "x", "parent": str(foreign.uid)}
    assert site.post("/api/v1/files/folders/", called, content_type="application/json").status_code == 404
    assert site.get(f"/api/v1/files/?folder={foreign.uid}").status_code == 404
    assert site.get("/files/", {"folder": str(foreign.uid), "q": "n"}).status_code == 404

    assert state() == before


STRANGE = ["\0", "%00", "'", '"; DROP TABLE files_file; --', "-1", "9" * 400, "owner__password", "\ud7ff", "x" * 3000]


@all_cases("text", STRANGE)
def test_strange_values_in_addresses_and_forms_are_harmless(text, site, leo, state):
    before = state()

    for name in ("folder", "q", "sort", "view", "page"):
        for page in ("/files/", "/files/bin", "/files/shared", "/files/links"):
            assert site.get(page, {name: text}).status_code in {200, 404}, (page, name)
    for name in ("folder", "q", "sort", "cursor", "bin"):
        assert site.get("/api/v1/files/", {name: text}).status_code in {200, 400, 404, 422}, name
    for name in ("action", "file", "folder", "to", "here", "original"):
        form = {"action": "bin", name: text}
        for address in ("/files/act", "/files/zip"):
            assert site.post(address, form).status_code in {302, 404, 422}, (address, name)

    assert state() == before
