"""What a reviewer looks at in every submission."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

POINTS: dict[str, str | Promise] = {
    "plays": _("Every lesson opens, and its picture and sound are clear"),
    "promise": _("The course page promises what the lessons teach"),
    "correct": _("What the course says is correct and up to date"),
    "answers": _("The quizzes accept the right answers"),
    "captions": _("Captions can be read and fit the speech"),
    "access": _("Pictures have alternative texts, and nothing depends on color alone"),
    "rights": _("Nothing in it belongs to others or advertises"),
    "people": _("It insults nobody and endangers nobody"),
}
