"""The library with 100 and with 100,000 files: queries and CPU per request, as ratios within one run.

    python -m tests.bench library                       the table
    python -m tests.bench library 20000                 with fewer files, for a quick look
    python -m tests.bench library sqlite search bin     on SQLite, only the rows whose name contains one of the words

"beside" is a user with 2,000 files named differently, beside all those of the others. CPU is that of the Django process
and of its PostgreSQL backend, per request of Django's test client.
"""

from __future__ import annotations

import contextlib
import os
import statistics
import sys
import tempfile
import time
import uuid
from collections.abc import Callable
from typing import Any

from tests import servers
from tests.bench import processes

MANY, FEW, FOLDERS, BESIDE = 100_000, 100, 2000, 2000
ROUNDS, REQUESTS = 3, 8


def bench_library(words: list[str]) -> None:
    """Fill two users' libraries and print the table."""
    many = next((int(word) for word in words if word.isdecimal()), MANY)
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        if "sqlite" in words:
            address, postmaster = f"sqlite:///{folder}/bench.sqlite3", None
        else:
            address, postmaster = stack.enter_context(servers.postgres())
        os.environ |= {
            "DATABASE_URL": address,
            "DJANGO_SETTINGS_MODULE": "tests.bench.settings",
            "DATA_DIR": folder,
            "ALLOW_STANDIN": "true",
            "SECRET_KEY": "bench-only-" + "0" * 48,
            "ALLOWED_HOSTS": "testserver",
            "EMAIL_URL": "smtp://127.0.0.1:1",
            "SITE_URL": "http://testserver",
        }
        import django

        django.setup()
        from django.core.management import call_command

        call_command("prepare_database", verbosity=0)
        _measure(many, postmaster, [word for word in words if not word.isdecimal() and word != "sqlite"])


def _fill(name: str, files: int, folders: int, binned: int, title: str = "report") -> Any:
    from django.utils import timezone

    from apps.accounts.models import User
    from apps.files.models import File, FileVersion, Folder, Upload

    now = timezone.now()
    user = User.objects.create(email=f"{name}@example.com", username=name, role="instructor", email_verified_at=now)
    homes: list[Folder | None] = [None]
    if folders:
        homes = list(
            Folder.objects.bulk_create(
                Folder(owner=user, name=f"Folder {n}", sort_name=f"folder {n}", created_at=now) for n in range(folders)
            )
        )
    for start in range(0, files + binned, 5000):
        numbers = range(start, min(start + 5000, files + binned))
        uploads = Upload.objects.bulk_create(
            Upload(owner=user, purpose="file", filename=f"{n}.pdf", length=1000 + n, offset=1000 + n, created_at=now,
                   expires_at=now, completed_at=now, stored_as=f"files/{uuid.uuid4().hex}")
            for n in numbers
        )  # fmt: skip
        rows = File.objects.bulk_create(
            File(owner=user, folder=homes[n % len(homes)], name=f"{title} {n}.pdf", sort_name=f"{title} {n}.pdf",
                 current=upload, kind="pdf", media_type="application/pdf", size=upload.length, created_at=now,
                 modified_at=now, deleted_at=now if n >= files else None)
            for n, upload in zip(numbers, uploads, strict=True)
        )  # fmt: skip
        FileVersion.objects.bulk_create(
            FileVersion(file=file, upload_id=file.current_id, number=1, created_at=now) for file in rows
        )
    return user


def _measure(many: int, postmaster: int | None, words: list[str]) -> None:
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    people = {
        "few": _fill("few", FEW, 0, FEW),
        "flat": _fill("flat", many, 0, many // 2),
        "spread": _fill("spread", many, FOLDERS, 0),
        "beside": _fill("beside", BESIDE, 0, 0, title="note"),
    }
    if postmaster:  # as autovacuum does; nothing analyzes SQLite
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")
    browsers = {}
    for name, user in people.items():
        browsers[name] = Client()
        browsers[name].force_login(user)

    def cpu_of(name: str, ask: Callable[[Client, Any], Any]) -> float:
        before, database = time.process_time(), processes.cpu(postmaster) if postmaster else 0
        for _ in range(REQUESTS):
            ask(browsers[name], people[name])
        spent = time.process_time() - before + (processes.cpu(postmaster) if postmaster else 0) - database
        return spent / REQUESTS * 1000

    print(f"{'':34}{'SQL':>5}{'few, ms':>9}{'flat':>7}{'spread':>8}{'beside':>8}   (ratios to few)")
    for title, ask in _rows().items():
        if words and not any(word in title for word in words):
            continue
        for name in people:
            for _ in range(3):
                ask(browsers[name], people[name])
        with CaptureQueriesContext(connection) as queries:
            answer = ask(browsers["flat"], people["flat"])
        count = answer["X-SQL"] if answer is not None else len(queries)
        costs: dict[str, list[float]] = {name: [] for name in people}
        for _ in range(ROUNDS):
            for name in people:
                costs[name].append(cpu_of(name, ask))
        few, flat, spread, beside = (statistics.median(costs[name]) for name in people)
        print(f"{title:34}{count:>5}{few:9.1f}{flat / few:7.2f}{spread / few:8.2f}{beside / few:8.2f}", flush=True)


def _rows() -> dict[str, Callable[[Any, Any], Any]]:
    from django.utils import timezone

    from apps.files import services
    from apps.files.models import File

    def page(address: str) -> Callable[[Any, Any], Any]:
        def ask(browser: Any, _user: Any) -> Any:
            answer = browser.get(address)
            if answer.status_code != 200:
                sys.exit(f"{address} answered {answer.status_code}")
            return answer

        return ask

    def admission(_browser: Any, user: Any) -> None:
        upload = services.begin_upload(owner=user, purpose="file", filename="a.bin", length=9, now=timezone.now())
        services.cancel_upload(upload=upload, by=user)

    files: dict[int, File] = {}

    def bin_one(_browser: Any, user: Any) -> None:
        file = files.get(user.pk) or files.setdefault(user.pk, File.objects.of(user.pk).present()[0])
        services.move_to_bin(selection=services.Selection(files=[file]), by=user, now=timezone.now())
        services.restore_entries(selection=services.Selection(files=[file]), by=user, now=timezone.now())

    return {
        "folder": page("/files/"),
        "folder, grid": page("/files/?view=grid"),
        "folder, by name": page("/files/?sort=name"),
        "folder, by size": page("/files/?sort=size"),
        "folder, by type": page("/files/?sort=type"),
        "folder, last numbered page": page("/files/?page=9999"),
        "search, rare word": page("/files/?q=report+77.pdf"),
        "search, rare word, by name": page("/files/?q=report+77.pdf&sort=name"),
        "search, no result": page("/files/?q=cliffs"),
        "search, one file in 90": page("/files/?q=rt+97"),
        "search, common word": page("/files/?q=report"),
        "search, rare word, API": page("/api/v1/files/?q=report+77.pdf"),
        "bin": page("/files/bin"),
        "storage, API": page("/api/v1/storage/"),
        "storage page": page("/settings/storage"),
        "begin and cancel an upload": admission,
        "one file to the bin and back": bin_one,
    }
