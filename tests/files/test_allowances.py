"""Allowances of single users, and the warnings before they are used up."""

from io import StringIO
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.utils import timezone

from apps.accounts.models import Notification
from apps.files import services
from apps.files.errors import QuotaExceeded
from apps.files.models import StorageAccount, Upload
from apps.files.queries import storage_of
from studyplatform.kit.errors import ValidationFailed
from studyplatform.kit.text.sizes import read_size
from studyplatform.settings import env
from tests.cases import all_cases
from tests.factories.files import FileFactory

pytestmark = pytest.mark.django_db
GB = 2**30
ADMIN = "/admin/files/storageaccount/"


@pytest.fixture(autouse=True)
def _storage(settings: Any, own_folders: Any) -> None:
    settings.STORAGE_ALLOWANCE = {"student": 1000, "instructor": 1000, "admin": 1000}


def upload(user: Any, length: int) -> Upload:
    return services.begin_upload(owner=user, purpose="file", filename="a.bin", length=length, now=timezone.now())


def warnings() -> list[int]:
    found = Notification.objects.filter(kind="files.storage_warning").order_by("pk")
    return [each.params["percent"] for each in found]


def test_each_share_is_reported_once_and_again_after_a_fall(leo):
    upload(leo, 799)
    assert (warnings(), storage_of(leo).warning) == ([], 0)
    first = upload(leo, 1)
    upload(leo, 10)
    assert (warnings(), storage_of(leo).warning) == ([80], 80)
    second = upload(leo, 140)
    assert (warnings(), storage_of(leo).warning) == ([80, 95], 95)

    services.cancel_upload(upload=second, by=leo)
    upload(leo, 139)
    assert warnings() == [80, 95]
    upload(leo, 1)
    assert warnings() == [80, 95, 95]
    for each in Upload.objects.filter(length__in=[first.length, 10, 139]):
        services.cancel_upload(upload=each, by=leo)
    assert storage_of(leo).warning == 0
    upload(leo, 100)

    assert warnings() == [80, 95, 95, 80]


def test_a_jump_is_reported_once(leo):
    upload(leo, 1000)

    assert warnings() == [95]


def test_an_own_allowance_decides(leo, mia):
    services.set_allowance(user=leo, allowance=2000)
    upload(leo, 1500)
    with pytest.raises(QuotaExceeded):
        upload(leo, 501)
    with pytest.raises(QuotaExceeded):
        upload(mia, 1001)
    assert warnings() == []

    services.set_allowance(user=leo, allowance=1600)
    assert (warnings(), storage_of(leo).free) == ([80], 100)
    services.set_allowance(user=leo, allowance=None)

    assert (storage_of(leo).allowance, storage_of(leo).free) == (1000, 0)
    assert (warnings(), StorageAccount.objects.get().warned) == ([80, 95], 95)


def test_a_deleted_account_leaves_no_allowance(leo):
    services.set_allowance(user=leo, allowance=5)

    services.delete_account_of(user_id=leo.pk)

    assert not StorageAccount.objects.exists()


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("set_allowance", *arguments, stdout=out)
    return out.getvalue()


def test_the_command_sets_an_allowance(leo):
    assert run(leo.email.upper(), "20GB") == f"{leo.email} may store 20 GB and has used 0 bytes.\n"
    assert storage_of(leo).allowance == 20 * GB
    assert "may store 1,000 bytes" in run(leo.email, "default")

    for arguments, reason in [(("nobody@example.com", "1GB"), "No account"), ((leo.email, "much"), "Enter a size")]:
        with pytest.raises(CommandError, match=reason):
            run(*arguments)


@pytest.mark.parametrize(
    ("text", "size"), [("20GB", 20 * GB), ("1.5 tb", 1536 * GB), (" 500 MB ", 500 * 2**20), ("1 byte", 1)]
)
def test_a_size_is_read(text, size):
    assert read_size(text) == size


@all_cases(
    "text", ["20", "-1 GB", "-5 bytes", "1.5 bytes", "1e3GB", "GB", "٣ GB", "20 GB 5", "99999 TB", "1" * 50 + "GB"]
)
def test_an_impossible_size_is_refused(text):
    with pytest.raises(ValidationFailed):
        services.check_allowance(services.read_allowance(text))


def test_an_admin_sets_the_allowance_of_a_user(leo, sam, browser_of):
    admin = browser_of(sam)
    upload(leo, 900)  # the warning has made a row already

    assert admin.post(f"{ADMIN}add/", {"user": leo.pk, "allowance": "20 GB"}).status_code == 302
    assert storage_of(leo).allowance == 20 * GB
    assert "20 GB" in admin.get(ADMIN).content.decode()
    assert 'value="20 GB"' in admin.get(f"{ADMIN}{leo.pk}/change/").content.decode()
    assert "Enter a size" in admin.post(f"{ADMIN}{leo.pk}/change/", {"allowance": "lots"}).content.decode()
    admin.post(f"{ADMIN}{leo.pk}/change/", {"allowance": ""})

    assert storage_of(leo).allowance == 1000
    assert LogEntry.objects.filter(user=sam, object_id=str(leo.pk)).count() == 2
    assert browser_of(leo).post(f"{ADMIN}add/", {"user": leo.pk, "allowance": "20 GB"}).status_code != 200
    assert storage_of(leo).allowance == 1000


@pytest.mark.parametrize("allowance", [0, 1, 512, 5_000_000_000, 1000 * GB, 1536 * GB, 2**50])
def test_the_form_of_an_allowance_reads_back_what_it_shows(leo, sam, browser_of, allowance):
    services.set_allowance(user=leo, allowance=allowance)
    admin, page = browser_of(sam), f"{ADMIN}{leo.pk}/change/"
    shown = admin.get(page).context["adminform"].form.initial["allowance"]

    assert services.read_allowance(shown) == allowance
    assert admin.post(page, {"allowance": shown}).status_code == 302

    assert StorageAccount.objects.get().allowance == allowance


def test_a_form_that_changes_nothing_saves_nothing(leo, sam, browser_of, monkeypatch):
    services.set_allowance(user=leo, allowance=512)
    saved: list[int] = []
    monkeypatch.setattr(services, "set_allowance", lambda *, user, allowance: saved.append(allowance))

    for text in ("512 bytes", "600 bytes"):
        browser_of(sam).post(f"{ADMIN}{leo.pk}/change/", {"allowance": text})

    assert saved == [600]


@pytest.mark.parametrize("text", ["0", "80,101", "80,x", "80,-5"])
def test_impossible_warning_shares_are_refused(monkeypatch, text):
    monkeypatch.setenv("STORAGE_WARNINGS", text)
    with pytest.raises(ImproperlyConfigured):
        env.shares("STORAGE_WARNINGS", [80])


def test_the_pages_of_files_warn_and_lead_to_free_space(leo, ada, browser_of):
    pages = ["/files/", "/files/bin", "/settings/storage"]
    for user in (leo, ada):
        upload(user, 700)
    for address in pages:
        assert "almost full" not in browser_of(leo).get(address).content.decode()
    for user in (leo, ada):
        upload(user, 100)

    for address in pages:
        assert "Your storage is almost full" in browser_of(leo).get(address).content.decode()
    assert "Free up space" in browser_of(ada).get("/dashboard/instructor/upload/").content.decode()


def test_the_storage_page_says_what_takes_up_space(leo, browser_of, settings):
    settings.STORAGE_ALLOWANCE = {"student": GB}
    kept, binned = FileFactory(owner=leo, content=b"x" * 2048), FileFactory(owner=leo, content=b"x" * 4096)
    services.move_to_bin(selection=services.Selection(files=[binned]), by=leo, now=timezone.now())

    page = browser_of(leo).get("/settings/storage").content.decode()

    assert "PDFs in your files" in page
    assert "In the bin, 4 KB" in page
    assert "/files/bin/empty" in page
    assert "made for streaming" in page
    assert kept.name in page
