"""Notifications about courses: to learners, and to instructors about reviews."""

from functools import partial

from django.utils.translation import gettext_lazy as _

from apps.accounts import services
from apps.accounts.models import User
from apps.learning.exception_words import ExceptionNotice

_learning = partial(services.Kind, group="learning")

ENROLLED = services.register_kind(
    _learning(
        name="learning.enrolled",
        title=_("Enrollment confirmations"),
        headline=_("You are enrolled in “%(course)s”"),
        text=_("Your place is saved on every device."),
        action=_("Start learning"),
        icon="book-open",
        mail=services.Mail.OFF,
    )
)
MILESTONE = services.register_kind(
    _learning(
        name="learning.milestone",
        title=_("Milestones"),
        headline=_("%(percent)s%% of “%(course)s” is complete"),
        text=_("You've completed %(done)s of its %(total)s lessons."),
        action=_("See your progress"),
        icon="flag",
        hint=_("At 25, 50 and 75 percent of a course."),
        mail=services.Mail.OFF,
    )
)
NEW_LESSON = services.register_kind(
    _learning(
        name="learning.new_lesson",
        title=_("New lessons in your courses"),
        headline=_("New in “%(course)s”: %(lesson)s"),
        text=_("A lesson was added to a course you are enrolled in."),
        action=_("Open the lesson"),
        icon="book-open",
        mail=services.Mail.DIGEST,
    )
)
NEW_VERSION = services.register_kind(
    _learning(
        name="learning.new_version",
        title=_("New versions of your courses"),
        headline=_("“%(course)s” has a new version"),
        text=_("The course was changed, and what you completed stays completed."),
        quote="note",
        action=_("Open the course"),
        icon="book-open",
        mail=services.Mail.DIGEST,
    )
)
LESSON_OPENED = services.register_kind(
    _learning(
        name="learning.lesson_opened",
        title=_("Lessons that open on a date"),
        headline=_("Now open in %(course)s: %(lesson)s"),
        text=_("You can start learning now."),
        action=_("Start learning"),
        icon="book-open",
        hint=_("At most once a day."),
    )
)
CERTIFICATE = services.register_kind(
    _learning(
        name="learning.certificate",
        title=_("Certificates"),
        headline=_("Your certificate for “%(course)s” is ready"),
        text=_("You completed the course. Anyone with the code can verify your certificate."),
        action=_("See the certificate"),
        icon="award",
    )
)
CERTIFICATE_REVOKED = services.register_kind(
    _learning(
        name="learning.certificate_revoked",
        title=_("Revoked certificates"),
        headline=_("Your certificate for “%(course)s” was revoked"),
        text=_("Anyone who verifies it sees this reason:"),
        quote="reason",
        action=_("See the certificate"),
        icon="circle-x",
    )
)
ACHIEVEMENT = services.register_kind(
    _learning(
        name="learning.achievement",
        title=_("Achievements"),
        headline=_("Achievement earned: %(achievement)s"),
        text=_("See all your achievements on your dashboard."),
        action=_("Open your dashboard"),
        icon="medal",
        mail=services.Mail.OFF,
    )
)


ESSAYS_MARKED = services.register_kind(
    _learning(
        name="learning.essays_marked",
        title=_("Marked quizzes"),
        headline=_("Your answers to “%(quiz)s” were marked: %(percent)s%%"),
        text=_("Your instructor has marked every answer. Read the comments beside your answers."),
        action=_("See your result"),
        icon="pen-line",
    )
)
MARK_CHANGED = services.register_kind(
    _learning(
        name="learning.mark_changed",
        title=_("Changed marks"),
        headline=_("A mark in “%(quiz)s” was changed: you now have %(percent)s%%"),
        text=_("Your instructor looked at one of your answers again."),
        action=_("See your result"),
        icon="pen-line",
        mail=services.Mail.DIGEST,
    )
)

PASSED_BY_CORRECTION = services.register_kind(
    _learning(
        name="learning.passed_by_correction",
        title=_("Quizzes you pass by a corrected answer"),
        headline=_("You pass “%(quiz)s” with %(percent)s%%"),
        text=_("A question was corrected, so an answer you gave earns more points."),
        action=_("See your result"),
        icon="check",
    )
)
EXCEPTION = services.register_kind(
    ExceptionNotice(
        name="learning.exception",
        group="learning",
        title=_("Extra time, extra attempts and reopened attempts"),
        headline=_("A rule of “%(where)s” has changed for you"),
        action=_("Open it"),
        icon="clock",
    )
)


def _teaches(user: User) -> bool:
    return user.can_teach


REVIEWED = services.register_kind(
    services.Kind(
        name="learning.reviewed",
        group="teaching",
        is_for=_teaches,
        title=_("Reviews of your courses"),
        headline=_("“%(course)s” has a new review: %(stars)s of 5 stars"),
        quote="text",
        action=_("Read the review"),
        icon="star",
        mail=services.Mail.DIGEST,
    )
)
REVIEW_ANSWERED = services.register_kind(
    _learning(
        name="learning.review_answered",
        title=_("Replies to your reviews"),
        headline=_("The instructor of “%(course)s” replied to your review"),
        quote="text",
        action=_("Read the reply"),
        icon="message-square",
        mail=services.Mail.DIGEST,
    )
)
ESSAYS_WAITING = services.register_kind(
    services.Kind(
        name="learning.essays_waiting",
        group="teaching",
        is_for=_teaches,
        title=_("Answers to mark"),
        headline=_("Answers in “%(course)s” are waiting for your marks"),
        text=_("Until you mark them, the attempts are neither passed nor failed."),
        action=_("Mark the answers"),
        icon="pen-line",
        hint=_("At most once a day for each course."),
        mail=services.Mail.DIGEST,
    )
)
ANALYTICS_REPORT = services.register_kind(
    services.Kind(
        name="learning.analytics_report",
        group="teaching",
        is_for=_teaches,
        title=_("Scheduled reports of your analytics"),
        headline=_("Your analytics: %(what)s, %(period)s"),
        text=_("The tables are attached as CSV files. The page shows the same figures as charts."),
        action=_("Open analytics"),
        icon="chart-line",
        hint=_("You choose courses and days on the page of analytics."),
    )
)
