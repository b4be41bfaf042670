"""Requests that a person chooses in their assistant. They name the tools to use, so that answers are from the courses.

The words are for the model: they are not translated.
"""

from collections.abc import Mapping

from django.utils.translation import gettext_lazy as _

from apps.accounts.models import Scope
from apps.learning.queries.lessons import find_course, lesson_named
from apps.tutor.mcp.addresses import lesson_name
from apps.tutor.mcp.callers import Caller
from apps.tutor.mcp.completing import complete_course, complete_lesson
from studyplatform.kit.mcp.service import Argument, Prompt
from studyplatform.kit.policies import enforce

_LESSON = Argument[Caller](
    name="lesson", description=_("A lesson you can open, as course/lesson."), complete=complete_lesson
)
_COURSE = Argument[Caller](
    name="course", description=_("One of your courses. Without it: all of them."), is_required=False,
    max_length=200, complete=complete_course,
)  # fmt: skip
_CITE = "Cite the lesson and the time in its transcript, and say so if my courses don't answer it."


def _summarize(caller: Caller, given: Mapping[str, str]) -> str:
    name = _name_of(caller, given["lesson"])
    return (
        f"Read the lesson {name} with get_lesson to its end, and summarize it in at most seven points, in its order. "
        "Use only what it says, and name the time of each point."
    )


def _quiz(caller: Caller, given: Mapping[str, str]) -> str:
    name = _name_of(caller, given["lesson"])
    return (
        f"Read the lesson {name} with get_lesson, and ask me five questions about it, one at a time, from easy to "
        "hard. Wait for each answer, then say what was right and where in the lesson it is."
    )


def _explain(caller: Caller, given: Mapping[str, str]) -> str:
    within = _within(caller, given)
    return (
        f"Explain this to me, with an example: {given['topic']}\n\nFirst look it up with ask_tutor{within}, and read "
        f"the lessons it names with get_lesson. {_CITE}"
    )


def _plan(caller: Caller, given: Mapping[str, str]) -> str:
    return (
        f"Plan my next week of study. Look at my progress with list_progress{_within(caller, given)}, and give me a "
        "list of days with the lessons to take, by their titles, and about how long each takes."
    )


def _within(caller: Caller, given: Mapping[str, str]) -> str:
    if "course" not in given:
        return ""
    return f" in the course {find_course(caller.user, given['course'])[0].slug}"


def _name_of(caller: Caller, name: str) -> str:
    """The lesson's name, if the user may open it."""
    opened = lesson_named(caller.user, name)
    enforce(opened.verdict)
    return lesson_name(opened.course.slug, opened.lesson.slug)


PROMPTS = (
    Prompt[Caller](
        name="summarize_lesson",
        title=_("Summarize a lesson"),
        description=_("The main points of a lesson, with their times."),
        write=_summarize,
        arguments=(_LESSON,),
        scope=Scope.READ_COURSES,
    ),
    Prompt[Caller](
        name="quiz_me",
        title=_("Quiz me"),
        description=_("Five questions about a lesson, one at a time."),
        write=_quiz,
        arguments=(_LESSON,),
        scope=Scope.READ_COURSES,
    ),
    Prompt[Caller](
        name="explain",
        title=_("Explain"),
        description=_("Explain something from your courses, with an example."),
        write=_explain,
        arguments=(
            Argument(name="topic", description=_("What to explain."), max_length=1000),
            _COURSE,
        ),
        scope=Scope.ASK,
    ),
    Prompt[Caller](
        name="plan_week",
        title=_("Plan my week"),
        description=_("A study plan from your progress."),
        write=_plan,
        arguments=(_COURSE,),
        scope=Scope.READ_PROGRESS,
    ),
)
