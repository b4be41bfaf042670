"""Refusals about Premium."""

from django.utils.translation import gettext_lazy as _

from studyplatform.kit.errors import Action, AppError


class SubscriptionExpired(AppError):
    code = "SUBSCRIPTION_EXPIRED"
    status = 402
    title = _("Your subscription has ended")
    message = _("Your Premium subscription has ended. Free content is still available.")
    severity = "warning"
    icon = "clock"
    action = Action(_("Renew"), href="/billing/renew")


class StillSubscribed(AppError):
    code = "STILL_SUBSCRIBED"
    status = 409
    title = _("You still have Premium")
    message = _("Your Premium subscription renews automatically. Cancel it first, then delete your account.")
    severity = "warning"
    icon = "gem"
    action = Action(_("See your subscription"), href="/billing/subscriptions")
    is_for_scripts = False


class AlreadySubscribed(AppError):
    code = "ALREADY_SUBSCRIBED"
    status = 409
    title = _("You already have Premium")
    message = _("You already have Premium. Nothing was charged.")
    severity = "info"
    icon = "gem"
    action = Action(_("See your subscription"), href="/billing/subscriptions")


class NotSubscribed(AppError):
    code = "NOT_SUBSCRIBED"
    status = 409
    title = _("You don't have Premium")
    message = _("You don't have a Premium subscription right now.")
    severity = "info"
    icon = "gem"
    action = Action(_("See Premium"), href="/premium")


class PlanNotOffered(AppError):
    code = "PLAN_NOT_OFFERED"
    status = 409
    title = _("This plan isn't available now")
    message = _("You can't switch to this plan right now.")
    severity = "info"
    icon = "info"
    action = Action(_("See your subscription"), href="/billing/subscriptions")


class PlanChangeInProgress(AppError):
    code = "PLAN_CHANGE_IN_PROGRESS"
    status = 409
    title = _("Your plan is being changed")
    message = _("Another change of your plan hasn't finished yet. Wait a moment, then check your subscription.")
    severity = "info"
    icon = "clock"
    action = Action(_("See your subscription"), href="/billing/subscriptions")


class NothingDue(AppError):
    code = "NOTHING_DUE"
    status = 409
    title = _("Nothing to pay")
    message = _("No Premium payment is due. Nothing was charged.")
    severity = "info"
    icon = "info"
    action = Action(_("See your subscription"), href="/billing/subscriptions")
