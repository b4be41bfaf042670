"""What learners ask about their courses and the site, and the answers (kit/extensions.py)."""

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from apps.learning.models import Certificate, LessonProgress
from apps.learning.outline import Entry
from apps.learning.queries.addresses import lesson_url
from apps.learning.queries.my_learning import MyCourse, enrollments_of, with_resume
from apps.learning.queries.outline import outlines_of
from studyplatform.kit.extensions import HelpTopic, help_topics
from studyplatform.kit.text.escaping import escape_markdown

MAX_COURSES_IN_ANSWER = 5


def _certificates(user: Any) -> str:
    rows = Certificate.objects.filter(enrollment__user=user).order_by("-issued_at")[:MAX_COURSES_IN_ANSWER]
    rule = _("You get a certificate when you complete every lesson of a course. You can download it as a PDF.")
    if not rows:
        return rule + " " + _("Your progress is under [My Learning](/me/enrollments).")
    links = [f"- [{escape_markdown(one.course_title)}](/certificates/{one.code})" for one in rows]
    return "\n\n".join([rule, _("Your certificates:"), "\n".join(links)])


def _progress(user: Any) -> str:
    rows = with_resume(enrollments_of(user)[:MAX_COURSES_IN_ANSWER])
    if not rows:
        return _("You haven't enrolled in a course yet. [Find a course](/courses/)")
    return "\n\n".join([_("Your courses:"), "\n".join(map(_standing, rows)), _("[See your progress](/me/enrollments)")])


def _standing(one: MyCourse) -> str:
    course = one.enrollment.course
    line = _("**%(course)s**: %(percent)d%% complete") % {
        "course": escape_markdown(course.title),
        "percent": one.enrollment.percent,
    }
    if one.resume is None or one.enrollment.completed_at is not None:
        return f"- {line}"
    following = _("next: [%(lesson)s](%(url)s)") % {"lesson": escape_markdown(one.resume.title), "url": one.resume_url}
    return f"- {line}, {following}"


def _next_quizzes(user: Any) -> str:
    rows = [one for one in enrollments_of(user) if one.completed_at is None][:MAX_COURSES_IN_ANSWER]
    outlines = outlines_of(one.course for one in rows)
    done = set(
        LessonProgress.objects.filter(enrollment__in=rows, completed_at__isnull=False).values_list(
            "lesson_id", flat=True
        )
    )
    found = []
    for one in rows:
        quiz = _first_quiz(outlines[one.course_id], done)
        if quiz is not None:
            link = f"[{escape_markdown(quiz.title)}]({lesson_url(one.course.slug, quiz.slug)})"
            found.append(f"- **{escape_markdown(one.course.title)}**: {link}")
    if not found:
        return _("You have no quiz to pass in the courses you're taking.")
    rule = _("Quizzes have no dates: you take them when you reach them. These come next:")
    return "\n\n".join([rule, "\n".join(found)])


def _first_quiz(outline: Any, done: set[int]) -> Entry | None:
    return next((one for one in outline.entries if one.kind == "quiz" and one.pk not in done), None)


def _retake(user: Any) -> str:
    return _(
        "Open the quiz and choose “Start the quiz” again, if it allows more attempts. Your best result "
        "counts. [How quizzes work](/help/learning)"
    )


def _goals(user: Any) -> str:
    minutes = user.daily_minutes
    if not minutes:
        return _("You have no daily goal. Set one under [Settings, Goals](/settings/goals).")
    return ngettext(
        "Your daily goal is %(num)d minute. Change it under [Settings, Goals](/settings/goals).",
        "Your daily goal is %(num)d minutes. Change it under [Settings, Goals](/settings/goals).",
        minutes,
    ) % {"num": minutes}


def _notes(user: Any) -> str:
    return _(
        "Press T in a lesson to write a note, and B in a video to mark a moment. The notes of a course are on"
        " its progress page, under [My Learning](/me/enrollments)."
    )


def _completing(user: Any) -> str:
    return _(
        "A video is complete when you've watched 90% of it, a text when you've read it to the end or marked "
        "it as complete, a file when you've downloaded it, and a quiz when you've passed it. [How learning "
        "works](/help/learning)"
    )


for name, questions, answer in (
    (
        "certificates",
        (
            gettext_lazy("How do I download my certificate?"),
            gettext_lazy("Where is my certificate?"),
            gettext_lazy("When do I get a certificate for the course?"),
        ),
        _certificates,
    ),
    (
        "progress",
        (
            gettext_lazy("How far am I in my course?"),
            gettext_lazy("What is my progress?"),
            gettext_lazy("Which courses am I enrolled in?"),
            gettext_lazy("Where did I stop last time?"),
        ),
        _progress,
    ),
    (
        "next_quiz",
        (
            gettext_lazy("When is my next quiz?"),
            gettext_lazy("When is the exam?"),
            gettext_lazy("What is the deadline for the test?"),
            gettext_lazy("Which quizzes do I still have to pass?"),
        ),
        _next_quizzes,
    ),
    (
        "retake",
        (
            gettext_lazy("Can I retake a quiz?"),
            gettext_lazy("How many attempts do I have for a quiz?"),
            gettext_lazy("I failed the quiz, can I try again?"),
        ),
        _retake,
    ),
    ("goals", (gettext_lazy("How do I change my daily goal?"), gettext_lazy("How long is my streak?")), _goals),
    ("notes", (gettext_lazy("Where are my notes?"), gettext_lazy("How do I take notes or bookmark a moment?")), _notes),
    (
        "completing",
        (
            gettext_lazy("How do I mark a lesson as complete?"),
            gettext_lazy("When does a video or a lesson count as complete?"),
            gettext_lazy("Why is my lesson not marked as complete?"),
            gettext_lazy("Why is the next lesson locked?"),
        ),
        _completing,
    ),
):
    offered = gettext_lazy("When do I get a certificate for the course?") if name == "certificates" else ""
    help_topics.register(f"learning.{name}", HelpTopic(questions=questions, answer=answer, offered=offered))
