"""Questions to begin with. No model is asked for them."""

from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.courses.models import Course, Lesson
from apps.learning.queries.openable import openable_lessons
from apps.tutor.models import Mode, Passage

MOST_HEADINGS = 3
Suggestion = dict[str, str]


def suggestions_for(user: User, course: Course | None, lesson: Lesson | None) -> list[Suggestion]:
    """Return questions about the lesson or the course; without both, about a plan."""
    found: list[Suggestion] = []
    if lesson is not None:
        asked = [
            one if _is_question(one) else _("What does this lesson say about “%(heading)s”?") % {"heading": one}
            for one in _headings(lesson)[:MOST_HEADINGS]
        ]
        found += [{"text": text, "mode": Mode.ASK} for text in asked]
        found.append({"text": _("Summarize “%(lesson)s”") % {"lesson": lesson.title}, "mode": Mode.SUMMARY})
        found.append({"text": _("Quiz me on this lesson"), "mode": Mode.QUIZ})
    elif course is not None:
        opened = openable_lessons(user, course)
        lessons = Lesson.objects.filter(pk__in=opened).exclude(kind=Lesson.Kind.QUIZ)
        titles = lessons.order_by("section__position", "position").values_list("title", flat=True)[:MOST_HEADINGS]
        asked = [_("What is “%(lesson)s” about?") % {"lesson": title} for title in titles]
        found += [{"text": text, "mode": Mode.ASK} for text in asked]
        found.append({"text": _("Quiz me on this course"), "mode": Mode.QUIZ})
    found.append({"text": _("Make a study plan for this week"), "mode": Mode.PLAN})
    return found


def follow_ups_of(lesson: Lesson, cited: set[str]) -> list[str]:
    """Return questions about the headings of a lesson that follow the ``cited`` ones, then those before. One query."""
    headings = _headings(lesson)
    last = max((place for place, one in enumerate(headings) if one in cited), default=-1)
    ordered = [one for one in headings[last + 1 :] + headings[: last + 1] if one not in cited]
    asked = _("What does “%(lesson)s” say about “%(heading)s”?")
    return [
        one if _is_question(one) else asked % {"lesson": lesson.title, "heading": one}
        for one in ordered[:MOST_HEADINGS]
    ]


def _is_question(heading: str) -> bool:
    return heading.rstrip().endswith(("?", "？", "؟", ";"))


def _headings(lesson: Lesson) -> list[str]:
    """Headings of the lesson's text, or chapters of its video."""
    rows = Passage.objects.filter(lesson=lesson).exclude(kind=Passage.Kind.EXPLANATION).exclude(heading="")
    return list(dict.fromkeys(rows.order_by("position").values_list("heading", flat=True)[:200]))
