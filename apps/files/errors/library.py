"""Refusals of the library."""

from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from studyplatform.kit.errors import AppError


@dataclass(eq=False, kw_only=True)
class NameTaken(AppError):
    code = "FILE_NAME_TAKEN"
    status = 409
    title = _("This name is taken")
    message = _("This folder already contains “%(name)s”. Choose another name.")
    severity = "warning"

    name: str = ""


class NameInvalid(AppError):
    code = "FILE_NAME_INVALID"
    status = 422
    title = _("Enter a name")
    message = _("A name needs at least one letter, digit or symbol other than a period.")


@dataclass(eq=False, kw_only=True)
class FolderTooDeep(AppError):
    code = "FOLDER_TOO_DEEP"
    status = 422
    title = _("Too many folders within each other")
    message = _("Folders can be up to %(limit)s levels deep.")

    limit: int = 0


class FolderIntoItself(AppError):
    code = "FOLDER_INTO_ITSELF"
    status = 422
    title = _("A folder can't contain itself")
    message = _("Choose a folder outside the ones you are moving or copying.")


class EntryInBin(AppError):
    code = "FILE_IN_BIN"
    status = 409
    title = _("This is in the bin")
    message = _("This file or folder is in the bin. Restore it to use it.")
    severity = "warning"


@dataclass(eq=False, kw_only=True)
class TooManyEntries(AppError):
    code = "FILE_SELECTION_TOO_LARGE"
    status = 422
    title = _("Too many files at once")
    message = _("Select up to %(limit)s files and folders, counting those within folders you copy.")

    limit: int = 0


@dataclass(eq=False, kw_only=True)
class LibraryFull(AppError):
    code = "FILE_LIBRARY_FULL"
    status = 409
    title = _("Your library is full")
    message = _("A library can have up to %(limit)s files and folders. Delete some, then try again.")

    limit: int = 0


@dataclass(eq=False, kw_only=True)
class ZipTooLarge(AppError):
    code = "FILE_ZIP_TOO_LARGE"
    status = 422
    title = _("Too many files for one zip")
    message = _("A zip can contain up to %(limit)s files and folders. Select fewer and download several zips.")
    severity = "warning"

    limit: int = 0


class NothingSelected(AppError):
    code = "FILE_SELECTION_EMPTY"
    status = 400
    title = _("Nothing is selected")
    message = _("Select at least one file or folder.")
    severity = "warning"


class VersionNotFound(AppError):
    code = "FILE_VERSION_NOT_FOUND"
    status = 404
    title = _("This version is gone")
    message = _("The file no longer has this version. Reload the page to see those it has.")
