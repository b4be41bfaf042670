"""The forms of the library: upload, new folder, rename, and what is done with a selection."""

from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from apps.accounts.guards import signed_in, signed_in_user
from apps.accounts.policies import be_signed_in
from apps.files import library_queries as queries
from apps.files import services
from apps.files.errors import NothingSelected
from apps.files.models import File, Folder
from apps.files.pages.library import folder_of, uid_of
from apps.files.services import Selection
from studyplatform.kit.errors import AppError, ValidationFailed
from studyplatform.kit.web.body_limits import accepts_large_body

FORM_LIMIT = 64 * 2**20  # bytes; with scripts, uploads are resumable and as large as UPLOAD_LIMITS allows


@accepts_large_body(FORM_LIMIT, by=be_signed_in, room=services.check_quota)
@signed_in
@require_POST
def upload(request: HttpRequest) -> HttpResponse:
    """Upload files by a form, one after the other. Those before one that is refused are kept."""
    user = signed_in_user(request)
    folder = folder_of(request, request.POST.get("folder", ""))
    sent = request.FILES.getlist("file")
    if not sent:
        messages.error(request, _("Choose a file to upload."))
    done = 0
    try:
        for each in sent:
            name, size = each.name or "file", each.size or 0
            services.upload_to_library(owner=user, folder=folder, file=each, name=name, size=size, now=timezone.now())
            done += 1
    except AppError as refusal:
        messages.error(request, f"{each.name}: {refusal.detail}")
    if done:
        messages.success(
            request, ngettext("%(num)d file was uploaded.", "%(num)d files were uploaded.", done) % {"num": done}
        )
    return _to(folder)


@signed_in
@require_POST
def new_folder(request: HttpRequest) -> HttpResponse:
    """Create a folder in the folder that the form names."""
    user = signed_in_user(request)
    parent = folder_of(request, request.POST.get("folder", ""))
    try:
        folder = services.create_folder(
            owner=user, parent=parent, name=request.POST.get("name", ""), now=timezone.now()
        )
    except AppError as refusal:
        messages.error(request, refusal.detail)
        return _to(parent)
    messages.success(request, _("The folder “%s” was created.") % folder.name)
    return _to(parent)


@signed_in
@require_POST
def rename_file(request: HttpRequest, uid: UUID) -> HttpResponse:
    """Rename a file."""
    file = queries.file_for(signed_in_user(request), uid)
    _rename(request, file)
    return redirect("files:library-file", file.uid)


@signed_in
@require_POST
def rename_folder(request: HttpRequest, uid: UUID) -> HttpResponse:
    """Rename a folder."""
    folder = queries.folder_for(signed_in_user(request), uid)
    _rename(request, folder)
    return _to(folder)


def _rename(request: HttpRequest, entry: File | Folder) -> None:
    try:
        services.rename_entry(entry=entry, name=request.POST.get("name", ""), by=signed_in_user(request))
    except AppError as refusal:
        messages.error(request, refusal.detail)
    else:
        messages.success(request, _("Renamed to “%s”.") % entry.name)


@signed_in
@require_POST
def restore_version(request: HttpRequest, uid: UUID, number: int) -> HttpResponse:
    """Make an older version of a file the newest one."""
    user = signed_in_user(request)
    file = queries.file_for(user, uid)
    services.restore_version(file=file, number=number, by=user, now=timezone.now())
    messages.success(request, _("Version %d is the current one again.") % number)
    return redirect("files:library-file", file.uid)


@signed_in
@require_POST
def act(request: HttpRequest) -> HttpResponse:
    """Move, copy, delete or restore the selected files and folders."""
    now, selection = timezone.now(), _selection(request)
    here = folder_of(request, request.POST.get("here", ""))
    action = request.POST.get("action", "")
    if not len(selection):
        messages.error(request, _("Select at least one file or folder."))
        return _back(action, here)
    try:
        _act(action, selection, request, now)
    except AppError as refusal:
        messages.error(request, refusal.detail)
        return _back(action, here)
    messages.success(request, _done(action, len(selection)))
    if action == "restore" and selection.originals:
        messages.info(request, _("Restored videos are being processed. They appear in your videos."))
    return _back(action, here)


def _selection(request: HttpRequest) -> Selection:
    return queries.selection_for(
        signed_in_user(request),
        files=[uid_of(each) for each in request.POST.getlist("file")],
        folders=[uid_of(each) for each in request.POST.getlist("folder")],
        originals=[uid_of(each) for each in request.POST.getlist("original")],
    )


@signed_in
@require_POST
def download_zip(request: HttpRequest) -> HttpResponseBase:
    """The selected files and folders as one zip; a single file as it is."""
    user, selection = signed_in_user(request), _selection(request)
    here = folder_of(request, request.POST.get("here", ""))
    try:
        if not selection.entries:
            raise NothingSelected
        if len(selection.entries) == 1 and selection.files:
            return redirect("files:download", selection.files[0].uid)
        only = selection.entries[0] if len(selection.entries) == 1 else here
        name = only.name if only is not None else _("Files")
        return services.stream_zip(
            request, selection=selection, name=name, who=user.pk, now=timezone.now(), to_owner=True
        )
    except AppError as refusal:
        messages.error(request, refusal.detail)
        return _to(here)


def _act(action: str, selection: Selection, request: HttpRequest, now: Any) -> None:
    user = signed_in_user(request)
    if action == "bin":
        services.move_to_bin(selection=selection, by=user, now=now)
    elif action == "restore":
        services.restore_entries(selection=selection, by=user, now=now)
    elif action == "delete":
        services.delete_entries(selection=selection, by=user)
    elif action in {"move", "copy"}:
        to = folder_of(request, request.POST.get("to", ""))
        if action == "move":
            services.move_entries(selection=selection, to=to, by=user)
        else:
            services.copy_entries(selection=selection, to=to, by=user, now=now)
    else:
        raise ValidationFailed


def _done(action: str, count: int) -> str:
    texts = {
        "bin": ngettext("%(num)d item was moved to the bin.", "%(num)d items were moved to the bin.", count),
        "restore": ngettext("%(num)d item was restored.", "%(num)d items were restored.", count),
        "delete": ngettext("%(num)d item was deleted.", "%(num)d items were deleted.", count),
        "move": ngettext("%(num)d item was moved.", "%(num)d items were moved.", count),
        "copy": ngettext("%(num)d item was copied.", "%(num)d items were copied.", count),
    }
    return texts[action] % {"num": count}


@signed_in
@require_POST
def empty_bin(request: HttpRequest) -> HttpResponse:
    """Delete everything in the bin."""
    left = services.empty_bin(user=signed_in_user(request), until=timezone.now())
    if left:
        texts = ngettext("Emptying the bin: %(num)d file left.", "Emptying the bin: %(num)d files left.", left)
        messages.success(request, texts % {"num": left})
    else:
        messages.success(request, _("The bin is empty."))
    return redirect("files:bin")


def _back(action: str, here: Folder | None) -> HttpResponse:
    return redirect("files:bin") if action in {"restore", "delete"} else _to(here)


def _to(folder: Folder | None) -> HttpResponse:
    query = f"?{urlencode({'folder': folder.uid})}" if folder is not None else ""
    return redirect(reverse("files:library") + query)
