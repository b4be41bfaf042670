"""Searches by the index of names find what a plain search finds, whatever wrote the names."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from apps.accounts.models import User
from apps.files import name_search, services
from apps.files.library_names import sort_name
from apps.files.library_queries import search_files
from apps.files.models import File
from apps.files.services import Selection
from studyplatform.kit.db.triggers import drop_triggers, install_triggers
from tests.factories.files import FileFactory, FolderFactory, StoredFileFactory

pytestmark = pytest.mark.database
LETTERS = "abé%_\\'\"ßİ١ 🙂漢\u0301A"


@pytest.fixture(autouse=True)
def _folders(own_folders, db):
    """Files in a folder of the test."""


@pytest.fixture
def _always(monkeypatch):
    """Search by the index, however few files there are and however common the text is."""
    monkeypatch.setattr(name_search, "SAMPLE", 0)
    monkeypatch.setattr(name_search, "COMMON", 2)


def files_of(owner: User, names: list[str]) -> list[File]:
    upload = StoredFileFactory(owner=owner)
    now = timezone.now()
    return File.objects.bulk_create(
        File(owner=owner, name=name, sort_name=f"{sort_name(name)[:230]}{n}", current=upload, size=1, created_at=now,
             modified_at=now)
        for n, name in enumerate(names)
    )  # fmt: skip


def plain(owner: User, text: str) -> set[int]:
    return {file.pk for file in File.objects.of(owner.pk).present() if sort_name(text) in file.sort_name}


def found(owner: User, text: str) -> set[int]:
    return {file.pk for file in search_files(owner, None, text, "modified")}


@pytest.mark.parametrize("most", [0, 100])
@pytest.mark.usefixtures("_always")
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(names=st.lists(st.text(LETTERS, max_size=9), max_size=6), text=st.text(LETTERS, min_size=1, max_size=5))
def test_the_index_finds_what_a_plain_search_finds(leo, mia, monkeypatch, most, names, text):
    monkeypatch.setattr(name_search, "FEW", most)
    File.objects.all().delete()
    files_of(leo, [*names, f"x{text}y", text * 20])
    files_of(mia, [f"{text} of another"])

    expected = plain(leo, text)

    assert found(leo, text) == expected
    assert expected or not sort_name(text)
    trigrams = [sort_name(text)[at : at + 3] for at in range(len(sort_name(text)) - 2)]
    assert not trigrams or expected <= {file.pk for file in name_search.narrowed(leo.pk, trigrams)}


@pytest.mark.usefixtures("_always")
def test_the_index_follows_every_change(leo, mia):
    folder = FolderFactory(owner=leo)
    file, other = FileFactory(owner=leo, name="walk on cliffs.pdf"), FileFactory(owner=leo, name="cliff.pdf")

    def check(*expected: str) -> None:
        names = sorted(each.name for each in name_search.narrowed(leo.pk, ["cli", "lif"]))
        assert names == sorted(expected)
        assert found(leo, "cliff") == plain(leo, "cliff")

    check("walk on cliffs.pdf", "cliff.pdf")
    services.rename_entry(entry=file, name="walk on beaches.pdf", by=leo)
    check("cliff.pdf")
    services.rename_entry(entry=file, name="CLIFF walk.pdf", by=leo)
    check("CLIFF walk.pdf", "cliff.pdf")
    services.move_entries(selection=Selection(files=[file]), to=folder, by=leo)
    services.move_to_bin(selection=Selection(folders=[folder]), by=leo, now=timezone.now())
    check("cliff.pdf")
    folder.refresh_from_db()
    services.restore_entries(selection=Selection(folders=[folder]), by=leo, now=timezone.now())
    check("CLIFF walk.pdf", "cliff.pdf")
    services.copy_entries(selection=Selection(files=[other]), to=None, by=leo, now=timezone.now())
    check("CLIFF walk.pdf", "cliff.pdf", "cliff (2).pdf")
    File.objects.filter(pk=other.pk).update(sort_name="beach.pdf")
    check("CLIFF walk.pdf", "cliff (2).pdf")
    File.objects.filter(name="cliff (2).pdf").update(owner=mia)
    check("CLIFF walk.pdf")
    File.objects.filter(owner=leo).delete()
    check()
    if connection.vendor == "sqlite":  # FTS5 checks the structure of its index
        with connection.cursor() as cursor:
            cursor.execute("INSERT INTO files_search(files_search) VALUES ('integrity-check')")


@pytest.mark.usefixtures("_always")
def test_an_outdated_index_is_built_again(leo):
    """A migration drops the triggers: what changes before they are installed again must be found too."""
    old = FileFactory(owner=leo, name="cliff.pdf")
    drop_triggers(plan=["any"])
    File.objects.filter(pk=old.pk).update(sort_name="beach.pdf")
    new = FileFactory(owner=leo, name="cliff.pdf")

    install_triggers()

    assert found(leo, "cliff") == {new.pk}
    assert [file.pk for file in name_search.narrowed(leo.pk, ["cli"])] == [new.pk]


def is_by_index(leo: User, text: str) -> bool:
    with CaptureQueriesContext(connection) as queries:
        found(leo, text)
    return any("files_name_trigrams" in each["sql"] or "files_search" in each["sql"] for each in queries)


def test_only_rare_texts_of_long_libraries_are_searched_by_the_index(leo, monkeypatch):
    monkeypatch.setattr(name_search, "SAMPLE", 10)
    files_of(leo, [f"report {n}" for n in range(9)])
    assert not is_by_index(leo, "beach")

    files_of(leo, ["beach", "beaches"])

    assert is_by_index(leo, "cliff")
    assert not is_by_index(leo, "report")
    assert not is_by_index(leo, "cl")  # too short for a trigram


@pytest.mark.usefixtures("_always")
@pytest.mark.parametrize("address", ["/files/?q=cliff", "/api/v1/files/?q=cliff"])
def test_a_search_by_the_index_needs_few_queries(browser_of, leo, django_assert_max_num_queries, address):
    files_of(leo, ["cliff", "beach"])
    site = browser_of(leo)

    with django_assert_max_num_queries(8):
        answer = site.get(address)

    assert ">cliff<" in answer.content.decode() or answer.json()["count"] == 1


def test_databases_search_by_the_index_of_names(leo):
    """Not all rows of a user are read, on either database."""
    files_of(leo, [f"report {n}" for n in range(2000)])
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")

    plan = name_search.narrowed(leo.pk, ["cli"]).order_by("-modified_at", "-pk")[:1001].explain()

    if connection.vendor == "postgresql":
        assert "Bitmap Index Scan on file_name_search" in plan
    else:
        assert "SEARCH files_file USING INTEGER PRIMARY KEY" in plan
        assert "SCAN files_search VIRTUAL TABLE" in plan


def test_a_few_files_are_found_in_any_form_of_their_letters(leo):
    files_of(leo, ["Résumé.pdf", "ÜBUNG.txt", "ﾃﾞｰﾀ.csv"])

    found = {
        text: [file.name for file in search_files(leo, None, text, "name")] for text in ("resume", "übu", "データ", "x")
    }
    assert found == {"resume": ["Résumé.pdf"], "übu": ["ÜBUNG.txt"], "データ": ["ﾃﾞｰﾀ.csv"], "x": ["ÜBUNG.txt"]}
