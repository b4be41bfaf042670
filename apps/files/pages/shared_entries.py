"""What the pages for others show of a share: a file with its preview, or a folder with its contents."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponseBase
from django.urls import reverse
from django.utils import timezone

from apps.accounts.guards import signed_in_user
from apps.files import sharing_queries as queries
from apps.files.content_links import Shared
from apps.files.file_types import SHOWN_INLINE
from apps.files.models import File, Folder, Share
from apps.files.pages.library import ICONS, PAGE, uid_of
from apps.files.previews import NO_PREVIEW, preview_of
from apps.files.services import Selection, stream_zip
from apps.files.streaming import send_content, send_stored
from studyplatform.kit.errors import NotFound


@dataclass(frozen=True)
class Addresses:
    """The addresses of what a share opens. ``names``: of its pages in the URL patterns; ``key``: of the share there."""

    names: str
    key: object

    @property
    def top(self) -> str:
        return reverse(f"files:{self.names}", args=[self.key])

    def folder(self, folder: Folder) -> str:
        return f"{self.top}?folder={folder.uid}"

    def file(self, file: File) -> str:
        return reverse(f"files:{self.names}-file", args=[self.key, file.uid])

    def view(self, file: File) -> str:
        return reverse(f"files:{self.names}-view", args=[self.key, file.uid])

    def thumbnail(self, file: File) -> str:
        return reverse(f"files:{self.names}-thumbnail", args=[self.key, file.uid])

    @property
    def zip(self) -> str:
        return reverse(f"files:{self.names}-zip", args=[self.key])

    def download(self, file: File) -> str:
        return reverse(f"files:{self.names}-download", args=[self.key, file.uid])


def may_preview(share: Share) -> bool:
    """Whether files are shown, too: a preview would let people have more than the maximum of downloads."""
    return share.max_downloads is None


def folder_context(request: HttpRequest, share: Share, uid: UUID | None, addresses: Addresses) -> dict[str, Any]:
    """The contents of the shared folder, or of one within it.

    :raises NotFound: the folder is not within the shared one.
    """
    trail = queries.trail_within(share, uid)
    folder = trail[-1]
    entries = queries.Contents(folder)
    page = Paginator(entries, PAGE).get_page(request.GET.get("page"))
    return {
        "folder": folder,
        "trail": _links(trail[:-1], addresses),
        "folders": [entry for entry in page if isinstance(entry, Folder)],
        "files": [entry for entry in page if isinstance(entry, File)],
        "file_count": entries.file_count,
        "page": page,
        **_context(share, addresses),
    }


def file_context(share: Share, uid: UUID, addresses: Addresses) -> dict[str, Any]:
    """A file with its preview.

    :raises NotFound: the share does not open it.
    """
    file, trail = queries.file_and_trail(share, uid)
    return {
        "file": file,
        "trail": _links(trail, addresses),
        "preview": preview_of(file) if may_preview(share) else NO_PREVIEW,
        **_context(share, addresses),
    }


def _context(share: Share, addresses: Addresses) -> dict[str, Any]:
    return {"share": share, "to": addresses, "may_preview": may_preview(share), "file_icons": ICONS}


def _links(trail: list[Folder], addresses: Addresses) -> list[tuple[str, str]]:
    return [(addresses.folder(each), each.name) for each in trail]


def send_view(request: HttpRequest, share: Share, uid: UUID) -> HttpResponseBase:
    """The bytes of a file for a preview. Types that could run something are never sent for one.

    :raises NotFound: its type has no preview, or downloads are limited.
    """
    file = queries.file_within(share, uid)
    if not may_preview(share) or file.media_type not in SHOWN_INLINE:
        raise NotFound
    return send_shared(request, share, file, as_attachment=False)


def send_shared(request: HttpRequest, share: Share, file: File, *, as_attachment: bool = True) -> HttpResponseBase:
    """The bytes of a file; parts of it by ``Range``.

    :raises NotFound: its bytes are missing.
    """
    user = signed_in_user(request).pk if share.kind == Share.Kind.COURSE else 0
    try:
        return send_content(
            request,
            file.current,
            name=file.name,
            kind=file.media_type,
            as_attachment=as_attachment,
            shared=Shared(share.uid.hex, file.uid.hex, user),
        )
    except FileNotFoundError:
        raise NotFound from None


def send_thumbnail(request: HttpRequest, share: Share, uid: UUID) -> HttpResponseBase:
    """The thumbnail of an image.

    :raises NotFound: it has none.
    """
    file = queries.file_within(share, uid)
    if not file.thumbnail or not may_preview(share):
        raise NotFound
    try:
        return send_stored(request, file.thumbnail, cache="private, no-store", kind="image/webp")
    except FileNotFoundError:
        raise NotFound from None


def zip_of(request: HttpRequest, share: Share, folder: str, *, who: Hashable) -> HttpResponseBase:
    """A folder that a share opens as one zip; ``folder``: its uid, or "" for the shared one. ``who``: see `stream_zip`.

    :raises NotFound: the folder is not within the shared one.
    """
    found = queries.trail_within(share, uid_of(folder) if folder else None)[-1]
    return stream_zip(request, selection=Selection(folders=[found]), name=found.name, who=who, now=timezone.now())
