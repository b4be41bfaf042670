"""Refusals of learning paths."""

from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from studyplatform.kit.errors import Action, AppError


class PathNotFound(AppError):
    code = "PATH_NOT_FOUND"
    status = 404
    title = _("Learning path not found")
    message = _("This learning path doesn't exist, or it isn't published.")
    action = Action(_("See all learning paths"), href="/paths/")


@dataclass(eq=False, kw_only=True)
class PathFull(AppError):
    code = "PATH_FULL"
    status = 409
    title = _("The learning path is full")
    message = _("A learning path can have up to %(limit)s courses.")
    severity = "warning"
    is_for_scripts = False

    limit: int


@dataclass(eq=False, kw_only=True)
class TooManyPaths(AppError):
    code = "PATH_LIMIT_REACHED"
    status = 409
    title = _("Too many learning paths")
    message = _("You can have up to %(limit)s learning paths. Delete one you no longer need first.")
    severity = "warning"
    is_for_scripts = False

    limit: int


@dataclass(eq=False, kw_only=True)
class PathNotReady(AppError):
    code = "PATH_NOT_READY"
    status = 409
    title = _("Not ready to be published")
    message = _("A learning path needs at least %(least)s published courses before you can publish it.")
    severity = "warning"
    is_for_scripts = False

    least: int
