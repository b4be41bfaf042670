"""What people ask about finding and teaching courses, and the answers (kit/extensions.py)."""

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from studyplatform.kit.extensions import HelpTopic, help_topics


def _enrolling(user: Any) -> str:
    return _(
        "Open a course in the [catalog](/courses/) and choose “Enroll” or “Buy”. Preview lessons are open to everyone."
    )


help_topics.register(
    "courses.enrolling",
    HelpTopic(
        questions=(
            gettext_lazy("How do I enroll in a course?"),
            gettext_lazy("Which courses do you offer?"),
            gettext_lazy("Where can I find more courses?"),
        ),
        answer=_enrolling,
        offered=gettext_lazy("How do I enroll in a course?"),
    ),
)


def _teaching_together(user: Any) -> str:
    return _(
        "Open your course in the [studio](/dashboard/instructor/courses/) and then “People”. Invite somebody by email,"
        " choose what they may do (view, teach or edit), and what percent of your revenue is theirs. You can change"
        " that or remove them at any time; what they earned until then stays theirs."
    )


help_topics.register(
    "courses.teaching_together",
    HelpTopic(
        questions=(
            gettext_lazy("How do I invite a co-instructor?"),
            gettext_lazy("Can several people teach one course?"),
            gettext_lazy("How do I share the revenue of a course with others?"),
            gettext_lazy("How do I give my course to another instructor?"),
        ),
        answer=_teaching_together,
    ),
)
