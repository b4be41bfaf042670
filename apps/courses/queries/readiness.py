"""What a course needs before it can be submitted, and what would improve it.

Other apps add checks of their own with ``@publication_check`` (billing: a paid course has a price).
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from apps.courses.findings.rules import Finding, Rule
from apps.courses.models import Course, Lesson
from apps.courses.queries.findings import find_all

SUMMARY_LENGTH = 40
GOOD_OUTCOMES = 3
GOOD_LESSONS = 5


@dataclass(frozen=True, kw_only=True)
class Check:
    """One line of the list. ``missing`` completes "Before you can submit the course, add …"."""

    key: str
    label: str
    is_met: bool
    is_required: bool = True
    missing: str = ""
    href: str = ""


PublicationCheck = Callable[[Course], Check]
_more: list[PublicationCheck] = []


def publication_check(check: PublicationCheck) -> PublicationCheck:
    """Register a check of another app."""
    _more.append(check)
    return check


def checks(course: Course, findings: Sequence[Finding] | None = None) -> list[Check]:
    """Return all checks that apply to the course, required ones first. A fixed number of queries.

    ``findings``: those of the course, if they were already found.
    """
    known = find_all(course) if findings is None else findings
    found = [*_of_texts(course), *_of_lessons(course, known), *(check(course) for check in _more)]
    return sorted(found, key=lambda check: not check.is_required)


def missing(course: Course) -> str:
    """Return what is required and missing, as one phrase; empty if the course is ready."""
    return "; ".join(check.missing or check.label for check in checks(course) if check.is_required and not check.is_met)


def _of_texts(course: Course) -> list[Check]:
    edit = f"/dashboard/instructor/courses/{course.slug}/edit"
    return [
        Check(
            key="title",
            label=_("Title and category"),
            is_met=bool(course.title.strip()),
            missing=_("a title and a category"),
            href=f"{edit}#id_title",
        ),
        Check(
            key="summary",
            label=_("Summary of at least %d characters") % SUMMARY_LENGTH,
            is_met=len(course.summary.strip()) >= SUMMARY_LENGTH,
            missing=_("a summary of at least %d characters") % SUMMARY_LENGTH,
            href=f"{edit}#id_summary",
        ),
        Check(
            key="outcomes",
            label=_("At least one learning outcome"),
            is_met=bool(course.outcomes),
            missing=_("at least one learning outcome"),
            href=f"{edit}#outcomes",
        ),
        Check(
            key="more_outcomes",
            label=_("Three learning outcomes"),
            is_met=len(course.outcomes) >= GOOD_OUTCOMES,
            is_required=False,
            href=f"{edit}#outcomes",
        ),
        Check(
            key="description",
            label=_("A description"),
            is_met=bool(course.description.strip()),
            is_required=False,
            href=f"{edit}#id_description",
        ),
    ]


_ADVICE: dict[Rule, tuple[str, str | Promise]] = {
    Rule.EMPTY_SECTION: ("sections", gettext_lazy("Empty sections: %s")),
    Rule.DRAW_TOO_LARGE: ("draws", gettext_lazy("Too few questions to draw: %s")),
    Rule.VIDEO_UNREACHABLE: ("external_videos", gettext_lazy("Videos of other sites that don't play: %s")),
    Rule.DEAD_LINK: ("links", gettext_lazy("Dead links: %s")),
    Rule.PICTURE_UNDESCRIBED: ("pictures", gettext_lazy("Pictures without a description: %s")),
    Rule.HEADING_SKIPPED: ("headings", gettext_lazy("Headings that skip a level: %s")),
    Rule.NO_EXPLANATION: ("explanations", gettext_lazy("Questions without an explanation: %s")),
}
"""What is listed only while there is something to do."""


def _of_lessons(course: Course, findings: Sequence[Finding]) -> list[Check]:
    """Group the findings of the course: the same list as on its page, without those that are ignored."""
    by_rule: dict[Rule, list[Finding]] = defaultdict(list)
    for one in findings:
        if not one.is_ignored:
            by_rule[one.rule].append(one)
    lectures = f"/dashboard/instructor/courses/{course.slug}/lectures"
    everything = f"/dashboard/instructor/courses/{course.slug}/findings"
    kinds = list(Lesson.objects.filter(course=course).values_list("kind", "video__has_audio"))
    is_spoken = any(has_audio for _kind, has_audio in kinds)

    def numbers(rule: Rule) -> list[str]:
        return list(dict.fromkeys(one.number for one in by_rule[rule] if one.number))

    def href(rule: Rule) -> str:
        found = by_rule[rule]
        return lectures if not found else found[0].href if len(found) == 1 else everything

    unfinished, empty = numbers(Rule.NO_VIDEO), numbers(Rule.EMPTY_LESSON)
    silent, long_ = numbers(Rule.NO_CAPTIONS), numbers(Rule.LONG_LESSON)
    found = [
        Check(
            key="lessons",
            label=_("At least one lesson"),
            is_met=bool(kinds),
            missing=_("at least one lesson"),
            href=lectures,
        ),
        Check(
            key="videos",
            label=_("Every video is ready"),
            is_met=not unfinished,
            missing=ngettext("a processed video to lesson %s", "processed videos to lessons %s", len(unfinished))
            % _listed(unfinished),
            href=href(Rule.NO_VIDEO),
        ),
        Check(
            key="content",
            label=_("No lesson is empty"),
            is_met=not empty,
            missing=ngettext("content to lesson %s", "content to lessons %s", len(empty)) % _listed(empty),
            href=href(Rule.EMPTY_LESSON),
        ),
        Check(
            key="captions",
            label=_("Captions on every lesson with speech")
            if not silent
            else _("Captions missing in %s") % _listed(silent),
            is_met=not silent,
            is_required=False,
            href=href(Rule.NO_CAPTIONS),
        ),
        Check(
            key="more_lessons",
            label=_("Five lessons, 5 to 15 minutes each") if not long_ else _("Over 15 minutes: %s") % _listed(long_),
            is_met=len(kinds) >= GOOD_LESSONS and not long_,
            is_required=False,
            href=href(Rule.LONG_LESSON),
        ),
    ]
    about = {
        "content": kinds,
        "videos": [kind for kind, _has_audio in kinds if kind == Lesson.Kind.VIDEO],
        "captions": is_spoken,
    }
    advice = [
        Check(
            key=key,
            label=str(label) % (_listed(numbers(rule)) or len(by_rule[rule])),
            is_met=False,
            is_required=False,
            href=href(rule),
        )
        for rule, (key, label) in _ADVICE.items()
        if by_rule[rule]
    ]
    return [*(check for check in found if about.get(check.key, True)), *advice]


def _listed(numbers: list[str]) -> str:
    """1.1, 1.2, 1.3 and 4 more."""
    if len(numbers) <= 4:
        return ", ".join(numbers)
    return _("%(first)s and %(rest)d more") % {"first": ", ".join(numbers[:3]), "rest": len(numbers) - 3}
