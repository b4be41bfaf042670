"""Pages and calls need as many queries for 100,000 files as for 100."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from apps.accounts.models import User
from apps.files import name_search
from apps.files.library_names import sort_name
from apps.files.models import File, FileVersion, Folder
from tests.factories.files import FolderFactory, StoredFileFactory

FEW, MANY = 100, 100_000
RARE = "lighthouse"


def add_files(owner: User, count: int, *, kind: str, folders: list[Folder] | None = None) -> None:
    """Files at the top or spread over the folders, which share one content. The first has a version, so it counts."""
    upload, now = StoredFileFactory(owner=owner), timezone.now()
    names = [f"{kind} {number}.pdf" for number in range(count - 1)] + [f"{RARE} of {kind}.pdf"]
    files = File.objects.bulk_create(
        (
            File(owner=owner, folder=folders[number % len(folders)] if folders else None, name=name,
                 sort_name=sort_name(name), current=upload, size=1, created_at=now, modified_at=now)
            for number, name in enumerate(names)
        ),
        batch_size=5000,
    )  # fmt: skip
    FileVersion.objects.create(file=files[0], upload=upload, number=1, created_at=now)


@pytest.mark.long
@pytest.mark.database
@pytest.mark.django_db
def test_100_000_files_need_as_many_queries_as_100(leo, browser_of, own_folders, monkeypatch):
    # Shorter libraries are searched without the index, by one query less.
    monkeypatch.setattr(name_search, "SAMPLE", FEW)
    site = browser_of(leo)

    def get(address: str) -> Any:
        answer = site.get(address)
        assert answer.status_code == 200
        return answer

    def queries() -> dict[str, int]:
        cursor = get("/api/v1/files/").json()["next"]
        found = {}
        for what, address in {
            "page": "/files/",
            "list": "/api/v1/files/",
            "second piece of the list": f"/api/v1/files/?cursor={cursor}",
            "search": f"/files/?q={RARE}",
            "search by the API": f"/api/v1/files/?q={RARE}",
            "storage": "/api/v1/storage/",
        }.items():
            with CaptureQueriesContext(connection) as captured:
                get(address)
            found[what] = len(captured)
        return found

    folders = FolderFactory.create_batch(20, owner=leo)
    add_files(leo, FEW + 1, kind="report")
    add_files(leo, FEW, kind="note", folders=folders)
    few = queries()
    assert RARE in get(f"/files/?q={RARE}").content.decode()

    add_files(leo, MANY // 2, kind="sheet")
    add_files(leo, MANY // 2, kind="sketch", folders=folders)

    assert File.objects.of(leo.pk).count() > MANY
    assert queries() == few
    assert max(few.values()) <= 8
