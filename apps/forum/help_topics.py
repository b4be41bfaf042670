"""What people ask about talking to others, and the answers (kit/extensions.py)."""

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from studyplatform.kit.extensions import HelpTopic, help_topics


def _instructor(user: Any) -> str:
    return _(
        "Open the page of a course you're enrolled in and choose “Message the instructor”. Your conversations"
        " are under [Messages](/me/messages)."
    )


def _discussions(user: Any) -> str:
    return _("Ask other learners and instructors in the [discussions](/forum/), or below a lesson.")


help_topics.register(
    "forum.instructor",
    HelpTopic(
        questions=(
            gettext_lazy("How do I contact my instructor?"),
            gettext_lazy("Can I ask the teacher a question?"),
        ),
        answer=_instructor,
    ),
)
help_topics.register(
    "forum.discussions",
    HelpTopic(
        questions=(
            gettext_lazy("Where can I talk to other students?"),
            gettext_lazy("Where is the forum?"),
        ),
        answer=_discussions,
    ),
)
