"""Places of a course that comments are about: how they are named, and what became of them since."""

from uuid import UUID

from django.utils.text import Truncator
from django.utils.translation import gettext as _

from apps.courses.models import Lesson, Question, ReviewThread
from apps.courses.review_places import (
    MAX_PARAGRAPHS,
    SHOWN_QUOTE,
    Choice,
    digest_of,
    digests_in,
    line_of,
    paragraph_value,
    paragraphs_of,
    quote_of,
)
from studyplatform.kit.text import content
from studyplatform.kit.text.durations import clock

Place = ReviewThread.Place


def choices_in(lesson: Lesson) -> list[Choice]:
    """Return the paragraphs of the lesson's text and the questions of its quiz as choices of a form.

    One query for a quiz.
    """
    found = [
        Choice(
            paragraph_value(number, paragraph),
            _("Paragraph %(number)s: %(words)s")
            % {"number": number, "words": Truncator(quote_of(paragraph, content.LESSON)).chars(SHOWN_QUOTE)},
        )
        for number, paragraph in enumerate(paragraphs_of(lesson.body)[:MAX_PARAGRAPHS], 1)
    ]
    if lesson.kind == Lesson.Kind.QUIZ:
        found += [
            Choice(
                f"q{question.uid.hex}",
                _("Question %(number)s: %(words)s")
                % {
                    "number": question.position,
                    "words": Truncator(quote_of(question.prompt, content.PROMPT)).chars(SHOWN_QUOTE),
                },
            )
            for question in lesson.quiz.questions.order_by("position")
        ]
    return found


def name_place(thread: ReviewThread) -> str:
    """Return the place of a thread in words, such as "2.4 at 4:12"."""
    number = thread.lesson_number or thread.lesson_title
    match Place(thread.place):
        case Place.COURSE:
            return _("Course page")
        case Place.SECOND:
            return _("%(lesson)s at %(time)s") % {"lesson": number, "time": clock(thread.second or 0)}
        case Place.PARAGRAPH:
            return _("%(lesson)s, paragraph %(number)s") % {"lesson": number, "number": thread.paragraph}
        case Place.QUESTION:
            return _("%(lesson)s, question “%(words)s”") % {"lesson": number, "words": thread.quote}
        case Place.LESSON:
            return f"{thread.lesson_number} {thread.lesson_title}".strip()


def name_change(thread: ReviewThread, lesson: Lesson | None, questions: dict[UUID, Question]) -> str:
    """Return what became of the place of a thread since; empty if it is as it was."""
    if thread.place == Place.COURSE:
        return ""
    if lesson is None:
        return _("The lesson “%(title)s” was deleted since.") % {"title": thread.lesson_title}
    match Place(thread.place):
        case Place.SECOND:
            length = lesson.video.duration if lesson.video else lesson.duration
            if lesson.kind != Lesson.Kind.VIDEO or not (lesson.video or lesson.external_video):
                return _("The lesson has no video any longer.")
            if length and (thread.second or 0) > length:
                return _("The video was replaced since. It ends at %(time)s.") % {"time": clock(length)}
        case Place.PARAGRAPH if thread.digest not in digests_in(lesson.body):
            return _("This paragraph was changed since: “%(words)s”") % {"words": thread.quote}
        case Place.QUESTION if thread.question_uid:
            question = questions.get(thread.question_uid)
            if question is None:
                return _("This question was deleted since.")
            if digest_of(question.prompt) != thread.digest:
                return _("This question was changed since.")
    return ""


def anchor_of(thread: ReviewThread, lesson: Lesson | None, questions: dict[UUID, Question]) -> str:
    """Return what leads from the address of the lesson in the studio to the place of a thread within it."""
    if lesson is not None and thread.place == Place.PARAGRAPH and (line := line_of(lesson.body, thread.digest)):
        return f"?line={line}#id_body"
    if thread.question_uid and (question := questions.get(thread.question_uid)):
        return f"/questions/{question.uid}"
    return "#panel"
