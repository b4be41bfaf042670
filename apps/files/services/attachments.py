"""Attach files to what other apps show: lessons, and later posts, messages and chats.

An app refers to the content by a protected foreign key to `Upload` and keeps a name of its own for it: nothing is
copied, and the content cannot disappear while a row refers to it, whatever happens in the library. See "Attach a file"
in docs/recipes.md.
"""

import contextlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from django.db import transaction

from apps.accounts.models import User
from apps.files import errors, policies
from apps.files.models import File, Upload
from apps.files.services.stored_files import claim_file
from apps.files.services.uploads import delete_upload
from apps.files.storage import open_unchecked
from studyplatform.kit.errors import NotFound
from studyplatform.kit.policies import enforce
from studyplatform.kit.text.sizes import as_size


@dataclass(frozen=True)
class Claimed:
    """A content to refer to, its row locked, and the name under which others get it."""

    upload: Upload
    name: str


def claim_content(*, source: Upload | File, by: User, for_download: bool = True) -> Claimed:
    """Claim the user's own upload, or the current version of a file of their library, within a transaction.

    The caller refers to it by a protected foreign key, and saves the name: renaming the file later does not change it.
    Not ``for_download``: the caller never gives others the content, only what it makes of it.

    :raises NotFound: it does not exist, or belongs to another user.
    :raises EntryInBin: the file is in the bin.
    :raises AppError: it may not be offered to others, or is not complete (see `claim_file`).
    """
    if isinstance(source, Upload):
        return Claimed(claim_file(upload=source, by=by, for_download=for_download), source.filename)
    enforce(policies.edit_entry(by, source))
    fresh = File.objects.select_related("current").filter(pk=source.pk).first()
    if fresh is None:
        raise NotFound
    if fresh.deleted_at is not None:
        raise errors.EntryInBin
    claimed = claim_file(upload=fresh.current, by=by, name=fresh.name, for_download=for_download)
    return Claimed(claimed, fresh.name)


def read_content(*, upload: Upload, max_bytes: int) -> bytes:
    """Return the bytes of a complete upload, for an app that makes something else of them.

    :raises UploadUnfinished: its upload is not complete.
    :raises FileTooLarge: it has more than ``max_bytes``.
    :raises FileInfected, ScanImpossible: the virus scan found something, or could not read it.
    :raises NotFound: its bytes are missing.
    """
    if upload.completed_at is None or upload.purpose != Upload.Purpose.FILE:
        raise errors.UploadUnfinished
    if upload.length > max_bytes:
        raise errors.FileTooLarge(limit=as_size(max_bytes))
    enforce(policies.attach(upload))
    try:
        with open_unchecked(upload) as content:
            return content.read(max_bytes + 1)
    except FileNotFoundError:
        raise NotFound from None


def release_content(*, upload_id: int) -> None:
    """Delete a content to which the caller no longer refers, unless a file of the library or another row does."""
    with contextlib.suppress(errors.FileInUse), transaction.atomic():
        upload = Upload.objects.select_for_update().filter(pk=upload_id, purpose=Upload.Purpose.FILE).first()
        if upload is not None:
            delete_upload(upload)


@dataclass(frozen=True)
class Use:
    """Where a content is used, in words after "Used in". Without a ``url`` if the viewer may not open that place."""

    label: str
    url: str = ""


UseResolver = Callable[[Collection[int], User], Mapping[int, Sequence[Use]]]
_resolvers: list[UseResolver] = []


def register_use(resolver: UseResolver) -> UseResolver:
    """Register a function that says for an app where it uses uploads: their ids, and the viewer, to uses by id.

    It names a place only to viewers who may see it; to others it says what kind of place it is.
    """
    _resolvers.append(resolver)
    return resolver


def uses_of(uploads: Collection[int], viewer: User) -> dict[int, list[Use]]:
    """Where these uploads are used, by id; without those that are used nowhere. A query or two for each app."""
    found: dict[int, list[Use]] = {}
    for resolver in _resolvers if uploads else ():
        for pk, uses in resolver(uploads, viewer).items():
            found.setdefault(pk, []).extend(uses)
    return found
