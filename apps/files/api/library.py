"""The library as calls: lists, a file, folders, what is done with a selection, the bin, versions."""

from typing import Any
from uuid import UUID

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import permissions, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts.guards import signed_in_user
from apps.files import library_queries as queries
from apps.files import listing, services
from apps.files.api.library_serializers import (
    ActionIn,
    BinEmptiedOut,
    DoneOut,
    FileDetailOut,
    FileListOut,
    FileOut,
    FolderInTree,
    FolderOut,
    ListIn,
    NameIn,
    NewFolderIn,
    file_out,
    folder_out,
    folder_ref,
    preview_out,
    version_out,
)
from apps.files.errors import NothingSelected
from apps.files.models import File, Folder
from apps.files.previews import preview_of
from apps.files.services import Selection
from apps.files.sharing_queries import UNSHARED, Sharing, sharing_of
from studyplatform.kit.web.api import validated
from studyplatform.kit.web.body_limits import KIB

MOST_VERSIONS = 100


class LibraryCall(APIView):
    """A call of the library; each user has one."""

    permission_classes = [permissions.IsAuthenticated]


class Listing(LibraryCall):
    @extend_schema(operation_id="files_list", parameters=[ListIn], responses={200: FileListOut})
    def get(self, request: Request) -> Response:
        """A piece of a folder, of what a search in it and below finds, or of the bin.

        The originals of videos in the bin are not listed: the page of the bin shows and restores them.
        """
        user = signed_in_user(request)
        form = ListIn(data=request.query_params)
        form.is_valid(raise_exception=True)
        asked = form.validated_data
        here: Folder | None = None
        line: list[Folder] = []
        if asked["bin"]:
            order = asked.get("sort", listing.BY_DELETION)
            piece = listing.list_bin(user, text=asked["q"], order=order, cursor=asked["cursor"])
        else:
            line = queries.line_for(user, asked["folder"]) if "folder" in asked else []
            here = line[-1] if line else None
            order = asked.get("sort", "modified")
            piece = listing.list_folder(user, here, text=asked["q"], order=order, cursor=asked["cursor"])
        sharing: dict[UUID, Sharing] = {}  # what is in the bin is open to nobody else
        if not asked["bin"]:
            within = None if asked["q"] else line
            sharing = sharing_of(user.pk, files=piece.files, folders=piece.folders, within=within, now=timezone.now())
        return Response(
            {
                "folder": folder_ref(here) if here else None,
                "trail": [folder_ref(one) for one in line[:-1]],
                "folders": [
                    folder_out(one, one.file_count, sharing.get(one.uid, UNSHARED))  # type: ignore[attr-defined]
                    for one in piece.folders
                ],
                "files": [file_out(one, sharing.get(one.uid, UNSHARED)) for one in piece.files],
                "count": piece.count,
                "is_count_exact": piece.is_count_exact,
                "next": piece.next,
            }
        )


class OneFile(LibraryCall):
    @extend_schema(operation_id="files_file", responses={200: FileDetailOut})
    def get(self, request: Request, uid: UUID) -> Response:
        """A file with its versions and its preview."""
        file = queries.file_for(signed_in_user(request), uid)
        detail = {
            "versions": [version_out(file, one) for one in queries.versions_of(file)[:MOST_VERSIONS]],
            "preview": preview_out(file, preview_of(file, to_owner=True)),
        }
        return Response(_file_out(file) | detail)

    @extend_schema(operation_id="files_file_rename", request=NameIn, responses={200: FileOut})
    def patch(self, request: Request, uid: UUID) -> Response:
        file = queries.file_for(signed_in_user(request), uid)
        _rename(file, request)
        return Response(_file_out(file))


class Folders(LibraryCall):
    @extend_schema(operation_id="files_folders", responses={200: FolderInTree(many=True)})
    def get(self, request: Request) -> Response:
        """All folders of the user, by name; at most 2,000."""
        found = queries.all_folders(signed_in_user(request))
        return Response([folder_ref(one) | {"parent": one.parent and str(one.parent.uid)} for one in found])

    @extend_schema(operation_id="files_folder_add", request=NewFolderIn, responses={201: FolderOut})
    def post(self, request: Request) -> Response:
        user = signed_in_user(request)
        sent = validated(NewFolderIn, request)
        parent = queries.folder_for(user, sent["parent"]) if sent["parent"] else None
        folder = services.create_folder(owner=user, parent=parent, name=sent["name"], now=timezone.now())
        return Response(_folder_out(folder, 0), status.HTTP_201_CREATED)


class OneFolder(LibraryCall):
    @extend_schema(operation_id="files_folder_rename", request=NameIn, responses={200: FolderOut})
    def patch(self, request: Request, uid: UUID) -> Response:
        folder = queries.folder_for(signed_in_user(request), uid)
        _rename(folder, request)
        return Response(_folder_out(folder, queries.file_count(folder)))


class Actions(LibraryCall):
    body_limits = {"POST": 128 * KIB}  # 1,000 uids of files and 1,000 of folders

    @extend_schema(operation_id="files_act", request=ActionIn, responses={200: DoneOut})
    def post(self, request: Request) -> Response:
        """Move, copy, delete or restore files and folders: all of them, or none if one is refused."""
        user, sent = signed_in_user(request), validated(ActionIn, request)
        selection = queries.selection_for(user, files=sent.get("files", ()), folders=sent.get("folders", ()))
        if not selection.entries:
            raise NothingSelected
        _act(sent["action"], selection, sent["to"], request)
        return Response({"done": len(selection.entries)})


class EmptyBin(LibraryCall):
    @extend_schema(operation_id="files_bin_empty", request=None, responses={200: BinEmptiedOut})
    def post(self, request: Request) -> Response:
        """Delete everything in the bin; what is left after 2,000 files is deleted in the background."""
        return Response({"left": services.empty_bin(user=signed_in_user(request), until=timezone.now())})


class RestoreVersion(LibraryCall):
    @extend_schema(operation_id="files_version_restore", request=None, responses={200: FileOut})
    def post(self, request: Request, uid: UUID, number: int) -> Response:
        """Make an older version of a file the newest one."""
        user = signed_in_user(request)
        file = queries.file_for(user, uid)
        return Response(_file_out(services.restore_version(file=file, number=number, by=user, now=timezone.now())))


def _file_out(file: File) -> dict[str, Any]:
    if file.deleted_at is not None:
        return file_out(file, UNSHARED)
    return file_out(
        file, sharing_of(file.owner_id, files=[file], folders=[], within=None, now=timezone.now())[file.uid]
    )


def _folder_out(folder: Folder, file_count: int) -> dict[str, Any]:
    found = sharing_of(folder.owner_id, files=[], folders=[folder], within=None, now=timezone.now())
    return folder_out(folder, file_count, UNSHARED if folder.deleted_at is not None else found[folder.uid])


def _act(action: str, selection: Selection, to: UUID | None, request: Request) -> None:
    user, now = signed_in_user(request), timezone.now()
    match action:
        case "move" | "copy":
            folder = queries.folder_for(user, to) if to else None
            if action == "move":
                services.move_entries(selection=selection, to=folder, by=user)
            else:
                services.copy_entries(selection=selection, to=folder, by=user, now=now)
        case "bin":
            services.move_to_bin(selection=selection, by=user, now=now)
        case "restore":
            services.restore_entries(selection=selection, by=user, now=now)
        case "delete":
            services.delete_entries(selection=selection, by=user)


def _rename(entry: File | Folder, request: Request) -> None:
    services.rename_entry(entry=entry, name=validated(NameIn, request)["name"], by=signed_in_user(request))
