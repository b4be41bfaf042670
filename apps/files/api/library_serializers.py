"""Shapes of the library: folders, files, versions, previews."""

from typing import Any

from django.urls import reverse
from rest_framework import serializers

from apps.files import scanner
from apps.files.file_types import SHOWN_INLINE
from apps.files.library_queries import ORDERS
from apps.files.models import File, FileKind, FileVersion, Folder, Upload
from apps.files.previews import Preview, PreviewKind
from apps.files.services import MAX_ENTRIES
from apps.files.sharing_queries import COURSE, LINK, PRIVATE, Sharing
from studyplatform.kit.web.fields import BoundedListField

ACTIONS = ("move", "copy", "bin", "restore", "delete")
MOST_NAME = 1000  # characters that are read of a new name; it is shortened to what systems can store


class FolderRef(serializers.Serializer[object]):
    uid = serializers.UUIDField()
    name = serializers.CharField()


class FolderInTree(FolderRef):
    parent = serializers.UUIDField(allow_null=True, help_text="Null: at the top.")  # type: ignore[assignment]


class SharingOut(serializers.Serializer[object]):
    """How a file or a folder is shared, by itself or with a folder that contains it: the widest way."""

    kind = serializers.ChoiceField(choices=[(one, one) for one in (PRIVATE, COURSE, LINK)])
    label = serializers.CharField()  # type: ignore[assignment]


class FolderOut(FolderRef):
    file_count = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    deleted_at = serializers.DateTimeField(allow_null=True, help_text="When it was moved to the bin.")
    sharing = SharingOut()


class FileOut(serializers.Serializer[object]):
    uid = serializers.UUIDField()
    name = serializers.CharField()
    kind = serializers.ChoiceField(choices=FileKind.choices)
    kind_label = serializers.CharField()
    media_type = serializers.CharField(help_text="From its bytes.")
    size = serializers.IntegerField(help_text="Bytes of the current version.")
    modified_at = serializers.DateTimeField()
    deleted_at = serializers.DateTimeField(allow_null=True, help_text="When it was moved to the bin.")
    folder = FolderRef(allow_null=True, help_text="Null: at the top.")
    scan = serializers.ChoiceField(
        choices=Upload.Scan.choices, allow_blank=True, help_text="What the virus scan says; empty if there is none."
    )
    thumbnail = serializers.CharField(allow_null=True)
    url = serializers.CharField(help_text="Its page.")
    view_url = serializers.CharField(allow_null=True, help_text="Null: a type that is only downloaded.")
    download_url = serializers.CharField()
    sharing = SharingOut()


class FileListOut(serializers.Serializer[object]):
    """A piece of a list. The folders come with its first piece."""

    folder = FolderRef(allow_null=True)
    trail = FolderRef(many=True, help_text="The folders above, from the top.")
    folders = FolderOut(many=True)
    files = FileOut(many=True)
    count = serializers.IntegerField(help_text="Files in the list, counted up to 1,000.")
    is_count_exact = serializers.BooleanField(help_text="False: the list has more files than `count`.")
    next = serializers.CharField(allow_null=True, help_text="The `cursor` of the next piece.")


class FileVersionOut(serializers.Serializer[object]):
    number = serializers.IntegerField(help_text="1 is the oldest.")
    size = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    download_url = serializers.CharField()


class PreviewOut(serializers.Serializer[object]):
    kind = serializers.ChoiceField(choices=PreviewKind.choices)
    url = serializers.CharField(allow_null=True, help_text="Of images, PDF, audio and video.")
    html = serializers.CharField(allow_null=True, help_text="Of texts: safe to insert into a page.")
    is_cut = serializers.BooleanField(help_text="Only the beginning is shown.")


class FileDetailOut(FileOut):
    versions = FileVersionOut(many=True, help_text="Newest first, at most 100.")
    preview = PreviewOut()


class DoneOut(serializers.Serializer[object]):
    done = serializers.IntegerField(help_text="Files and folders.")


class BinEmptiedOut(serializers.Serializer[object]):
    left = serializers.IntegerField(help_text="Files that are deleted in the background.")


class ListIn(serializers.Serializer[object]):
    folder = serializers.UUIDField(required=False)
    q = serializers.CharField(required=False, allow_blank=True, max_length=100, default="")
    sort = serializers.ChoiceField(required=False, choices=list(ORDERS))
    cursor = serializers.CharField(required=False, allow_blank=True, max_length=2000, default="")
    bin = serializers.BooleanField(required=False, default=False)


class NameIn(serializers.Serializer[object]):
    name = serializers.CharField(max_length=MOST_NAME, trim_whitespace=False)


class NewFolderIn(NameIn):
    parent = serializers.UUIDField(  # type: ignore[assignment]
        allow_null=True, required=False, default=None, help_text="Null: at the top."
    )


def uids_field() -> BoundedListField:
    return BoundedListField(child=serializers.UUIDField(), max_length=MAX_ENTRIES, required=False)


class ActionIn(serializers.Serializer[object]):
    action = serializers.ChoiceField(choices=[(one, one) for one in ACTIONS])
    files = uids_field()
    folders = uids_field()
    to = serializers.UUIDField(
        allow_null=True, required=False, default=None, help_text="The folder to move or copy into; null: the top."
    )


def folder_ref(folder: Folder) -> dict[str, Any]:
    """The shape `FolderRef`."""
    return {"uid": str(folder.uid), "name": folder.name}


def folder_out(folder: Folder, file_count: int, sharing: Sharing) -> dict[str, Any]:
    """The shape `FolderOut`."""
    return folder_ref(folder) | {
        "file_count": file_count,
        "created_at": folder.created_at,
        "deleted_at": folder.deleted_at,
        "sharing": {"kind": sharing.kind, "label": sharing.label},
    }


def file_out(file: File, sharing: Sharing) -> dict[str, Any]:
    """The shape `FileOut`. No queries; ``file`` with its folder, and with its contents if there is a virus scan."""
    page = reverse("files:library-file", args=[file.uid])
    return {
        "uid": str(file.uid),
        "name": file.name,
        "kind": file.kind,
        # Django's get_kind_display() costs as much as the rest of this function.
        "kind_label": str(FileKind(file.kind).label),
        "media_type": file.media_type,
        "size": file.size,
        "modified_at": file.modified_at,
        "deleted_at": file.deleted_at,
        "folder": folder_ref(file.folder) if file.folder else None,
        "scan": file.current.scan if scanner.is_enabled() else "",
        # The part after "?" changes with the contents, because browsers keep thumbnails for a day.
        "thumbnail": f"{reverse('files:thumbnail', args=[file.uid])}?{file.current_id}" if file.thumbnail else None,
        "url": page,
        "view_url": view_url(file) if file.media_type in SHOWN_INLINE else None,
        "download_url": reverse("files:download", args=[file.uid]),
        "sharing": {"kind": sharing.kind, "label": sharing.label},
    }


def view_url(file: File) -> str:
    """Where the file is shown within a page."""
    return reverse("files:view", args=[file.uid])


def version_out(file: File, version: FileVersion) -> dict[str, Any]:
    """The shape `FileVersionOut`; ``version`` with its upload."""
    return {
        "number": version.number,
        "size": version.upload.length,
        "created_at": version.created_at,
        "download_url": reverse("files:download-version", args=[file.uid, version.number]),
    }


def preview_out(file: File, preview: Preview) -> dict[str, Any]:
    """The shape `PreviewOut`."""
    is_media = preview.kind not in {PreviewKind.HTML, PreviewKind.NONE}
    return {
        "kind": preview.kind,
        "url": view_url(file) if is_media else None,
        "html": str(preview.html) if preview.kind == PreviewKind.HTML else None,
        "is_cut": preview.is_cut,
    }
