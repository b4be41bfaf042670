"""Refusals in moderation."""

from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from studyplatform.kit.errors import AppError


@dataclass(eq=False, kw_only=True)
class Banned(AppError):
    code = "FORUM_BANNED"
    status = 403
    title = _("You can't write in the discussions")
    message = _("You can read, but not write, %(until)s. A moderator gave this reason: %(reason)s")
    severity = "warning"
    icon = "lock"
    is_for_scripts = False

    until: str = ""
    reason: str = ""


class MessagesBanned(Banned):
    code = "MESSAGE_SENDER_BANNED"
    title = _("You can't write messages")
    message = _("You can read messages, but not write any, %(until)s. A moderator gave this reason: %(reason)s")


class AlreadyDecided(AppError):
    code = "FORUM_ALREADY_DECIDED"
    status = 409
    title = _("This has changed")
    message = _("Another moderator or the author got there first. This page shows the current state.")
    severity = "info"
    icon = "history"
    is_for_scripts = False


class ReasonMissing(AppError):
    code = "FORUM_REASON_MISSING"
    status = 400
    title = _("A reason is missing")
    message = _("Enter a reason. The author of the post sees it.")
    severity = "warning"
    is_for_scripts = False


class OwnPostReported(AppError):
    code = "FORUM_REPORT_OWN_POST"
    status = 409
    title = _("This is your own post")
    message = _("You can report other people's posts. You can edit or delete your own.")
    severity = "info"
    icon = "flag"
    is_for_scripts = False


class AlreadyReported(AppError):
    code = "FORUM_ALREADY_REPORTED"
    status = 409
    title = _("You have reported this post")
    message = _("One report per post is enough. The moderators will read it.")
    severity = "info"
    icon = "flag"
    is_for_scripts = False


class ModeratorNotBanned(AppError):
    code = "FORUM_MODERATOR_NOT_BANNED"
    status = 409
    title = _("Moderators can't be banned")
    message = _("This person moderates the board. An admin can change their role.")
    severity = "info"
    icon = "shield-check"
    is_for_scripts = False


class NotUndoable(AppError):
    code = "FORUM_NOT_UNDOABLE"
    status = 409
    title = _("This can't be undone")
    message = _("It was already undone, or it's an action that can't be reversed.")
    severity = "info"
    icon = "undo-2"
    is_for_scripts = False
