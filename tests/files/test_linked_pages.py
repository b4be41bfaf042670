"""Without scripts, links to the previous and the next page lead through all folders and through the whole bin."""

import html
import re
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from tests.factories.files import BinnedOriginalFactory, FileFactory, FolderFactory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_folders")]


def link(page: str, way: str) -> str | None:
    found = re.search(rf'<a href="([^"]*)" rel="{way}"', page)
    return html.unescape(found[1]) if found else None


def follow(client: Any, address: str, way: str, most: int = 20) -> list[str]:
    """The page at this address, and those to which its links lead one after the other."""
    pages = [client.get(address).content.decode()]
    while query := link(pages[-1], way):
        assert len(pages) < most
        pages.append(client.get(address.partition("?")[0] + query).content.decode())
    return pages


def names(page: str) -> list[str]:
    return re.findall(r'class="vh">Select ([^<]+)<', page)


@pytest.fixture
def place(request, leo, monkeypatch) -> tuple[str, list[str]]:
    """An address, and what its pages show, in order."""
    monkeypatch.setattr("apps.files.pages.library.PAGE", 3)
    if request.param == "folders":
        parent = FolderFactory(owner=leo)
        for number in range(7):
            FolderFactory(owner=leo, parent=parent, name=f"n{number}")
        return f"/files/?folder={parent.uid}", [f"n{number}" for number in range(7)]
    now = timezone.now()
    for number in range(4):
        at = {"owner": leo, "deleted_at": now - timedelta(hours=number // 2)}  # pairs of the same moment
        FolderFactory(name=f"folder-{3 - number}", **at)
        BinnedOriginalFactory(filename=f"film-{3 - number}", **at)
        FileFactory(name=f"file-{3 - number}", **at)
    return "/files/bin", [f"{kind}-{number}" for kind in ("folder", "film", "file") for number in (2, 3, 0, 1)]


both = pytest.mark.parametrize("place", ["folders", "bin"], indirect=True)


@both
def test_links_lead_to_the_last_row_and_back(browser_of, leo, place):
    site, (address, expected) = browser_of(leo), place

    pages = follow(site, address, "next")

    assert [name for page in pages for name in names(page)] == expected
    assert link(pages[0], "prev") is None
    back = follow(site, address.partition("?")[0] + str(link(pages[-2], "next")), "prev")
    assert [names(page) for page in reversed(back)] == [names(page) for page in pages]


@both
def test_every_page_needs_few_queries(browser_of, leo, place):
    site, (address, _) = browser_of(leo), place
    addresses = [address]
    for page in follow(site, address, "next")[:-1]:
        addresses.append(address.partition("?")[0] + str(link(page, "next")))

    counts = []
    for each in addresses:
        with CaptureQueriesContext(connection) as queries:
            assert site.get(each).status_code == 200
        counts.append(len(queries))

    assert max(counts) <= 11  # six of them where files are used
    if address != "/files/bin":  # whose pages look for up to three kinds of rows
        assert len(set(counts)) == 1


@both
@pytest.mark.parametrize("cursor", ["invented", "", "\0", "WyJhZnRlciIsOSwxLDJd:x"])
def test_an_invalid_cursor_shows_the_first_page(browser_of, leo, place, cursor):
    address, expected = place
    sign, key = ("?", "from") if address == "/files/bin" else ("&", "folders")

    page = browser_of(leo).get(f"{address}{sign}{key}={cursor}")

    assert names(page.content.decode()) == expected[:3]


def test_a_page_whose_rows_are_gone_is_the_first_one(browser_of, leo, monkeypatch):
    monkeypatch.setattr("apps.files.pages.library.PAGE", 2)
    site = browser_of(leo)
    files = [FileFactory(owner=leo, deleted_at=timezone.now() - timedelta(hours=hour)) for hour in range(3)]
    second = "/files/bin" + str(link(site.get("/files/bin").content.decode(), "next"))
    assert names(site.get(second).content.decode()) == [files[2].name]

    files[2].delete()

    assert names(site.get(second).content.decode()) == [file.name for file in files[:2]]
