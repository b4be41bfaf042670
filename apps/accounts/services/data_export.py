"""All data of one user in one archive (a zip of JSON and their files), built in the background.

Each app registers with :func:`register_export` what it has of a user; no app knows the tables of another.
"""

import json
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import IO, Any
from uuid import UUID

from django.core.files import File
from django.core.files.storage import default_storage
from django.core.serializers.json import DjangoJSONEncoder
from django.db import IntegrityError, transaction
from django.utils import timezone

from apps.accounts.errors import ExportUnderWay
from apps.accounts.models import DataExport, User
from apps.accounts.services.notifications import notify
from studyplatform.kit import jobs
from studyplatform.kit.jobs import Running
from studyplatform.kit.registry import Registry
from studyplatform.kit.web.rate_limits import consume

KEPT = timedelta(days=7)
Rows = Iterable[Mapping[str, Any]]


@dataclass(frozen=True)
class Part:
    """A file of the archive: ``path`` in it, and the rows for JSON or an open file with its own bytes."""

    path: str
    rows: Rows | None = None
    file: Callable[[], IO[bytes]] | None = None


_sources: Registry[Callable[[User], Iterator[Part]]] = Registry("data export")


def register_export(name: str) -> Callable[[Callable[[User], Iterator[Part]]], Callable[[User], Iterator[Part]]]:
    """Register the function that yields what an app has of a user."""

    return _sources.registers(name)


def request_export(*, user: User, now: datetime) -> DataExport:
    """Start building an archive; earlier ones are deleted, since each contains everything.

    :raises ExportUnderWay: one is being prepared.
    :raises RateLimitExceeded: the last one was requested a few minutes ago.
    """
    try:
        with transaction.atomic():
            consume("export", str(user.uid), now=now)
            export = DataExport.objects.create(user=user, created_at=now)
            jobs.enqueue("accounts.build_export", key=export.uid.hex, uid=export.uid.hex)
    except IntegrityError:
        raise ExportUnderWay from None
    _remove(DataExport.objects.filter(user=user).exclude(pk=export.pk))
    return export


def build_export(running: Running, *, uid: str) -> None:
    """Build the archive. Safe to run again after a kill: an unfinished file is deleted."""
    export = DataExport.objects.select_related("user").filter(uid=UUID(uid), state=DataExport.State.PREPARING).first()
    if export is None:
        return
    now = timezone.now()
    with tempfile.TemporaryFile() as scratch:
        with zipfile.ZipFile(scratch, "w", zipfile.ZIP_DEFLATED) as archive:
            for done, source in enumerate(_sources.values()):
                DataExport.objects.filter(pk=export.pk).update(progress=100 * done // len(_sources))
                for part in source(export.user):
                    _write(archive, part)
                    running.extend_lease()
        size = scratch.tell()
        scratch.seek(0)
        name = f"exports/{export.user.uid.hex}/{export.uid.hex}.zip"
        # A killed worker may have left a file under this name, which no row refers to.
        default_storage.delete(name)
        name = default_storage.save(name, File(scratch))
    with transaction.atomic():
        # Deleting the account locks the user's row too: either it finds the file in the export, or the file is deleted.
        User.objects.select_for_update().get(pk=export.user_id)
        is_wanted = DataExport.objects.filter(pk=export.pk, state=DataExport.State.PREPARING).update(
            file=name, size=size, progress=100, state=DataExport.State.READY, expires_at=now + KEPT
        )
        if is_wanted:
            notify("account.export_ready", export.user, "/settings/privacy", key=export.uid.hex, now=now)
            jobs.enqueue("accounts.expire_exports", key=export.uid.hex, delay=KEPT)
    if not is_wanted and not DataExport.objects.filter(file=name).exists():
        default_storage.delete(name)


def mark_export_failed(*, uid: str) -> None:
    """Mark it as failed, so that another one can be requested."""
    DataExport.objects.filter(uid=UUID(uid), state=DataExport.State.PREPARING).update(state=DataExport.State.FAILED)


def delete_expired_exports(*, now: datetime) -> None:
    """Delete archives after a week."""
    _remove(DataExport.objects.filter(expires_at__lte=now))


def delete_exports(*, user: User) -> None:
    """Delete all archives of a user."""
    _remove(DataExport.objects.filter(user=user))


def _remove(exports: Iterable[DataExport]) -> None:
    for export in exports:
        if export.file:
            export.file.delete(save=False)
        export.delete()


def _write(archive: zipfile.ZipFile, part: Part) -> None:
    if part.rows is not None:
        with archive.open(part.path, "w") as out:
            out.write(b"[")
            for number, row in enumerate(part.rows):
                text = json.dumps(row, cls=DjangoJSONEncoder, ensure_ascii=False, indent=1)
                out.write((",\n" if number else "\n").encode() + text.encode())
            out.write(b"\n]\n")
    if part.file is not None:
        with part.file() as source, archive.open(part.path, "w", force_zip64=True) as out:
            while chunk := source.read(2**20):
                out.write(chunk)
