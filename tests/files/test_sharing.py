"""Sharing: with a course, by a link; who may open what, and how it ends."""

from datetime import timedelta
from typing import Any, cast

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.utils import timezone

from apps.accounts.models import User
from apps.files import errors, services
from apps.files.models import File, Share, Upload
from apps.files.services import Selection
from studyplatform.kit.errors import PermissionRefused, ValidationFailed
from tests.factories.files import FileFactory, FolderFactory, ShareLinkFactory

NOW = timezone.now


@pytest.fixture
def visitor() -> Client:
    return Client()


@pytest.fixture(autouse=True)
def _folders(own_folders, db):
    """Files in a folder of the test."""


def address(share: Share) -> str:
    return f"/s/{services.link_token(share)}"


def download(client: Any, share: Share, file: File | None = None) -> Any:
    """The answer of the address to which a download leads, or of the refusal."""
    led = client.post(f"{address(share)}/{(file or share.entry).uid}/download")
    return client.get(led["Location"]) if led.status_code == 303 else led


def body(answer: Any) -> bytes:
    return answer.getvalue() if answer.streaming else answer.content


# --- The owner ----------------------------------------------------------------------------------


def test_the_owner_creates_a_link_and_sees_its_address(browser_of, leo, visitor):
    file = FileFactory(owner=leo, name="tides.pdf")
    site = browser_of(leo)

    site.post(f"/files/{file.uid}/sharing", {"kind": "link", "period": "7"})

    share = Share.objects.get()
    assert (share.owner, share.file, share.kind) == (leo, file, "link")
    assert share.expires_at is not None
    assert timedelta(days=6) < share.expires_at - NOW() <= timedelta(days=7)
    assert address(share) in site.get(f"/files/{file.uid}").content.decode()
    assert "tides.pdf" in visitor.get(address(share)).content.decode()


def test_the_owner_shares_with_a_course(browser_of, leo, enrollment, course):
    folder = FolderFactory(owner=leo)

    browser_of(leo).post(f"/files/folders/{folder.uid}/sharing", {"kind": "course", "course": course.uid})
    browser_of(leo).post(f"/files/folders/{folder.uid}/sharing", {"kind": "course", "course": course.uid})

    share = Share.objects.get()
    assert (share.folder, share.course) == (folder, course.uid)


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"kind": "link", "period": "date"}, "until"),
        ({"kind": "link", "period": "date", "until": "2020-01-01"}, "until"),
        ({"kind": "link", "period": "date", "until": "2099-01-01"}, "until"),
        ({"kind": "link", "period": "date", "until": "soon"}, "until"),
        ({"kind": "link", "period": "400"}, "period"),
        ({"kind": "link", "period": "7", "max_downloads": "0"}, "max_downloads"),
        ({"kind": "link", "period": "7", "password": "short"}, "password"),
        ({"kind": "course"}, "course"),
        ({"kind": "course", "course": "6f1c1f0e-0000-4000-8000-000000000000"}, "course"),
        ({"kind": "everyone"}, "kind"),
    ],
)
def test_a_form_with_errors_shares_nothing(browser_of, leo, given, field):
    file = FileFactory(owner=leo)

    answer = browser_of(leo).post(f"/files/{file.uid}/sharing", given)

    assert answer.status_code == 422
    assert f'href="#id_{field}"' in answer.content.decode()
    assert not Share.objects.exists()


def test_services_refuse_what_the_form_would(leo, course):
    file = FileFactory(owner=leo)

    with pytest.raises(PermissionRefused):
        services.share_with_course(entry=file, course=course.uid, by=leo, now=NOW())
    for until in (NOW(), NOW() + timedelta(days=367)):
        with pytest.raises(ValidationFailed):
            services.create_share_link(entry=file, by=leo, expires_at=until, now=NOW())
    services.move_to_bin(selection=Selection(files=[file]), by=leo, now=NOW())
    with pytest.raises(errors.EntryInBin):
        services.create_share_link(entry=file, by=leo, expires_at=NOW() + timedelta(days=1), now=NOW())


@pytest.mark.database
def test_the_database_refuses_broken_shares(leo):
    share = ShareLinkFactory(owner=leo, max_downloads=2)
    for wrong in (
        {"downloads": 3},
        {"folder": FolderFactory(owner=leo)},
        {"file": None},
        {"expires_at": None},
        {"kind": "course"},
    ):
        with pytest.raises(IntegrityError), transaction.atomic():
            Share.objects.filter(pk=share.pk).update(**wrong)


# --- How a share ends ---------------------------------------------------------------------------


def revoke(share: Share) -> None:
    services.revoke_share(share=share, by=share.owner, now=NOW())


def bin_it(share: Share) -> None:
    services.move_to_bin(selection=Selection(files=[cast(File, share.file)]), by=share.owner, now=NOW())


def block(share: Share) -> None:
    User.objects.filter(pk=share.owner_id).update(is_active=False)


def delete_entry(share: Share) -> None:
    bin_it(share)
    services.delete_entries(selection=Selection(files=[cast(File, share.file)]), by=share.owner)


def delete_library(share: Share) -> None:
    services.delete_library_of(user_id=share.owner_id)


def expire(share: Share) -> None:
    Share.objects.filter(pk=share.pk).update(expires_at=NOW())


ENDINGS = [revoke, bin_it, block, delete_entry, delete_library, expire]


@pytest.mark.parametrize("end", ENDINGS)
def test_a_link_ends_at_once_also_for_addresses_already_given(leo, visitor, end):
    share = ShareLinkFactory(owner=leo)
    led = visitor.post(f"{address(share)}/{share.file.uid}/download")["Location"]
    assert visitor.get(led).status_code == 200

    end(share)

    status = 410 if end is expire else 404
    for one in (address(share), f"{address(share)}/{share.file.uid}/view", led):
        assert visitor.get(one).status_code == status, one
    assert visitor.post(f"{address(share)}/{share.file.uid}/download").status_code == status


@pytest.mark.parametrize("end", [revoke, bin_it, block, delete_library])
def test_a_stranger_cannot_tell_an_ended_link_from_one_that_never_was(leo, visitor, end):
    share = ShareLinkFactory(owner=leo, password="hash" if end is revoke else "")
    end(share)
    gone, never = visitor.get(address(share)), visitor.get("/s/AAAAAAAAAAAAAAAAAAAAAA.x")

    assert gone.status_code == never.status_code == 404
    one = gone.content.decode().replace(address(share), "")
    assert one == never.content.decode().replace("/s/AAAAAAAAAAAAAAAAAAAAAA.x", "")
    assert [gone.get(name) for name in ("Cache-Control", "X-Robots-Tag", "Referrer-Policy", "Set-Cookie")] == [
        never.get(name) for name in ("Cache-Control", "X-Robots-Tag", "Referrer-Policy", "Set-Cookie")
    ]


def test_only_the_owner_ends_a_share(browser_of, leo, mia):
    share = ShareLinkFactory(owner=leo)

    assert browser_of(mia).post(f"/files/links/{share.uid}/revoke").status_code in {302, 404}
    share.refresh_from_db()
    assert share.revoked_at is None

    browser_of(leo).post(f"/files/links/{share.uid}/revoke")
    share.refresh_from_db()
    assert share.revoked_at is not None


@pytest.mark.parametrize("token", ["", ".", "x", "a.b", "AAAAAAAAAAAAAAAAAAAAAA", "%00", "é", "a" * 4000])
def test_a_wrong_token_is_not_found(visitor, token):
    assert visitor.get(f"/s/{token}").status_code == 404


# --- Passwords ----------------------------------------------------------------------------------


def protected(leo: User, name: str = "secret-plan.pdf", **facts: Any) -> Share:
    file = FileFactory(owner=leo, name=name)
    until = NOW() + timedelta(days=1)
    return services.create_share_link(entry=file, by=leo, expires_at=until, password="open sesame", now=NOW(), **facts)


def test_a_password_protects_the_file_and_its_name(leo, visitor):
    share = protected(leo)
    file = share.file

    assert "open sesame" not in share.password
    assert "secret-plan" not in visitor.get(address(share)).content.decode()
    for kind in ("", "/view", "/thumbnail"):
        assert visitor.get(f"{address(share)}/{file.uid}{kind}").status_code == 403
    assert visitor.post(f"{address(share)}/{file.uid}/download").status_code == 403
    wrong = visitor.post(address(share), {"password": "Open Sesame"})
    assert (wrong.status_code, "secret-plan" in wrong.content.decode()) == (403, False)

    assert visitor.post(address(share), {"password": "open sesame"}).status_code == 302

    assert "secret-plan.pdf" in visitor.get(address(share)).content.decode()
    assert body(download(visitor, share)) == b"%PDF-1.7 a page"
    assert Client().get(address(share)).content.decode().count("secret-plan") == 0
    share.refresh_from_db()
    assert share.downloads == 1


def test_the_password_of_one_link_opens_no_other(leo, visitor):
    one, other = protected(leo), protected(leo, name="secret-plan-2.pdf")
    visitor.post(address(one), {"password": "open sesame"})

    name, value = next(iter(visitor.cookies.items()))
    visitor.cookies[name.replace(one.uid.hex, other.uid.hex)] = value.value

    assert "secret-plan" not in visitor.get(address(other)).content.decode()


def test_guessing_passwords_is_limited(leo, visitor, settings):
    settings.RATE_LIMITS = {**settings.RATE_LIMITS, "share-password": (2, 600)}
    share = protected(leo)
    for _ in range(2):
        assert visitor.post(address(share), {"password": "guess"}).status_code == 403

    assert visitor.post(address(share), {"password": "open sesame"}).status_code == 429
    elsewhere = Client(REMOTE_ADDR="203.0.113.9")
    assert elsewhere.post(address(share), {"password": "open sesame"}).status_code == 302
    settings.RATE_LIMITS = {**settings.RATE_LIMITS, "share-passwords": (1, 600)}
    assert Client(REMOTE_ADDR="203.0.113.10").post(address(share), {"password": "guess"}).status_code == 429


def test_one_address_opens_only_so_many_pages_of_links(leo, settings):
    file = FileFactory(owner=leo, name="plan.pdf")
    share, folder = ShareLinkFactory(owner=leo, file=file), ShareLinkFactory(owner=leo, folder=FolderFactory(owner=leo))
    settings.RATE_LIMITS = {**settings.RATE_LIMITS, "share-page": (3, 300)}
    pages = [address(share), f"{address(share)}/{file.uid}", address(folder)]
    client = Client(REMOTE_ADDR="203.0.113.30")
    assert [client.get(page).status_code for page in pages] == [200, 200, 200]

    refused = [client.get(page) for page in pages]
    refused += [client.post(f"{address(share)}/{file.uid}/download"), client.post(f"{address(folder)}/zip")]
    assert [one.status_code for one in refused] == [429] * 5
    assert Client(REMOTE_ADDR="203.0.113.31").get(address(share)).status_code == 200
    share.refresh_from_db()
    assert share.downloads == 0


# --- Downloads ----------------------------------------------------------------------------------


def test_a_maximum_of_downloads_counts_posts_only(leo, visitor):
    share = ShareLinkFactory(owner=leo, max_downloads=1)
    for _ in range(3):
        assert visitor.get(address(share)).status_code == 200
    assert visitor.get(f"{address(share)}/{share.file.uid}/view").status_code == 404
    assert visitor.get(f"{address(share)}/{share.file.uid}/download").status_code == 405

    led = visitor.post(f"{address(share)}/{share.file.uid}/download")["Location"]

    for part, content in (("bytes=0-3", b"%PDF"), ("bytes=4-", b"-1.7 a page")):
        answer = visitor.get(led, headers={"Range": part})
        assert (answer.status_code, answer.getvalue()) == (206, content)
    share.refresh_from_db()
    assert share.downloads == 1
    assert visitor.post(f"{address(share)}/{share.file.uid}/download").status_code == 410
    assert Client().get(address(share)).status_code == 410


def test_the_address_of_a_download_works_in_one_browser_for_one_hour(leo, visitor, time_machine_at):
    share, other = ShareLinkFactory(owner=leo), ShareLinkFactory(owner=leo)
    led = visitor.post(f"{address(share)}/{share.file.uid}/download")["Location"]

    assert Client().get(led).status_code == 403
    assert visitor.get(led.replace(services.link_token(share), services.link_token(other))).status_code == 404
    time_machine_at(NOW() + timedelta(minutes=61))
    assert visitor.get(led).status_code in {403, 410}


@pytest.fixture
def time_machine_at():
    import time_machine

    travels = []

    def go(moment):
        travel = time_machine.travel(moment, tick=False)
        travel.start()
        travels.append(travel)

    yield go
    for travel in travels:
        travel.stop()


def test_pages_of_links_are_private(leo, visitor):
    share = ShareLinkFactory(owner=leo)
    led = visitor.post(f"{address(share)}/{share.file.uid}/download")

    for answer in (visitor.get(address(share)), visitor.get(f"{address(share)}/{share.file.uid}/view"), led):
        assert "no-store" in answer["Cache-Control"]
        assert "noindex" in answer["X-Robots-Tag"]
        assert answer["Referrer-Policy"] == "same-origin"
    cookie = visitor.cookies[f"study_share_{share.uid.hex}"]
    assert (cookie["httponly"], cookie["path"], cookie["samesite"]) == (True, "/s/", "Lax")


@pytest.mark.parametrize(
    ("name", "content", "media_type"),
    [
        ("page.html", b"<script>alert(1)</script>", "text/plain"),
        ("picture.svg", b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>", "text/plain"),
        ("app.bin", b"MZ", ""),
    ],
)
def test_what_could_run_is_never_shown(leo, visitor, name, content, media_type):
    file = FileFactory(owner=leo, name=name, content=content, kind="text", media_type=media_type)
    share = ShareLinkFactory(owner=leo, file=file)

    page = visitor.get(address(share)).content.decode()
    assert "<script>alert" not in page
    assert visitor.get(f"{address(share)}/{file.uid}/view").status_code == 404
    answer = download(visitor, share)
    assert answer["Content-Disposition"].startswith("attachment")
    assert answer["Content-Security-Policy"].startswith("sandbox")


def test_what_the_virus_scan_found_infected_is_not_handed_out(leo, visitor):
    share = ShareLinkFactory(owner=leo)
    assert share.file
    Upload.objects.filter(pk=share.file.current_id).update(scan=Upload.Scan.INFECTED)

    assert visitor.post(f"{address(share)}/{share.file.uid}/download").status_code == 403
    assert visitor.get(f"{address(share)}/{share.file.uid}/view").status_code == 403
    share.refresh_from_db()
    assert share.downloads == 0
