"""With ``CONTENT_HOST``, what users uploaded comes from a host that answers nothing else and knows no cookies."""

from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from apps.files.content_links import ContentGrant, sign_content
from apps.files.models import File, FileKind, Upload
from apps.files.services import link_token
from tests.buckets import Bucket, settings_by
from tests.factories.files import FileFactory, ShareLinkFactory

pytestmark = pytest.mark.django_db

HOST = "files.example.net"
SITE = "http://learn.example.com"


@pytest.fixture
def site(leo, browser_of, own_folders, settings) -> Client:
    settings.SITE_URL = SITE
    settings.CONTENT_HOST, settings.CONTENT_ORIGIN = HOST, f"http://{HOST}"
    browser: Client = browser_of(leo)
    return browser


def fetch(address: str, **headers: str) -> Any:
    """A request of a browser to the content host; it sends no cookie there."""
    parts = urlsplit(address)
    assert parts.netloc == HOST
    return Client().get(parts.path, headers={"Host": HOST, **headers})


def test_files_are_fetched_from_the_content_host(site, leo):
    file = FileFactory(owner=leo, name="Über.txt", content=b"%PDF-1.7 tides")

    leads = site.get(f"/files/{file.uid}/download")
    assert (leads.status_code, leads["Cache-Control"]) == (302, "private, no-store")
    answer = fetch(leads["Location"], Range="bytes=9-")

    assert (answer.status_code, answer.getvalue()) == (206, b"tides")
    assert answer["Content-Disposition"] == "attachment; filename*=utf-8''%C3%9Cber.txt"
    assert answer["Content-Security-Policy"].startswith("sandbox")
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert not answer.cookies


def test_a_script_of_the_site_gets_the_bytes_where_it_may_read_them(site, leo):
    file = FileFactory(owner=leo, content=b"%PDF-1.7 tides")
    address = f"/files/{file.uid}/download"
    script = {"Sec-Fetch-Dest": "empty", "Sec-Fetch-Site": "same-origin"}

    answer = site.get(address, headers={**script, "Range": "bytes=9-"})

    assert (answer.status_code, answer.getvalue()) == (206, b"tides")
    assert answer["Content-Disposition"].startswith("attachment")
    assert answer["Content-Security-Policy"].startswith("sandbox")
    assert "no-store" in answer["Cache-Control"]
    for other in ({"Sec-Fetch-Dest": "document"}, {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}):
        assert site.get(address, headers=script | other).status_code == 302


def test_previews_are_shown_only_within_pages_of_the_site(site, leo):
    pdf = FileFactory(owner=leo)
    page = FileFactory(owner=leo, name="a.html", media_type="text/plain", kind=FileKind.TEXT)

    shown = fetch(site.get(f"/files/{pdf.uid}/view")["Location"])
    assert shown["Content-Disposition"].startswith("inline")
    assert f"frame-ancestors {SITE}" in shown["Content-Security-Policy"]
    assert "X-Frame-Options" not in shown
    saved = fetch(site.get(f"/files/{page.uid}/view")["Location"])
    assert saved["Content-Disposition"].startswith("attachment")
    assert saved["X-Frame-Options"] == "DENY"


@pytest.mark.parametrize(
    "path",
    ["/", "/files/", "/auth/login", "/media/l/", "/media/l/x", "/media/f/x", "/static/x.css", "/healthz", "/admin/"],
)
def test_the_content_host_answers_nothing_else(site, leo, path):
    site.defaults["HTTP_HOST"] = HOST  # even with a session's cookie

    answer = site.get(path)

    assert (answer.status_code, len(answer.cookies)) == (404, 0)
    assert answer["Content-Type"].startswith("text/plain")
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert site.post(path).status_code == 405


def test_the_site_does_not_answer_addresses_of_the_content_host(site, leo):
    address = site.get(f"/files/{FileFactory(owner=leo).uid}/download")["Location"]

    assert site.get(urlsplit(address).path).status_code == 404


def test_an_address_cannot_be_changed_and_expires(site, leo):
    file = FileFactory(owner=leo)
    saved, shown = (site.get(f"/files/{file.uid}/{how}")["Location"] for how in ("download", "view"))

    assert fetch(saved[:-1] + ("A" if saved[-1] != "A" else "B")).status_code == 404
    with time_machine.travel(timezone.now() + timedelta(minutes=11)):
        assert fetch(saved).status_code == 403
        assert fetch(shown).status_code == 200
    with time_machine.travel(timezone.now() + timedelta(hours=7)):
        assert fetch(shown).status_code == 403
    Upload.objects.update(scan="infected")
    assert fetch(saved).status_code == 403
    File.objects.all().delete()
    Upload.objects.all().delete()
    assert fetch(saved).status_code == 404


def test_a_share_is_checked_again_by_the_content_host(site, leo):
    share, visitor = ShareLinkFactory(owner=leo), Client()
    counted = visitor.post(f"/s/{link_token(share)}/{share.file.uid}/download")
    address = visitor.get(counted["Location"])["Location"]
    assert fetch(address).status_code == 200

    share.revoked_at = timezone.now()
    share.save()

    assert fetch(address).status_code == 404


def test_missing_contents_are_reported(site, leo):
    gone = ContentGrant("0" * 32, "a", "text/plain", as_attachment=True, to_owner=True)

    assert fetch(sign_content(gone)).status_code == 404


def test_pages_may_show_what_the_content_host_sends():
    policy = settings_by({"CONTENT_HOST": HOST, "SITE_URL": "https://learn.example.com"}, "security")
    found = policy["CONTENT_SECURITY_POLICY"]["DIRECTIVES"]

    assert {name for name, sources in found.items() if f"https://{HOST}" in sources} == {
        "img-src",
        "media-src",
        "frame-src",
    }


def test_without_a_content_host_the_site_sends_files_itself(leo, browser_of, own_folders):
    file = FileFactory(owner=leo)

    assert browser_of(leo).get(f"/files/{file.uid}/download", headers={"Host": HOST}).status_code == 200


def test_images_and_pdf_of_a_bucket_pass_through_the_application(s3: Bucket, leo, browser_of):
    """The policy of pages allows the bucket only for audio and video."""
    file = FileFactory(owner=leo)

    assert browser_of(leo).get(f"/files/{file.uid}/view").status_code == 200
    assert browser_of(leo).get(f"/files/{file.uid}/download").status_code == 302
