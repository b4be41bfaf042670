"""Findings in the texts of a course and in the addresses that it links or plays."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from urllib.parse import urlsplit

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext as _

from apps.courses.external_video import stored_video
from apps.courses.findings.rules import Finding, Rule, finding
from apps.courses.findings.texts import Spot, read_text
from apps.courses.link_checker import digest_of
from apps.courses.models import Course, Lesson, LinkCheck, Question
from apps.courses.queries.internal_links import find_dead_links
from apps.courses.queries.texts import texts_of_course_page, texts_of_lesson, texts_of_question


class CourseText:
    """A text of the course, and how to open it."""

    def __init__(self, text: str, place: str, href: str, lesson: str = "", number: str = "") -> None:
        self.text, self.place, self.lesson, self.number = text, place, lesson, number
        self._href = href

    def href(self, line: int) -> str:
        page, _sharp, anchor = self._href.partition("#")
        return f"{page}?line={line}#{anchor}"


def lesson_page(course: Course, lesson: Lesson) -> str:
    """Return the studio's page of a lesson."""
    return reverse("courses:studio-lesson", args=[course.slug, lesson.slug])


def lesson_names(lesson: Lesson | None) -> dict[str, str]:
    """Return what a finding calls a lesson; None stands for the question bank."""
    if lesson is None:
        return {"lesson": _("Question bank")}
    return {"number": lesson.number, "lesson": f"{lesson.number} {lesson.title}".strip()}


def question_page(course: Course, question: Question) -> str:
    """Return the studio's page of a question, in its quiz or in the bank."""
    lesson = question.quiz.lesson
    if lesson is None:
        return reverse("courses:studio-bank-question", args=[course.slug, question.uid])
    return reverse("courses:studio-question", args=[course.slug, lesson.slug, question.uid])


def texts_of(course: Course, lessons: Iterable[Lesson], questions: Iterable[Question]) -> Iterator[CourseText]:
    """Yield every text in Markdown that learners of the course read."""
    edit = reverse("courses:studio-edit", args=[course.slug])
    for field, text in texts_of_course_page(course):
        yield CourseText(text, f"course:{field}", f"{edit}#id_{field}")
    for lesson in lessons:
        page = lesson_page(course, lesson)
        for field, text in texts_of_lesson(lesson):
            yield CourseText(text, f"lesson:{lesson.tree_uid}:{field}", f"{page}#id_{field}", **lesson_names(lesson))
    for question in questions:
        page, names = question_page(course, question), lesson_names(question.quiz.lesson)
        for field, text in texts_of_question(question):
            if field == "answer":
                continue  # what is compared with answers, not Markdown
            anchor = f"id_{field}" if field in {"prompt", "explanation"} else "question"
            yield CourseText(text, f"question:{question.tree_uid}:{field}", f"{page}#{anchor}", **names)


def find_in_texts(texts: Iterator[CourseText], lessons: Sequence[Lesson], course: Course) -> Iterator[Finding]:
    """Yield the findings of texts, and of addresses that they link or lessons play. At most four queries."""
    links: dict[str, list[tuple[CourseText, Spot]]] = defaultdict(list)
    for text in texts:
        facts = read_text(text.text)
        for spot in facts.pictures:
            message = _("Line %(line)d shows a picture without a description.") % {"line": spot.line}
            yield _at(Rule.PICTURE_UNDESCRIBED, text, spot, message)
        for spot in facts.headings:
            message = _("Line %(line)d: “%(heading)s” is more than one level below the heading before it.") % {
                "line": spot.line,
                "heading": spot.quote,
            }
            yield _at(Rule.HEADING_SKIPPED, text, spot, message)
        for spot in facts.links:
            links[spot.quote].append((text, spot))
    for address in find_dead_links([one for one in links if not is_external(one)], course):
        for text, spot in links[address]:
            message = _("Line %(line)d: %(address)s doesn't exist on this site.")
            yield _at(Rule.DEAD_LINK, text, spot, message % {"line": spot.line, "address": address})
    yield from _of_external_addresses(links, lessons, course)


def _of_external_addresses(
    links: dict[str, list[tuple[CourseText, Spot]]], lessons: Sequence[Lesson], course: Course
) -> Iterator[Finding]:
    played = {lesson.external_video: lesson for lesson in lessons if lesson.external_video}
    digests = [digest_of(one) for one in {*links, *played} if one in played or is_external(one)]
    bad = {LinkCheck.State.DEAD, LinkCheck.State.UNSURE}
    checks = {one.address: one for one in LinkCheck.objects.filter(digest__in=digests, state__in=bad)}
    for address, check in checks.items():
        is_dead = check.state == LinkCheck.State.DEAD
        for text, spot in links.get(address, ()):
            message = _("Line %(line)d: %(address)s. %(detail)s") % {
                "line": spot.line,
                "address": address,
                "detail": check.detail,
            }
            yield _at(Rule.DEAD_LINK if is_dead else Rule.UNCHECKED_LINK, text, spot, message.strip())
    for lesson in lessons:
        played_check = checks.get(lesson.external_video)
        problem = ""
        if lesson.external_video and stored_video(lesson.external_video) is None:
            problem = _("This site no longer shows videos from this host.")
        elif played_check is not None and played_check.state == LinkCheck.State.DEAD:
            problem = played_check.detail
        if problem:
            yield finding(
                Rule.VIDEO_UNREACHABLE,
                place=f"lesson:{lesson.tree_uid}",
                about=f"{lesson.external_video} {problem}",
                message=problem,
                href=f"{lesson_page(course, lesson)}#external",
                **lesson_names(lesson),
            )


def _at(rule: Rule, text: CourseText, spot: Spot, message: str) -> Finding:
    return finding(
        rule,
        place=text.place,
        about=spot.quote,
        message=message,
        href=text.href(spot.line),
        lesson=text.lesson,
        number=text.number,
        line=spot.line,
    )


def is_external(address: str) -> bool:
    """Return whether an address is that of another website."""
    try:
        parts = urlsplit(address)
        own = urlsplit(settings.SITE_URL).hostname
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and parts.hostname is not None and parts.hostname != own
