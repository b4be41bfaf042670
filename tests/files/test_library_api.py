"""The API of the library: lists, a file, folders, actions, the bin, versions; requests that no client sends."""

import json
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from apps.files import listing, services
from apps.files.models import File, Folder
from apps.files.services import Selection
from tests.factories.courses import THEN
from tests.factories.files import FileFactory, FolderFactory, StoredFileFactory

FILES = "/api/v1/files/"


@pytest.fixture
def site(leo, browser_of, own_folders):
    return browser_of(leo)


@pytest.fixture
def small_pieces(monkeypatch):
    monkeypatch.setattr(listing, "PIECE", 3)


def call(client: Any, method: str, path: str, body: Any = None) -> Any:
    return getattr(client, method)(path, json.dumps(body), content_type="application/json")


def post(client: Any, path: str, **body: Any) -> Any:
    return call(client, "post", FILES + path, body)


def pieces(client: Any, address: str) -> list[dict[str, Any]]:
    """All pieces of a list, each found by the cursor of the one before."""
    found = [client.get(address).json()]
    while cursor := found[-1]["next"]:
        found.append(client.get(f"{address}&cursor={cursor}").json())
    return found


def names(answers: list[dict[str, Any]]) -> list[str]:
    return [file["name"] for answer in answers for file in answer["files"]]


def many(leo, contents: str = "abcdefgh", **facts: Any) -> list[File]:
    """Small files that share one content; several have the same time, size and kind."""
    upload = StoredFileFactory(owner=leo)
    return [
        FileFactory(
            owner=leo, name=f"{letter}.pdf", current=upload, size=index // 3, version=None,
            modified_at=THEN + timezone.timedelta(minutes=index // 3), kind=["pdf", "text"][index % 2], **facts,
        )
        for index, letter in enumerate(contents)
    ]  # fmt: skip


def test_the_list_of_a_folder(site, leo):
    top = FolderFactory(owner=leo, name="Walks")
    folder = FolderFactory(owner=leo, name="2024", parent=top)
    inner = FolderFactory(owner=leo, name="Rivers", parent=folder)
    FileFactory(owner=leo, folder=inner)
    file = FileFactory(owner=leo, folder=folder, name="map.pdf")

    answer = site.get(FILES, {"folder": folder.uid}).json()

    assert answer["folder"] == {"uid": str(folder.uid), "name": "2024"}
    assert answer["trail"] == [{"uid": str(top.uid), "name": "Walks"}]
    assert [(one["name"], one["file_count"]) for one in answer["folders"]] == [("Rivers", 1)]
    [found] = answer["files"]
    assert found["name"] == "map.pdf"
    assert (found["kind"], found["kind_label"], found["size"]) == ("pdf", "PDF", file.size)
    assert found["view_url"] == f"/files/{file.uid}/view"
    assert site.get(found["download_url"]).getvalue() == b"%PDF-1.7 a page"
    assert (answer["count"], answer["is_count_exact"], answer["next"]) == (1, True, None)


@pytest.mark.parametrize("place", ["", "folder", "q", "bin"])
@pytest.mark.parametrize("sort", ["modified", "name", "size", "type"])
@pytest.mark.usefixtures("small_pieces")
def test_the_pieces_of_a_list_are_the_whole_list_in_order(site, leo, place, sort):
    folder = FolderFactory(owner=leo) if place == "folder" else None
    files = many(leo, folder=folder)
    if place == "bin":
        services.move_to_bin(selection=Selection(files=files), by=leo, now=timezone.now())
    address = {
        "": FILES, "folder": f"{FILES}?folder={folder and folder.uid}", "q": f"{FILES}?q=.pdf", "bin": f"{FILES}?bin=1",
    }[place]  # fmt: skip
    found = pieces(site, f"{address}{'&' if '?' in address else '?'}sort={sort}")

    ordered = File.objects.order_by(*{
        "modified": ["-modified_at", "-pk"], "name": ["sort_name", "pk"], "size": ["-size", "-pk"],
        "type": ["kind", "sort_name", "pk"],
    }[sort]).values_list("name", flat=True)  # fmt: skip
    assert [len(one["files"]) for one in found] == [3, 3, 2]
    assert names(found) == list(ordered)


@pytest.mark.usefixtures("small_pieces")
def test_the_bin_begins_with_what_was_deleted_last(site, leo):
    for letter in "abcd":
        [file] = many(leo, letter)
        services.move_to_bin(selection=Selection(files=[file]), by=leo, now=timezone.now())
    folder = FolderFactory(owner=leo)
    many(leo, "xy", folder=folder)
    services.move_to_bin(selection=Selection(folders=[folder]), by=leo, now=timezone.now())

    first, second = pieces(site, f"{FILES}?bin=1")

    assert names([first, second]) == ["d.pdf", "c.pdf", "b.pdf", "a.pdf"]
    assert [(one["name"], one["file_count"]) for one in first["folders"]] == [(folder.name, 2)]
    assert second["folders"] == []
    assert all(file["deleted_at"] for file in first["files"])


@pytest.mark.usefixtures("small_pieces")
def test_files_added_and_deleted_meanwhile_shift_nothing(site, leo):
    files = many(leo)
    first = site.get(FILES, {"sort": "name"}).json()
    files[0].delete()
    files[2].delete()  # the cursor stands on it
    many(leo, "A")

    second = site.get(FILES, {"sort": "name", "cursor": first["next"]}).json()

    assert names([second]) == ["d.pdf", "e.pdf", "f.pdf"]


@pytest.mark.usefixtures("small_pieces")
def test_a_cursor_that_no_list_gave_is_refused(site, leo):
    many(leo)
    cursor = site.get(FILES, {"sort": "name"}).json()["next"]
    wrong = ["x", "1", "..", "a:b:c", "\x00", cursor[:-1], "e" + cursor[1:], cursor + "x", "é" * 50, "x" * 3000]

    answers = [site.get(FILES, {"sort": "name", "cursor": one}) for one in wrong]
    answers.append(site.get(FILES, {"sort": "size", "cursor": cursor}))  # of another order

    assert {(answer.status_code, answer.json()["code"]) for answer in answers} == {(400, "VALIDATION_FAILED")}
    assert all("cursor" in answer.json()["fields"] for answer in answers)


@pytest.mark.parametrize(
    "query",
    ["folder=x", "folder=%00", "sort=owner", "q=%00", f"q={'x' * 101}", "bin=maybe"],
)
def test_a_list_that_does_not_exist_is_refused(site, query):
    assert site.get(f"{FILES}?{query}").status_code == 400


def test_empty_parameters_are_as_none(site, leo):
    file = FileFactory(owner=leo)

    assert names([site.get(f"{FILES}?folder=&q=&sort=&cursor=&bin=&view=grid").json()]) == [file.name]


def test_the_count_ends_where_counting_costs_more_than_the_list(site, leo, monkeypatch):
    monkeypatch.setattr(listing, "COUNT_LIMIT", 5)
    many(leo)

    answer = site.get(FILES).json()

    assert (answer["count"], answer["is_count_exact"]) == (5, False)


def queries_of(client: Any, address: str) -> int:
    with CaptureQueriesContext(connection) as found:
        assert client.get(address).status_code == 200
    return len(found)


def test_a_list_costs_the_same_with_many_files(site, leo):
    top = FolderFactory(owner=leo)
    folder = FolderFactory(owner=leo, parent=top)
    file = FileFactory(owner=leo, folder=folder)
    services.move_to_bin(selection=Selection(files=many(leo, "x")), by=leo, now=timezone.now())
    addresses = [
        FILES, f"{FILES}?folder={folder.uid}", f"{FILES}?folder={folder.uid}&q=notes", f"{FILES}?bin=1",
        f"{FILES}folders/", f"{FILES}{file.uid}/",
    ]  # fmt: skip
    few = [queries_of(site, address) for address in addresses]
    upload = StoredFileFactory(owner=leo)
    FileFactory.create_batch(120, owner=leo, folder=folder, current=upload, version=None)
    FolderFactory.create_batch(30, owner=leo)
    services.move_to_bin(selection=Selection(files=many(leo, "abcdefgh")), by=leo, now=timezone.now())

    assert [queries_of(site, address) for address in addresses] == few
    cursor = site.get(f"{FILES}?folder={folder.uid}").json()["next"]
    assert queries_of(site, f"{FILES}?folder={folder.uid}&cursor={cursor}") < few[1]
    assert max(few) <= 8


def test_a_file_with_its_versions_and_preview(site, leo):
    folder = FolderFactory(owner=leo)
    file = FileFactory(
        owner=leo, folder=folder, name="tides.md", kind="text", media_type="text/plain", content=b"# Ebb"
    )

    answer = site.get(f"{FILES}{file.uid}/").json()

    assert answer["folder"]["name"] == folder.name
    assert [(one["number"], one["size"]) for one in answer["versions"]] == [(1, 5)]
    assert answer["preview"]["kind"] == "html"
    assert "<h2>Ebb</h2>" in answer["preview"]["html"]
    assert answer["view_url"] is None
    assert site.get(answer["versions"][0]["download_url"]).getvalue() == b"# Ebb"


def test_all_folders_to_choose_from(site, leo, mia):
    outer = FolderFactory(owner=leo, name="b")
    FolderFactory(owner=leo, name="a", parent=outer)
    FolderFactory(owner=leo, deleted_at=THEN)
    FolderFactory(owner=mia)

    assert [(one["name"], one["parent"]) for one in site.get(f"{FILES}folders/").json()] == [
        ("a", str(outer.uid)),
        ("b", None),
    ]


def test_folders_and_files_are_named(site, leo):
    file = FileFactory(owner=leo)
    made = post(site, "folders/", name="Walks")
    inner = post(site, "folders/", name="2024", parent=made.json()["uid"])

    assert (made.status_code, made.json()["file_count"]) == (201, 0)
    assert Folder.objects.get(uid=inner.json()["uid"]).parent.name == "Walks"
    assert call(site, "patch", f"{FILES}folders/{made.json()['uid']}/", {"name": "Paths"}).json()["name"] == "Paths"
    assert call(site, "patch", f"{FILES}{file.uid}/", {"name": "../map.pdf"}).json()["name"] == "map.pdf"
    taken = post(site, "folders/", name="MAP.pdf")
    assert (taken.status_code, taken.json()["code"]) == (409, "FILE_NAME_TAKEN")


@pytest.mark.parametrize("name", ["", " ", "..", "\x00", "\u202e", "\ud800", "x" * 4096, None, [], {}, True])
def test_a_name_that_cannot_be_one_is_refused(site, leo, name):
    file = FileFactory(owner=leo)

    for method, path in (("post", f"{FILES}folders/"), ("patch", f"{FILES}{file.uid}/")):
        assert call(site, method, path, {"name": name}).status_code in {400, 422}
    assert not Folder.objects.exists()


def test_actions_on_a_selection(site, leo):
    folder, other = FolderFactory(owner=leo), FolderFactory(owner=leo)
    one, two = FileFactory(owner=leo), FileFactory(owner=leo)
    files = [str(one.uid), str(two.uid)]

    assert post(site, "actions/", action="move", files=files, to=str(folder.uid)).json() == {"done": 2}
    assert post(site, "actions/", action="copy", files=files, folders=[str(folder.uid)], to=str(other.uid)).json() == {
        "done": 3
    }
    assert folder.files.count() == 2
    assert File.objects.count() == 6
    assert post(site, "actions/", action="bin", files=files, folders=[str(other.uid)]).json() == {"done": 3}
    assert File.objects.present().count() == 0
    assert post(site, "actions/", action="restore", files=files[:1]).json() == {"done": 1}
    assert post(site, "actions/", action="delete", files=files[1:]).json() == {"done": 1}
    assert post(site, "bin/empty/").json() == {"left": 0}
    assert list(File.objects.all()) == [one]


def test_one_entry_of_another_user_refuses_the_whole_action(site, leo, mia):
    own, foreign = FileFactory(owner=leo), FileFactory(owner=mia)
    foreign_folder = FolderFactory(owner=mia)
    selections: list[dict[str, Any]] = [
        {"files": [str(own.uid), str(foreign.uid)]},
        {"files": [str(own.uid)], "folders": [str(foreign_folder.uid)]},
        {"files": [str(own.uid), str(uuid4())]},
    ]
    for action in ("move", "copy", "bin", "restore", "delete"):
        for selection in selections:
            assert post(site, "actions/", action=action, **selection).status_code == 404
    for action in ("move", "copy"):
        answer = post(site, "actions/", action=action, files=[str(own.uid)], to=str(foreign_folder.uid))
        assert answer.status_code == 404

    assert File.objects.present().count() == 2


UID = str(uuid4())


@pytest.mark.parametrize(
    "body",
    [
        None, [], "x", 1, {}, {"action": None}, {"action": "explode", "files": [UID]},
        {"action": "\ud800", "files": [UID]},
        {"action": {}}, {"action": ["bin"], "files": [UID]}, {"action": "bin"}, {"action": "bin", "files": []},
        {"action": "bin", "files": UID}, {"action": "bin", "files": {"0": UID}}, {"action": "bin", "files": [None]},
        {"action": "bin", "files": [[UID]]}, {"action": "bin", "files": ["\x00"]}, {"action": "bin", "files": None},
        {"action": "bin", "files": ["x" * 60_000]}, {"action": "bin", "files": [1] * 40_000},
        {"action": "bin", "folders": [UID] * 1001}, {"action": "move", "files": [UID], "to": []},
        {"action": "move", "files": [UID], "to": "\ud800"}, {"action": "move", "files": [UID], "to": 10**400},
    ],
)  # fmt: skip
def test_a_body_that_no_client_sends_is_refused(site, body):
    answer = call(site, "post", f"{FILES}actions/", body)

    assert answer.status_code == 400
    assert answer["Content-Type"] == "application/problem+json"
    assert len(answer.content) < 10_000


def test_an_action_has_a_greatest_number_of_entries(site):
    answer = post(site, "actions/", action="bin", files=[str(uuid4()) for _ in range(600)], folders=[UID] * 1000)
    assert answer.status_code == 404  # repeated ones count once

    answer = post(site, "actions/", action="bin", files=[str(uuid4()) for _ in range(600)], folders=[
        str(uuid4()) for _ in range(600)
    ])  # fmt: skip
    assert (answer.status_code, answer.json()["code"]) == (422, "FILE_SELECTION_TOO_LARGE")


def test_versions_are_restored_and_downloaded(site, leo):
    file = FileFactory(owner=leo, content=b"one")
    services.library.add_version(file, StoredFileFactory(owner=leo, length=9, stored_as=""), now=timezone.now())

    answer = post(site, f"{file.uid}/versions/1/restore/")

    assert (answer.status_code, answer.json()["size"]) == (200, 3)
    assert site.get(f"/files/{file.uid}/versions/1/download").getvalue() == b"one"
    for number in (9, 2**40, 10**30):
        assert post(site, f"{file.uid}/versions/{number}/restore/").status_code == 404
        assert site.get(f"/files/{file.uid}/versions/{number}/download").status_code == 404


def test_an_older_version_is_only_downloaded(site, leo):
    file = FileFactory(owner=leo, name="page.html", content=b"<script>alert(1)</script>", media_type="text/plain")

    answer = site.get(f"/files/{file.uid}/versions/1/download")

    assert answer["Content-Disposition"].startswith("attachment")
    assert answer["Content-Type"] == "application/octet-stream"
    assert answer["Content-Security-Policy"].startswith("sandbox")
    assert answer["X-Content-Type-Options"] == "nosniff"


def test_files_and_folders_of_another_user_are_not_found(site, mia):
    file, folder = FileFactory(owner=mia), FolderFactory(owner=mia)

    answers = [
        site.get(f"{FILES}{file.uid}/"),
        site.get(FILES, {"folder": folder.uid}),
        call(site, "patch", f"{FILES}{file.uid}/", {"name": "x"}),
        call(site, "patch", f"{FILES}folders/{folder.uid}/", {"name": "x"}),
        post(site, "folders/", name="x", parent=str(folder.uid)),
        post(site, f"{file.uid}/versions/1/restore/"),
        site.get(f"/files/{file.uid}/versions/1/download"),
    ]

    assert {answer.status_code for answer in answers} == {404}


def test_a_visitor_gets_nothing(client, leo, own_folders):
    file = FileFactory(owner=leo)

    for path in ("", f"{file.uid}/", "folders/"):
        assert client.get(FILES + path).status_code == 401
    for path in ("actions/", "folders/", "bin/empty/", f"{file.uid}/versions/1/restore/"):
        assert post(client, path, action="bin", files=[str(file.uid)], name="x").status_code == 401


def test_a_folder_in_the_bin_has_no_list(site, leo):
    folder = FolderFactory(owner=leo, deleted_at=THEN)

    assert site.get(FILES, {"folder": folder.uid}).status_code == 404
