"""What people ask about finding courses, and the answers (kit/extensions.py)."""

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
