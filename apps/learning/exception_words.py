"""Exceptions in words, for the learner's notification and for staff. The reason is never part of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.accounts import services
from apps.learning.models import LearnerException
from apps.learning.queries.exceptions import minutes_to_continue
from studyplatform.kit.web.jinja import register

Kind = LearnerException.Kind


@dataclass(frozen=True, kw_only=True)
class ExceptionNotice(services.Kind):
    """A notification whose words depend on what was granted, how much of it, and for what."""

    def words(self, params: Mapping[str, Any]) -> tuple[str, str, str]:
        """Headline, text and no quotation.

        :raises KeyError: a parameter is missing.
        """
        describe = describe_grant if params["state"] == "granted" else describe_end
        headline, text = describe(params)
        return " ".join(headline.split()), text, ""


def describe_grant(params: Mapping[str, Any]) -> tuple[str, str]:
    """Return what a learner may do now: a headline and a text."""
    match params["what"]:
        case Kind.ATTEMPTS:
            headline = ngettext(
                "You have one more attempt at “%(where)s”", "You have %(count)s more attempts at “%(where)s”",
                params["count"],
            )  # fmt: skip
            return headline % params, _("Your best result counts.")
        case Kind.REOPENED:
            text = ngettext(
                "Your questions and answers are in place. From when you continue, you have %(minutes)s minute.",
                "Your questions and answers are in place. From when you continue, you have %(minutes)s minutes.",
                params["minutes"],
            )
            if not params["minutes"]:
                text = _("Your questions and answers are in place. There is no time limit.")
            return _("You can continue attempt %(number)s at “%(where)s”") % params, text % params
        case _time:
            return _describe_time(params) % params, _("A quiz that you have open has it at once.")


def _describe_time(params: Mapping[str, Any]) -> str:
    """Return the headline of extra time, with its parameters to fill in."""
    if params["minutes"] and params["is_course"]:
        return ngettext(
            "You have %(minutes)s more minute for each quiz in “%(where)s”",
            "You have %(minutes)s more minutes for each quiz in “%(where)s”",
            params["minutes"],
        )
    if params["minutes"]:
        return ngettext(
            "You have %(minutes)s more minute for “%(where)s”",
            "You have %(minutes)s more minutes for “%(where)s”",
            params["minutes"],
        )
    if params["percent"] and params["is_course"]:
        return _("You have %(percent)s%% more time for the quizzes in “%(where)s”")
    if params["percent"]:
        return _("You have %(percent)s%% more time for “%(where)s”")
    if params["is_course"]:
        return _("The quizzes in “%(where)s” have no time limit for you")
    return _("“%(where)s” has no time limit for you")


def describe_end(params: Mapping[str, Any]) -> tuple[str, str]:
    """Return what counts no longer: a headline and a text."""
    match params["what"]:
        case Kind.ATTEMPTS:
            return (
                _("You no longer have extra attempts at “%(where)s”") % params,
                _("Attempts that you have begun are not affected."),
            )
        case Kind.REOPENED:
            return (
                _("Attempt %(number)s at “%(where)s” can no longer be continued") % params,
                _("Its result stays as it is."),
            )
        case _time:
            headline = (
                _("Your extra time for the quizzes in “%(where)s” has ended")
                if params["is_course"]
                else _("Your extra time for “%(where)s” has ended")
            )
            return headline % params, _("An attempt that you have open keeps its time.")


@register("exception_text")
def exception_text(exception: LearnerException) -> str:
    """Return what was granted, for staff: "25% more time", "Attempt 2 again, for 15 minutes"."""
    if exception.kind == Kind.ATTEMPTS:
        count = exception.count
        return ngettext("%(count)d more attempt", "%(count)d more attempts", count) % {"count": count}
    minutes = exception.minutes
    if exception.kind == Kind.REOPENED:
        number = exception.attempt.number if exception.attempt is not None else 0
        minutes = minutes_to_continue(exception)
        if not minutes:
            return _("Attempt %(number)d again, without a time limit") % {"number": number}
        text = ngettext(
            "Attempt %(number)d again, for %(minutes)d minute",
            "Attempt %(number)d again, for %(minutes)d minutes",
            minutes,
        )
        return text % {"number": number, "minutes": minutes}
    if exception.is_unlimited:
        return _("No time limit")
    if exception.percent:
        return _("%(percent)d%% more time") % {"percent": exception.percent}
    return ngettext("%(minutes)d more minute", "%(minutes)d more minutes", minutes) % {"minutes": minutes}
