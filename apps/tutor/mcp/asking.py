"""The tool that asks the tutor."""

from typing import Any

from django.utils.translation import gettext_lazy as _

from apps.accounts.models import Scope
from apps.learning.queries.addresses import lesson_url
from apps.learning.queries.lessons import find_course
from apps.tutor import policies, services
from apps.tutor.errors import ContentFiltered, QuestionNotUnderstood
from apps.tutor.filters import are_unrelated, check_attempts, is_about_no_course, is_wordless
from apps.tutor.mcp.addresses import absolute, lesson_name
from apps.tutor.mcp.callers import Caller
from apps.tutor.models import MOST_QUESTION
from studyplatform.kit.mcp.service import Answer, Tool
from studyplatform.kit.policies import enforce


def ask_tutor(caller: Caller, arguments: dict[str, Any]) -> Answer:
    """The tutor's answer, from the lessons that the user may open, with the passages that it cites."""
    course = find_course(caller.user, arguments["course"])[0] if "course" in arguments else None
    enforce(policies.ask_about(course))
    check_attempts(caller.user, arguments["question"])
    if is_wordless(arguments["question"]):
        raise QuestionNotUnderstood
    services.count_question(user=caller.user, course_id=course.pk if course else None, now=caller.now)
    answer, found = services.ask(user=caller.user, question=arguments["question"], course=course)
    if are_unrelated(found) or is_about_no_course(arguments["question"], found):
        raise ContentFiltered
    cited = [
        {
            "number": number,
            "lesson": lesson_name(one.passage.course.slug, one.passage.lesson.slug),
            "title": one.passage.lesson.title,
            "course": one.passage.course.title,
            "second": None if one.second is None else int(one.second),
            "text": one.text,
            "url": absolute(
                lesson_url(
                    one.passage.course.slug,
                    one.passage.lesson.slug,
                    at=None if one.second is None else int(one.second),
                )
            ),
        }
        for number, one in enumerate(answer.cited, start=1)
    ]
    sources = [f"[{one['number']}] {one['course']}, {one['title']}: {one['url']}" for one in cited]
    return Answer(
        data={
            "answer": answer.text,
            "is_declined": answer.is_declined,
            "certainty": answer.certainty.value,
            "cited": cited,
        },
        text="\n\n".join([answer.text, *sources]),
    )


ASK_TUTOR = Tool[Caller](
    name="ask_tutor",
    title=_("Ask the tutor"),
    description=_(
        "Ask a question about the courses. The answer comes from lessons the user can open, with the lesson and the "
        "second of each passage it cites. The tutor says so if it finds nothing."
    ),
    summary=_("An answer from your courses, with its sources"),
    run=ask_tutor,
    arguments={
        "question": {"type": "string", "minLength": 1, "maxLength": MOST_QUESTION, "pattern": r"\S"},
        "course": {
            "type": "string",
            "maxLength": 200,
            "pattern": r"^[\w-]+$",
            "description": "The slug of a course. Without it: all courses of the user.",
        },
    },
    required=("question",),
    scope=Scope.ASK,
    reads_only=True,
)
