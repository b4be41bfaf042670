"""Lessons whose media come from elsewhere are stored, too: from a bucket by redirects, and with a host for uploads."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, BrowserType, Page

from tests import servers
from tests.buckets import Bucket
from tests.e2e.looking import until
from tests.e2e.offline import COURSE, StoppableSite, download, opened_browser, sign_in, stoppable_site
from tests.e2e.offline_course import TABLE

pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.xdist_group("offline_elsewhere")]

FILM, TEXT = f"/learn/{COURSE}/the-film", f"/learn/{COURSE}/the-text"


def bring_to(bucket: Bucket, media: Path) -> None:
    """Move all media of a site into the bucket."""
    for file in sorted(media.rglob("*")):
        if file.is_file():
            bucket.client.upload_file(str(file), bucket.name, str(file.relative_to(media)))
            file.unlink()


@pytest.fixture
def site(prepared: Path, tmp_path: Path) -> Iterator[StoppableSite]:
    with stoppable_site(prepared, tmp_path / "data") as served:
        served.site.run("-m", "tests.e2e.offline_course")
        yield served


def hosts_asked(context: BrowserContext) -> set[str]:
    """The hosts from which the browser fetches from now on."""
    hosts: set[str] = set()
    context.on("response", lambda response: hosts.add(response.url.split("/")[2]) if response.ok else None)
    return hosts


def expect_both_work_offline(page: Page) -> None:
    """The video plays, and the file is saved, without a connection."""
    page.context.set_offline(True)
    page.goto(FILM)
    page.locator("[data-start]").first.click()
    until(page, "document.querySelector('video')?.currentTime > 0.5")
    page.goto(TEXT)
    with page.expect_download() as saved:
        page.get_by_role("link", name="Flow at each depth").first.click()
    assert Path(saved.value.path()).read_bytes() == TABLE


def test_a_lesson_in_a_bucket_is_stored(site: StoppableSite, browser_type: BrowserType, tmp_path: Path) -> None:
    with servers.s3() as env, opened_browser(browser_type, tmp_path / "profile", site.base) as context:
        bucket = Bucket("study-offline", env)
        bring_to(bucket, Path(site.site.env["DATA_DIR"]) / "media")
        bucket.allow(site.base)
        site.stop()
        site.site.env.update(bucket.env)
        site.start()
        page = context.new_page()
        sign_in(page, "offline-1")
        hosts = hosts_asked(context)
        download(page, FILM)
        download(page, TEXT)
        assert hosts == {site.base.split("/")[2], bucket.origin.split("/")[2]}
        expect_both_work_offline(page)


def test_a_lesson_is_stored_with_a_host_for_uploads(
    site: StoppableSite, browser_type: BrowserType, tmp_path: Path
) -> None:
    """Another name of the same server: its addresses are of another origin."""
    site.stop()
    host = site.site.env["CONTENT_HOST"] = f"localhost:{site.site.env['PORT']}"
    site.start()
    with opened_browser(browser_type, tmp_path / "profile", site.base) as context:
        page = context.new_page()
        sign_in(page, "offline-2")
        download(page, FILM)
        page.goto(TEXT)
        link = page.get_by_role("link", name="Flow at each depth").first
        leads = context.request.get(link.get_attribute("href") or "", max_redirects=0)
        assert leads.headers["location"].split("/")[2] == host  # with a connection, links lead there
        with page.expect_download() as saved:
            link.click()
        assert Path(saved.value.path()).read_bytes() == TABLE
        download(page, TEXT)
        expect_both_work_offline(page)
