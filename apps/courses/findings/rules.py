"""The rules by which a course is checked: what each asks for, why, and whether the course can be submitted without."""

import hashlib
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

LONG_LESSON = 15 * 60  # seconds; recommended are 5 to 15 minutes


class Rule(StrEnum):
    """The rules, in the order in which their findings are listed. Those of the course itself come first."""

    COURSE = "course"
    NO_VIDEO = "no_video"
    EMPTY_LESSON = "empty_lesson"
    EMPTY_SECTION = "empty_section"
    DRAW_TOO_LARGE = "draw_too_large"
    VIDEO_UNREACHABLE = "video_unreachable"
    DEAD_LINK = "dead_link"
    UNCHECKED_LINK = "unchecked_link"
    PICTURE_UNDESCRIBED = "picture_undescribed"
    HEADING_SKIPPED = "heading_skipped"
    NO_CAPTIONS = "no_captions"
    LONG_LESSON = "long_lesson"
    NO_EXPLANATION = "no_explanation"


@dataclass(frozen=True)
class RuleFacts:
    """``title`` names what is wrong, ``why`` says whom it costs what. Without what is required nothing is submitted."""

    title: str | Promise
    why: str | Promise
    is_required: bool = False


RULES: dict[Rule, RuleFacts] = {
    Rule.COURSE: RuleFacts(_("The course isn't complete"), _("Learners decide by it whether the course is for them.")),
    Rule.NO_VIDEO: RuleFacts(
        _("No video to watch"), _("Learners would open a lesson with nothing in it."), is_required=True
    ),
    Rule.EMPTY_LESSON: RuleFacts(
        _("Empty lesson"), _("Learners would open a lesson with nothing in it."), is_required=True
    ),
    Rule.EMPTY_SECTION: RuleFacts(_("Empty section"), _("A section without lessons looks unfinished.")),
    Rule.DRAW_TOO_LARGE: RuleFacts(
        _("Too few questions to draw"), _("Attempts get fewer questions than the quiz promises.")
    ),
    Rule.VIDEO_UNREACHABLE: RuleFacts(
        _("Video of another site doesn't play"), _("Learners would see a message in place of the video.")
    ),
    Rule.DEAD_LINK: RuleFacts(_("Dead link"), _("It leads learners to an error page.")),
    Rule.UNCHECKED_LINK: RuleFacts(
        _("Link that couldn't be checked"), _("Its site refuses programs. Open it once to see that it works.")
    ),
    Rule.PICTURE_UNDESCRIBED: RuleFacts(
        _("Picture without a description"),
        _("People who can't see it don't know what it shows. Describe it, or say that it is decorative."),
    ),
    Rule.HEADING_SKIPPED: RuleFacts(
        _("Heading that skips a level"), _("People who listen to the page find their way by the levels of headings.")
    ),
    Rule.NO_CAPTIONS: RuleFacts(
        _("Video without captions"), _("Deaf learners can't follow it, and nobody can search what is said.")
    ),
    Rule.LONG_LESSON: RuleFacts(
        _("Lesson over 15 minutes"), _("Learners finish lessons of 5 to 15 minutes more often.")
    ),
    Rule.NO_EXPLANATION: RuleFacts(
        _("Question without an explanation"),
        _("Learners who are wrong don't learn why, and the tutor can't tell them."),
    ),
}


@dataclass(frozen=True, kw_only=True)
class Finding:
    """Something to look at. ``place`` names the text or thing, ``about`` what of it the finding depends on.

    ``number`` and ``lesson`` name the lesson, ``line`` is that of the text (0 where there is none), ``href`` opens the
    place. A finding that was ignored comes back when ``about`` is something else: its text was changed.
    """

    rule: Rule
    place: str
    about: str
    message: str
    href: str
    is_required: bool = False
    number: str = ""
    lesson: str = ""
    line: int = 0
    ignored_because: str = ""

    @property
    def key(self) -> str:
        """What it is called by: the same as long as it is about the same."""
        return hashlib.sha256(f"{self.rule}\n{self.place}\n{self.about}".encode()).hexdigest()[:20]

    @property
    def title(self) -> str:
        return str(RULES[self.rule].title)

    @property
    def why(self) -> str:
        return str(RULES[self.rule].why)

    @property
    def is_ignored(self) -> bool:
        return bool(self.ignored_because)

    def ignored(self, reason: str) -> "Finding":
        """Return the finding as one that its author ignores for this reason; what is required can't be ignored."""
        return self if self.is_required else replace(self, ignored_because=reason)


def finding(rule: Rule, **facts: Any) -> Finding:
    """Return a finding of a rule, required if the rule is."""
    return Finding(rule=rule, is_required=RULES[rule].is_required, **facts)
