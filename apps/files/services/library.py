"""The library: add files and versions, create folders, rename, move."""

import uuid
from datetime import datetime

from django.db import transaction

from apps.accounts.models import User
from apps.files import errors, policies
from apps.files.file_types import library_media_type
from apps.files.library_names import MAX_DEPTH, kind_of, path_parts, sort_name
from apps.files.models import File, FileKind, FileVersion, Folder, Upload
from apps.files.services.folders import (
    Names,
    Selection,
    ancestors,
    check_target,
    checked_name,
    enforce_all,
    files_in,
    lock_library,
    make_path,
    place,
    require_room,
    still_present,
)
from apps.files.services.stored_files import first_bytes
from apps.files.services.videos import enqueue_removal
from studyplatform.kit import jobs
from studyplatform.kit.policies import enforce

LIBRARY = "library"  # the target of uploads that become files of the library: "library" or "library/<folder>"


def library_target(folder: Folder | None) -> str:
    """The target of an upload into this folder."""
    return LIBRARY if folder is None else f"{LIBRARY}/{folder.uid.hex}"


def is_for_library(upload: Upload) -> bool:
    return upload.target.partition("/")[0] == LIBRARY


def add_uploaded_file(upload: Upload, *, path: str, replaces: bool, now: datetime) -> File:
    """Create the file of a complete, locked upload, or a new version of the file that it replaces.

    ``path``: the relative path that the client gave; missing folders are created. If the folder of the target is gone,
    the file goes to the top: its owner finds it there, and nothing is lost.
    """
    lock_library(upload.owner_id)
    folder = _target_folder(upload)
    names, name = path_parts(path or upload.filename)
    folder = make_path(upload.owner_id, folder, names, now)
    existing = files_in(upload.owner_id, folder).filter(sort_name=sort_name(name)).first() if replaces else None
    if existing is not None:
        return add_version(existing, upload, now=now)
    name = Names(upload.owner_id, folder).free(name)
    file = file_of(upload, name, folder, now)
    file.save()
    FileVersion.objects.create(file=file, upload=upload, number=1, created_at=now)
    if file.kind == FileKind.IMAGE:
        jobs.enqueue("files.make_thumbnail", key=file.uid.hex, file=file.uid.hex)
    return file


def add_version(file: File, upload: Upload, *, now: datetime) -> File:
    """Give a file new contents. The former ones remain as an older version; their thumbnail is removed."""
    newest = file.versions.order_by("-number").values_list("number", flat=True).first() or 0
    fresh = file_of(upload, file.name, file.folder, now)
    file.current, file.size, file.media_type, file.kind = upload, fresh.size, fresh.media_type, fresh.kind
    enqueue_removal(names=[file.thumbnail] if file.thumbnail else [])
    file.modified_at, file.thumbnail = now, ""
    file.save()
    # After the file: a trigger counts the contents under its kind.
    FileVersion.objects.create(file=file, upload=upload, number=newest + 1, created_at=now)
    if file.kind == FileKind.IMAGE:
        jobs.enqueue("files.make_thumbnail", key=file.uid.hex, file=file.uid.hex)
    return file


def restore_version(*, file: File, number: int, by: User, now: datetime) -> File:
    """Make an older version the newest one. Its contents are not copied.

    :raises VersionNotFound: the file has no such version.
    """
    enforce(policies.edit_entry(by, file))
    with transaction.atomic():
        lock_library(file.owner_id)
        file = File.objects.select_for_update().get(pk=file.pk)
        version = file.versions.select_related("upload").filter(number=number).first()
        if version is None:
            raise errors.VersionNotFound
        return add_version(file, version.upload, now=now)


def create_folder(*, owner: User, parent: Folder | None, name: str, now: datetime) -> Folder:
    """Create a folder.

    :raises NameTaken: the parent has an entry of this name.
    :raises FolderTooDeep: more than `MAX_DEPTH` folders within each other.
    :raises LibraryFull: the user has `MAX_LIBRARY_ENTRIES` entries.
    """
    enforce(policies.use_library(owner))
    if parent is not None:
        enforce(policies.edit_entry(owner, parent))
    with transaction.atomic():
        lock_library(owner.pk)
        parent = still_present(parent)
        name = checked_name(name, owner.pk, parent)
        if parent is not None and len(ancestors(parent)) + 1 >= MAX_DEPTH:
            raise errors.FolderTooDeep(limit=MAX_DEPTH)
        require_room(owner.pk, 1)
        return Folder.objects.create(owner=owner, parent=parent, name=name, sort_name=sort_name(name), created_at=now)


def rename_entry(*, entry: Folder | File, name: str, by: User) -> None:
    """Rename a folder or a file.

    :raises NameTaken: its folder has another entry of this name.
    """
    enforce(policies.edit_entry(by, entry))
    with transaction.atomic():
        lock_library(entry.owner_id)
        entry.refresh_from_db()
        if entry.deleted_at is not None:
            raise errors.EntryInBin
        folder = entry.parent if isinstance(entry, Folder) else entry.folder
        entry.name = checked_name(name, entry.owner_id, folder, besides=entry)
        entry.sort_name = sort_name(entry.name)
        entry.save(update_fields=["name", "sort_name"])


def move_entries(*, selection: Selection, to: Folder | None, by: User) -> None:
    """Move entries into a folder, or to the top. A name that is taken there gets a number.

    :raises FolderIntoItself: the target is one of the folders or lies within one.
    :raises FolderTooDeep: more than `MAX_DEPTH` folders within each other.
    """
    enforce_all(selection, by)
    if to is not None:
        enforce(policies.edit_entry(by, to))
    with transaction.atomic():
        lock_library(by.pk)
        to = still_present(to)
        check_target(selection, to)
        names = Names(by.pk, to, [entry.name for entry in selection.entries])
        for entry in selection.entries:
            entry.refresh_from_db()
            inside = entry.parent_id if isinstance(entry, Folder) else entry.folder_id
            if entry.deleted_at is not None:
                raise errors.EntryInBin
            if inside == (to.pk if to is not None else None):
                continue
            place(entry, to, names)


def file_of(upload: Upload, name: str, folder: Folder | None, now: datetime) -> File:
    """A new file with these contents, not saved."""
    media_type = library_media_type(first_bytes(upload))
    return File(
        owner_id=upload.owner_id,
        folder=folder,
        name=name,
        sort_name=sort_name(name),
        current=upload,
        kind=kind_of(media_type, name),
        media_type=media_type,
        size=upload.length,
        created_at=now,
        modified_at=now,
    )


def _target_folder(upload: Upload) -> Folder | None:
    _, _, uid = upload.target.partition("/")
    try:
        wanted = uuid.UUID(uid)
    except ValueError:
        return None
    return Folder.objects.of(upload.owner_id).present().filter(uid=wanted).first()
