"""Questions to begin with. No model is asked for them."""

from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.courses.models import Course, Lesson
from apps.learning.queries.my_learning import enrollments_of, with_resume
from apps.learning.queries.openable import openable_lessons
from apps.tutor.models import Mode, Passage
from studyplatform.kit.extensions import help_topics

MAX_QUESTIONS = 3
Suggestion = dict[str, str]


def suggestions_for(user: User, course: Course | None, lesson: Lesson | None) -> list[Suggestion]:
    """Return questions about the lesson, about the course, or about the courses that the learner studies.

    Of a learner without courses: what they may ask about the site. At most twelve queries.
    """
    if lesson is not None:
        return [
            *({"text": _ask_about(one), "mode": Mode.ASK} for one in _headings(lesson)[:MAX_QUESTIONS]),
            {"text": _("Summarize “%(lesson)s”") % {"lesson": lesson.title}, "mode": Mode.SUMMARY},
            {"text": _("Quiz me on this lesson"), "mode": Mode.QUIZ},
        ]
    plan = {"text": _("Make a study plan for this week"), "mode": Mode.PLAN}
    if course is not None:
        titles = _titles_of(user, course)
        return [*map(_about_lesson, titles), {"text": _("Quiz me on this course"), "mode": Mode.QUIZ}, plan]
    studied = with_resume([one for one in enrollments_of(user) if one.completed_at is None][:MAX_QUESTIONS])
    titles = [one.resume.title for one in studied if one.resume is not None and one.resume.kind != Lesson.Kind.QUIZ]
    if studied:
        return [*map(_about_lesson, titles), plan]
    asked = [str(topic.offered) for topic in help_topics.ordered() if topic.offered]
    return [{"text": one, "mode": Mode.ASK} for one in asked[:MAX_QUESTIONS]]


def _titles_of(user: User, course: Course) -> list[str]:
    """The titles of lessons in the course, from the one to continue with."""
    opened = openable_lessons(user, course)
    lessons = Lesson.objects.filter(pk__in=opened).exclude(kind=Lesson.Kind.QUIZ)
    rows = list(lessons.order_by("section__position", "position").values_list("pk", "title"))
    mine = with_resume([one for one in enrollments_of(user) if one.course_id == course.pk])
    resume = next((one.resume.pk for one in mine if one.resume is not None), None)
    first = next((place for place, (pk, _title) in enumerate(rows) if pk == resume), 0)
    first = max(0, min(first, len(rows) - MAX_QUESTIONS))
    return [title for _pk, title in rows[first : first + MAX_QUESTIONS]]


def _about_lesson(title: str) -> Suggestion:
    return {"text": _("What is “%(lesson)s” about?") % {"lesson": title}, "mode": Mode.ASK}


def _ask_about(heading: str) -> str:
    if _is_question(heading):
        return heading
    return _("What does this lesson say about “%(heading)s”?") % {"heading": heading}


def follow_ups_of(lesson: Lesson, cited: set[str]) -> list[str]:
    """Return questions about the headings of a lesson that follow the ``cited`` ones, then those before. One query."""
    headings = _headings(lesson)
    last = max((place for place, one in enumerate(headings) if one in cited), default=-1)
    ordered = [one for one in headings[last + 1 :] + headings[: last + 1] if one not in cited]
    asked = _("What does “%(lesson)s” say about “%(heading)s”?")
    return [
        one if _is_question(one) else asked % {"lesson": lesson.title, "heading": one}
        for one in ordered[:MAX_QUESTIONS]
    ]


def _is_question(heading: str) -> bool:
    return heading.rstrip().endswith(("?", "？", "؟", ";"))


def _headings(lesson: Lesson) -> list[str]:
    """Headings of the lesson's text, or chapters of its video."""
    rows = Passage.objects.filter(lesson=lesson).exclude(kind=Passage.Kind.EXPLANATION).exclude(heading="")
    return list(dict.fromkeys(rows.order_by("position").values_list("heading", flat=True)[:200]))
