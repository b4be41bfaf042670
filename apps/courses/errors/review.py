"""Refusals of reviews: of links for outside experts, and of appeals."""

from django.utils.translation import gettext_lazy as _

from studyplatform.kit.errors import AppError


class ReviewLinkNotFound(AppError):
    code = "REVIEW_LINK_NOT_FOUND"
    status = 404
    is_for_scripts = False
    title = _("This link doesn't work")
    message = _("The address may be incomplete, or the link was withdrawn. Ask the person who sent it for a new one.")


class ReviewLinkExpired(AppError):
    code = "REVIEW_LINK_EXPIRED"
    status = 410
    is_for_scripts = False
    severity = "warning"
    icon = "clock"
    title = _("This link has expired")
    message = _("The time for this review is over. Your comments were kept. Ask the person who sent it for a new link.")


class ReviewVersionOutdated(AppError):
    code = "REVIEW_VERSION_OUTDATED"
    status = 410
    is_for_scripts = False
    severity = "warning"
    icon = "clock"
    title = _("This version is outdated")
    message = _(
        "It was published or discarded meanwhile, so there is nothing left to review. The comments that you sent were"
        " kept. Ask the person who sent the link for a new one."
    )


class ReviewLinkFull(AppError):
    code = "REVIEW_LINK_FULL"
    status = 409
    is_for_scripts = False
    severity = "warning"
    title = _("This link is used in other browsers")
    message = _(
        "It was made for one person and was opened in as many browsers as it allows. Ask for a link of your own."
    )


class AppealNotPossible(AppError):
    code = "APPEAL_NOT_POSSIBLE"
    status = 409
    is_for_scripts = False
    severity = "warning"
    title = _("This suspension was appealed before")
    message = _("A suspension can be appealed once. The answer will appear here.")


class AppealDecided(AppError):
    code = "APPEAL_DECIDED"
    status = 409
    is_for_scripts = False
    severity = "warning"
    title = _("This appeal has been decided")
    message = _("Somebody else decided it meanwhile. Reload the page to see the decision.")
