"""Refusals of notes for staff and of saved filters."""

from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from studyplatform.kit.errors import AppError


class StaffNoteEmpty(AppError):
    code = "STAFF_NOTE_EMPTY"
    status = 400
    title = _("The note is empty")
    message = _("Write something before you add the note.")
    severity = "warning"
    is_for_scripts = False


@dataclass(eq=False, kw_only=True)
class StaffNoteTooLong(AppError):
    code = "STAFF_NOTE_TOO_LONG"
    status = 400
    title = _("The note is too long")
    message = _("A note can have up to %(most)s characters. Yours has %(length)s.")
    severity = "warning"
    is_for_scripts = False

    most: str
    length: str


class StaffNoteOfAnother(AppError):
    code = "STAFF_NOTE_OF_ANOTHER"
    status = 403
    title = _("This note isn't yours")
    message = _("Only its author, the instructor of the course and admins can delete a note.")
    severity = "warning"
    icon = "lock"
    is_for_scripts = False


class SavedFilterNameless(AppError):
    code = "SAVED_FILTER_NAMELESS"
    status = 400
    title = _("The filter needs a name")
    message = _("Enter a name of up to 60 characters.")
    severity = "warning"
    is_for_scripts = False


@dataclass(eq=False, kw_only=True)
class SavedFilterNameTaken(AppError):
    code = "SAVED_FILTER_NAME_TAKEN"
    status = 409
    title = _("You have a filter with this name")
    message = _("Another of your filters is called “%(name)s”. Choose another name.")
    severity = "warning"
    is_for_scripts = False

    name: str


@dataclass(eq=False, kw_only=True)
class TooManySavedFilters(AppError):
    code = "TOO_MANY_SAVED_FILTERS"
    status = 409
    title = _("No room for another filter")
    message = _("You can save up to %(most)s filters. Delete one that you no longer need.")
    severity = "warning"
    is_for_scripts = False

    most: int


class FilterTooLong(AppError):
    code = "SAVED_FILTER_TOO_LONG"
    status = 400
    title = _("This filter can't be saved")
    message = _("It is too long. Shorten the text that you search for.")
    severity = "warning"
    is_for_scripts = False
