"""Refusals in topics."""

from django.utils.translation import gettext_lazy as _

from studyplatform.kit.errors import Action, AppError


class PostEmpty(AppError):
    code = "FORUM_POST_EMPTY"
    status = 400
    title = _("The post is empty")
    message = _("Write something before you post it.")
    is_for_scripts = False


class PostTooLong(AppError):
    code = "FORUM_POST_TOO_LONG"
    status = 400
    title = _("The post is too long")
    message = _("A post can have up to 5,000 characters.")


class ModerationRequired(AppError):
    code = "FORUM_MODERATION_REQUIRED"
    status = 202
    title = _("Waiting for a moderator")
    message = _("Posts of new accounts are reviewed during the first week. Yours is saved and appears once approved.")
    severity = "info"
    icon = "clock"


class TopicLocked(AppError):
    code = "FORUM_TOPIC_LOCKED"
    status = 409
    title = _("This topic is closed")
    message = _("A moderator closed this topic. You can read it, but not reply to it.")
    severity = "warning"
    icon = "lock"
    is_for_scripts = False


class BoardForAdmins(AppError):
    code = "FORUM_BOARD_FOR_ADMINS"
    status = 403
    title = _("Only admins open topics here")
    message = _("You can reply to the topics of this board. To ask something, choose another board.")
    severity = "warning"
    icon = "lock"
    action = Action(_("New topic"), href="/forum/new")
    is_for_scripts = False


class AnnouncementsByStaff(AppError):
    code = "FORUM_ANNOUNCEMENTS_BY_STAFF"
    status = 403
    title = _("Announcements are for staff")
    message = _("Only the instructor of the course and admins can open an announcement.")
    severity = "warning"
    icon = "lock"
    is_for_scripts = False


class NotYourPost(AppError):
    code = "FORUM_NOT_YOUR_POST"
    status = 403
    title = _("This post isn't yours")
    message = _("Only its author and moderators can change a post.")
    icon = "lock"
    is_for_scripts = False


class TopicHasReplies(AppError):
    code = "FORUM_TOPIC_HAS_REPLIES"
    status = 409
    title = _("Someone has replied")
    message = _("Others have replied to this topic, so only a moderator can delete it.")
    severity = "warning"
    icon = "messages-square"
    is_for_scripts = False


class EditNeedsModerator(AppError):
    code = "FORUM_EDIT_NEEDS_REVIEW"
    status = 409
    title = _("This change can't be published")
    message = _(
        "A moderator would have to review it first, which would hide other people's replies in the meantime. Add a "
        "reply instead."
    )
    severity = "warning"
    icon = "clock"
    is_for_scripts = False


class PostChanged(AppError):
    code = "FORUM_POST_CHANGED"
    status = 409
    title = _("The post has changed")
    message = _("Someone edited this post while you were writing. Your text is below; compare it with the current one.")
    severity = "warning"
    icon = "history"
    is_for_scripts = False


class PostNotVisible(AppError):
    code = "FORUM_POST_NOT_VISIBLE"
    status = 409
    title = _("This isn't possible right now")
    message = _("The post is waiting for a moderator, hidden or deleted.")
    severity = "warning"
    icon = "clock"
    is_for_scripts = False


class OwnVote(AppError):
    code = "FORUM_OWN_POST"
    status = 409
    title = _("This is your own post")
    message = _("You can't vote for your own post.")
    severity = "info"
    icon = "thumbs-up"
    is_for_scripts = False


class NotAQuestion(AppError):
    code = "FORUM_NOT_A_QUESTION"
    status = 409
    title = _("This topic isn't a question")
    message = _("Only replies to a question can be accepted as its answer.")
    severity = "info"
    icon = "circle-question-mark"
    is_for_scripts = False


class TooManyTags(AppError):
    code = "FORUM_TOO_MANY_TAGS"
    status = 400
    title = _("Too many tags")
    message = _("A topic can have up to five tags of 40 characters each.")
    severity = "warning"
    icon = "tag"
    is_for_scripts = False


class TooManyFiles(AppError):
    code = "FORUM_TOO_MANY_FILES"
    status = 400
    title = _("Too many files")
    message = _("A post can show up to 20 files.")
    severity = "warning"
    icon = "file"
    is_for_scripts = False


class DraftTooLarge(AppError):
    code = "FORUM_DRAFT_TOO_LARGE"
    status = 413
    title = _("The draft is too long")
    message = _("We save drafts of up to 20,000 characters. This one stays on your device.")
    severity = "warning"
    icon = "file"
    is_for_scripts = False


class TextBecomesPublic(AppError):
    code = "FORUM_TEXT_BECOMES_PUBLIC"
    status = 409
    title = _("This makes the topic visible to more people")
    message = _("Only the learners and staff of its course can read this topic now. Confirm to continue.")
    severity = "warning"
    icon = "users-round"
    is_for_scripts = False


class MergeWithItself(AppError):
    code = "FORUM_MERGE_WITH_ITSELF"
    status = 400
    title = _("Choose another topic")
    message = _("A topic can't be merged into itself.")
    severity = "warning"
    icon = "git-merge"
    is_for_scripts = False


class NothingToSplit(AppError):
    code = "FORUM_NOTHING_TO_SPLIT"
    status = 400
    title = _("Choose at least one visible reply")
    message = _("The first visible reply becomes the opening post of the new topic.")
    severity = "warning"
    icon = "split"
    is_for_scripts = False
