"""Refusals in the discussions."""

from django.utils.translation import gettext_lazy as _

from studyplatform.kit.errors import AppError


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
