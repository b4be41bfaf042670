"""What a posted form of the question builder asks for: saving, or another look at itself."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, QueryDict

from apps.courses.models import Course, Question
from apps.courses.pages.panel import question_context
from apps.courses.question_forms import QuestionForm, answers_of
from apps.courses.services.question_drafts import change_lines, preview_question

_OTHER_BUTTONS = {"more", "rekind", "act", "preview"}


@dataclass
class QuestionEditing:
    """The form of a question with what was typed. ``is_saving``: its author wants to save it."""

    form: QuestionForm
    is_saving: bool
    context: dict[str, Any]


def read_editing(
    request: HttpRequest, course: Course, found: Question | None, kind: str, initial: dict[str, Any]
) -> QuestionEditing:
    """Read the request: "more" adds lines, "rekind" shows the fields of another kind, "act" moves or removes a line."""
    is_posted = request.method == "POST"
    is_saving = is_posted and not _OTHER_BUTTONS & request.POST.keys()
    data: QueryDict | None = request.POST if is_posted else None
    if data is not None and "act" in data:
        data = change_lines(data, data.get("act", ""))
    form = QuestionForm(data, course=course, initial=initial)
    typed = answers_of(data) if data is not None else None
    prompt = data.get("prompt", "") if data is not None else found.prompt if found else ""
    preview, problem = preview_question(course, data) if data is not None else (found, "")
    context: dict[str, Any] = {
        **question_context(found, typed, prompt=prompt, more=3 if is_posted and "more" in request.POST else 0),
        "question_form": form,
        "question_kind": kind,
        "show_errors": is_saving,
        "preview": preview,
        "preview_problem": "" if is_saving else problem,
    }
    return QuestionEditing(form, is_saving, context)
