"""Everything that the studio has to say about a course: one list for its page, the wizard, the review and the command.

A course of any size costs the same number of queries; its texts are read once and remembered by their digests.
"""

from collections.abc import Iterable, Iterator, Sequence

from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce
from django.urls import reverse
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.courses.findings.rules import LONG_LESSON, Rule, finding
from apps.courses.findings.rules import Finding as Finding  # pages of the frame name it
from apps.courses.findings.texts import read_text
from apps.courses.models import Course, IgnoredFinding, Lesson, Question, QuizDraw, Section
from apps.courses.queries.text_findings import (
    find_in_texts,
    is_external,
    lesson_names,
    lesson_page,
    question_page,
    texts_of,
)
from apps.files.models import CaptionTrack, VideoAsset
from studyplatform.kit.text.content import PROMPT, plain_text
from studyplatform.kit.text.durations import clock
from studyplatform.kit.text.gaps import blank_gaps

Kind = Lesson.Kind


def find_all(course: Course) -> list[Finding]:
    """Return every finding of lessons, questions and texts of the course, what is required first.

    What its authors ignore says so. At most 14 queries.
    """
    lessons = list(_lessons(course))
    questions = _questions(Q(quiz__lesson__course=course, quiz__lesson__removed_at=None) | Q(quiz__course=course))
    found = [
        *_of_sections(course),
        *(one for lesson in lessons for one in _of_lesson(course, lesson)),
        *_of_draws(course, questions),
        *(one for question in questions for one in _of_question(course, question)),
        *find_in_texts(texts_of(course, lessons, questions), lessons, course),
    ]
    return _in_order(course, found)


def find_in_lesson(lesson: Lesson) -> list[Finding]:
    """Return those of the same findings that are about one lesson, without the ones that are ignored.

    At most 10 queries.
    """
    course = lesson.course
    lessons = list(_lessons(course).filter(pk=lesson.pk))
    is_quiz = lesson.kind == Kind.QUIZ
    own = _questions(Q(quiz__lesson=lesson)) if is_quiz else []
    bank = (
        _questions(Q(quiz__course=course)) if is_quiz and QuizDraw.objects.filter(quiz__lesson=lesson).exists() else []
    )
    texts = (one for one in texts_of(course, lessons, own) if one.lesson)  # not those of the course page
    found = [
        *(one for each in lessons for one in _of_lesson(course, each)),
        *(_of_draws(course, bank, lesson) if is_quiz else ()),
        *(one for question in own for one in _of_question(course, question)),
        *find_in_texts(texts, lessons, course),
    ]
    return [one for one in _in_order(course, found) if not one.is_ignored]


def _questions(of: Q) -> list[Question]:
    found = Question.objects.filter(of, is_withdrawn=False).select_related("quiz__lesson").prefetch_related("tags")
    return list(found.order_by("quiz", "position"))


def _in_order(course: Course, found: Iterable[Finding]) -> list[Finding]:
    """Put what is required first, each once, and say what is ignored."""
    found = list(found)
    if not found:
        return []
    reasons = dict(IgnoredFinding.objects.filter(course=course.live_id).values_list("key", "reason"))
    order = {rule: place for place, rule in enumerate(Rule)}
    first: dict[str, Finding] = {}
    for one in found:
        first.setdefault(one.key, one)
    found = [one.ignored(reasons.get(key, "")) for key, one in first.items()]
    return sorted(found, key=lambda one: (one.is_ignored, not one.is_required, order[one.rule]))


def addresses_of(course: Course) -> list[str]:
    """Return the addresses of other sites that the course links or plays, each once."""
    lessons = list(_lessons(course))
    questions = list(
        Question.objects.filter(
            Q(quiz__lesson__course=course, quiz__lesson__removed_at=None) | Q(quiz__course=course)
        ).select_related("quiz__lesson")
    )
    linked = [
        spot.quote
        for text in texts_of(course, lessons, questions)
        for spot in read_text(text.text).links
        if is_external(spot.quote)
    ]
    return list(dict.fromkeys([*linked, *(lesson.external_video for lesson in lessons if lesson.external_video)]))


def count_contents(lessons: QuerySet[Lesson]) -> QuerySet[Lesson]:
    """Add what findings of lessons ask for: ``question_count`` and ``has_captions``, and their videos."""
    captioned = CaptionTrack.objects.filter(video=OuterRef("video"))
    counted = Q(quiz__questions__is_withdrawn=False, quiz__questions__removed_at=None)
    return (
        lessons.annotate(
            question_count=Count("quiz__questions", filter=counted) + Coalesce("quiz__bank_count", 0),
            has_captions=Exists(captioned),
        )
        .select_related("video")
        .defer("video__facts")
    )


def find_advice(course: Course, lessons: Iterable[Lesson]) -> dict[int, list[Finding]]:
    """Return by primary key what can be better in each of these lessons itself, without what is ignored.

    Their questions and texts aren't read, so it is cheap: one query if there is something, otherwise none. The lessons
    have passed ``count_contents``.
    """
    found = {
        lesson.pk: advice
        for lesson in lessons
        if (advice := [one for one in _of_lesson(course, lesson) if not one.is_required])
    }
    if not found:
        return {}
    ignored = set(IgnoredFinding.objects.filter(course=course.live_id).values_list("key", flat=True))
    return {pk: [one for one in advice if one.key not in ignored] for pk, advice in found.items()}


def _lessons(course: Course) -> QuerySet[Lesson]:
    lessons = Lesson.objects.filter(course=course).select_related("quiz").order_by("section__position", "position")
    return count_contents(lessons)


def _of_sections(course: Course) -> Iterator[Finding]:
    lectures = reverse("courses:studio-lectures", args=[course.slug])
    empty = Exists(Lesson.objects.filter(section=OuterRef("pk")))
    for section in Section.objects.filter(course=course).exclude(empty).order_by("position"):
        yield finding(
            Rule.EMPTY_SECTION,
            place=f"section:{section.tree_uid}",
            about=section.title,
            message=_("Section %(number)d “%(title)s” has no lessons.")
            % {"number": section.position, "title": section.title},
            href=f"{lectures}?section={section.uid}#s-{section.uid}",
        )


def _of_lesson(course: Course, lesson: Lesson) -> Iterator[Finding]:
    page = lesson_page(course, lesson)
    shared = {"place": f"lesson:{lesson.tree_uid}", **lesson_names(lesson)}
    if lesson.kind == Kind.VIDEO:
        if (problem := video_problem(lesson)) and not lesson.external_video:
            yield finding(Rule.NO_VIDEO, about=problem, message=problem, href=f"{page}#video", **shared)
        if lesson.video and lesson.video.has_audio and not lesson.has_captions:  # type: ignore[attr-defined]
            message = _("The video has speech or sound, but no captions.")
            about = str(lesson.video.uid)
            yield finding(Rule.NO_CAPTIONS, about=about, message=message, href=f"{page}#captions", **shared)
        if lesson.duration > LONG_LESSON:
            message = _("The video is %(length)s long.") % {"length": clock(lesson.duration)}
            about = str(lesson.duration)
            yield finding(Rule.LONG_LESSON, about=about, message=message, href=f"{page}#video", **shared)
    elif is_empty(lesson):
        words = {
            Kind.TEXT: (_("The lesson has no text."), "id_body"),
            Kind.QUIZ: (_("The quiz has no questions."), "questions"),
            Kind.FILE: (_("The lesson has no file."), "file"),
        }
        message, anchor = words[Kind(lesson.kind)]
        yield finding(Rule.EMPTY_LESSON, about="", message=message, href=f"{page}#{anchor}", **shared)


def video_problem(lesson: Lesson) -> str:
    """Return why a video lesson has nothing to watch, as a sentence; "" if it has. Its video is loaded."""
    if lesson.external_video:
        return ""
    if lesson.video is None:
        return _("The lesson has no video.")
    if lesson.video.stage == VideoAsset.Stage.FAILED:
        return _("The video couldn't be processed.")
    return _("The video is still being processed.") if lesson.video.stage != VideoAsset.Stage.COMPLETE else ""


def is_empty(lesson: Lesson) -> bool:
    """Return whether a text, quiz or file lesson has nothing in it. Quizzes need ``question_count``."""
    match lesson.kind:
        case Kind.TEXT:
            return not lesson.body.strip()
        case Kind.QUIZ:
            return not lesson.question_count  # type: ignore[attr-defined]
        case Kind.FILE:
            return lesson.file_id is None
    return False


def _of_question(course: Course, question: Question) -> Iterator[Finding]:
    if question.explanation.strip() or question.kind == Question.Kind.ESSAY:
        return
    yield finding(
        Rule.NO_EXPLANATION,
        place=f"question:{question.tree_uid}",
        about=question.prompt,
        message=_("“%(prompt)s” has no explanation.")
        % {"prompt": Truncator(plain_text(blank_gaps(question.prompt), PROMPT)).chars(80)},
        href=f"{question_page(course, question)}#id_explanation",
        **lesson_names(question.quiz.lesson),
    )


def _of_draws(course: Course, questions: Sequence[Question], lesson: Lesson | None = None) -> Iterator[Finding]:
    """Yield draws that find too few questions, of all quizzes or of one. ``questions`` include those of the bank."""
    bank = [question for question in questions if question.quiz.course_id == course.pk]
    tags = {question.pk: {tag.pk for tag in question.tags.all()} for question in bank}
    draws = QuizDraw.objects.filter(quiz__lesson__course=course, quiz__lesson__removed_at=None)
    if lesson is not None:
        draws = draws.filter(quiz__lesson=lesson)
    for draw in draws.select_related("quiz__lesson").prefetch_related("tags").order_by("quiz", "position"):
        wanted = {tag.pk for tag in draw.tags.all()}
        if draw.question_id is not None:
            available = int(draw.question_id in tags)
        else:
            available = sum(wanted <= has for has in tags.values())
        if available >= draw.count:
            continue
        lesson = draw.quiz.lesson
        message = ngettext(
            "The quiz draws %(count)d question, but the bank has %(available)d.",
            "The quiz draws %(count)d questions, but the bank has %(available)d.",
            draw.count,
        )
        yield finding(
            Rule.DRAW_TOO_LARGE,
            place=f"draw:{draw.tree_uid}",
            about=f"{draw.count} of {available}",
            message=message % {"count": draw.count, "available": available},
            href=f"{lesson_page(course, lesson)}#draws",
            **lesson_names(lesson),
        )
