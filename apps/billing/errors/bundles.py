"""Refusals about bundles."""

from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from studyplatform.kit.errors import Action, AppError


class BundleNotFound(AppError):
    code = "BUNDLE_NOT_FOUND"
    status = 404
    title = _("Bundle not found")
    message = _("This bundle doesn't exist.")
    icon = "box"
    action = Action(_("Browse courses"), href="/courses/")


@dataclass(eq=False, kw_only=True)
class BundleNotForSale(AppError):
    code = "BUNDLE_NOT_FOR_SALE"
    status = 409
    title = _("Not for sale")
    message = _("You can't buy the bundle “%(bundle)s” right now. Nothing was charged.")
    severity = "info"
    icon = "info"
    action = Action(_("Browse courses"), href="/courses/")

    bundle: str


@dataclass(eq=False, kw_only=True)
class BundleOwned(AppError):
    code = "BUNDLE_OWNED"
    status = 409
    title = _("You already have these courses")
    message = _("You can open every course of “%(bundle)s” already. Nothing was charged.")
    severity = "info"
    icon = "info"
    action = Action(_("Open your courses"), href="/me/courses")

    bundle: str


@dataclass(eq=False, kw_only=True)
class BundleRefused(AppError):
    code = "BUNDLE_REFUSED"
    status = 422
    title = _("The bundle can't be saved")
    message = _("%(reason)s")
    severity = "warning"
    icon = "info"
    is_for_scripts = False

    reason: str
