"""Refusals in messages and announcements."""

from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from studyplatform.kit.errors import AppError


class MessageEmpty(AppError):
    code = "MESSAGE_EMPTY"
    status = 400
    title = _("The message is empty")
    message = _("Write something, or attach a file.")
    severity = "warning"
    is_for_scripts = False


@dataclass(eq=False, kw_only=True)
class MessageTooLong(AppError):
    code = "MESSAGE_TOO_LONG"
    status = 400
    title = _("The message is too long")
    message = _("A message can have up to %(most)s characters. Yours has %(length)s.")
    is_for_scripts = False

    most: str = "5,000"
    length: str = ""


@dataclass(eq=False, kw_only=True)
class TooManyAttachments(AppError):
    code = "MESSAGE_TOO_MANY_FILES"
    status = 400
    title = _("Too many files")
    message = _("A message can have up to %(most)s files. Send the others with another message.")
    severity = "warning"
    is_for_scripts = False

    most: int = 5


class AttachmentGone(AppError):
    code = "MESSAGE_FILE_GONE"
    status = 409
    title = _("A file is no longer there")
    message = _("A file you chose was deleted. Choose the files again and send the message.")
    severity = "warning"
    icon = "file"
    is_for_scripts = False


class MessageUnreadable(AppError):
    code = "MESSAGE_UNREADABLE"
    status = 422
    title = _("The message wasn't sent")
    message = _("Your browser sent something we couldn't read. Your text is still here: send it again.")
    severity = "warning"
    is_for_scripts = False


class ConversationClosed(AppError):
    code = "MESSAGE_CONVERSATION_CLOSED"
    status = 403
    title = _("This conversation is closed")
    message = _("The learner is no longer enrolled in the course. You can read the conversation but not reply.")
    severity = "info"
    icon = "lock"
    is_for_scripts = False


class RecipientGone(AppError):
    code = "MESSAGE_RECIPIENT_GONE"
    status = 409
    title = _("No one would read this message")
    message = _("The other person's account was blocked or deleted. You can still read the conversation.")
    severity = "info"
    icon = "user-round"
    is_for_scripts = False


@dataclass(eq=False, kw_only=True)
class SenderBlocked(AppError):
    code = "MESSAGE_SENDER_BLOCKED"
    status = 403
    title = _("You can't write to this person")
    message = _("%(name)s doesn't accept messages from you. You can still read the conversation.")
    severity = "info"
    icon = "lock"
    is_for_scripts = False

    name: str = ""


@dataclass(eq=False, kw_only=True)
class RecipientBlocked(AppError):
    code = "MESSAGE_RECIPIENT_BLOCKED"
    status = 409
    title = _("You blocked this person")
    message = _("Neither of you can write until you unblock %(name)s.")
    severity = "info"
    icon = "lock"
    is_for_scripts = False

    name: str = ""


class OwnMessage(AppError):
    code = "MESSAGE_IS_YOURS"
    status = 409
    title = _("This is your own message")
    message = _("You can report messages others wrote to you.")
    severity = "info"
    is_for_scripts = False


class ReportDecided(AppError):
    code = "MESSAGE_REPORT_DECIDED"
    status = 409
    title = _("This report was already decided")
    message = _("Another admin decided it. Reload the page to see the outcome.")
    severity = "info"
    is_for_scripts = False


@dataclass(eq=False, kw_only=True)
class AnnouncementLimitReached(AppError):
    code = "ANNOUNCEMENT_LIMIT_REACHED"
    status = 429
    title = _("No announcements left this week")
    message = _(
        "You can send %(most)s announcements to a course within seven days. You can send the next one %(when)s."
    )
    severity = "warning"
    icon = "clock"
    is_for_scripts = False

    most: int = 2
    when: str = ""


class NoRecipients(AppError):
    code = "ANNOUNCEMENT_WITHOUT_RECIPIENTS"
    status = 409
    title = _("No one would get this announcement")
    message = _("No learners match these recipients right now. Choose others.")
    severity = "warning"
    icon = "users-round"
    is_for_scripts = False


class CourseNotOpenForAnnouncements(AppError):
    code = "ANNOUNCEMENT_COURSE_NOT_OPEN"
    status = 409
    title = _("You can't send announcements to this course right now")
    message = _("You can send announcements to learners of published or archived courses.")
    severity = "warning"
    icon = "lock"
    is_for_scripts = False


class MessageUndelivered(AppError):
    """Never raised: a recipient of a bulk message has its code when the job has failed for good."""

    code = "MESSAGE_UNDELIVERED"
    status = 503
    title = _("Something failed on our side")
    message = _("The message couldn't be written. Send it to this learner again.")
    is_for_scripts = False


class NoLearnersChosen(AppError):
    code = "MESSAGE_WITHOUT_LEARNERS"
    status = 409
    title = _("No learners chosen")
    message = _("No one would get this message. Choose learners of a course that you teach.")
    severity = "warning"
    icon = "users-round"
    is_for_scripts = False


@dataclass(eq=False, kw_only=True)
class TooManyRecipients(AppError):
    code = "MESSAGE_TOO_MANY_LEARNERS"
    status = 400
    title = _("Too many learners")
    message = _("You can write to up to %(most)s learners at once. Narrow the filter, or send an announcement.")
    severity = "warning"
    icon = "users-round"
    is_for_scripts = False

    most: str = "20,000"
