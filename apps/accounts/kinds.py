"""The kinds of notifications: each app registers its own, in its module ``notices``.

    NEW_LESSON = services.register_kind(services.Kind(name="learning.new_lesson", group="learning", …))

A kind's words are translatable templates (``%(course)s``) filled with what :func:`notify` was given, each
time they are shown. They are plain text, so templates must escape them.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.accounts.models import NotificationChoice, User
from studyplatform.kit.registry import Registry

Mail = NotificationChoice.Mail
Words = str | Promise
Group = Literal["account", "learning", "discussions", "billing", "teaching", "administration"]

GROUPS: dict[Group, Words] = {
    "account": _("Your account"),
    "learning": _("Your courses"),
    "discussions": _("Discussions"),
    "billing": _("Your payments"),
    "teaching": _("Your teaching"),
    "administration": _("Running the site"),
}
VIEW_ACTION = _("View")
NOT_YOU = _("If this wasn't you, reset your password right away. That signs out every browser.")
NOT_YOU_REMOVE = _(
    "If this wasn't you, reset your password right away, then remove it in your settings: a new password doesn't "
    "remove it. If you can't sign in, contact us."
)


@dataclass(frozen=True, kw_only=True)
class Kind:
    """The text of one kind of notification, and how it is sent unless a user chooses otherwise.

    ``quote`` names a parameter that a user wrote: it is shown as a quotation. A security kind is always sent
    immediately, on the site and by email. A transactional kind, such as a receipt, is always emailed immediately.
    """

    name: str
    group: Group
    title: Words
    headline: Words
    text: Words = ""
    quote: str = ""
    action: Words = VIEW_ACTION
    icon: str = "bell"
    hint: Words = ""
    in_app: bool = True
    mail: Mail = Mail.NOW
    is_security: bool = False
    is_transactional: bool = False
    not_you: Words = NOT_YOU  # what the owner does against a stranger; of a security kind
    is_for: Callable[[User], bool] = lambda user: True

    @property
    def is_always_mailed(self) -> bool:
        """Whether the user can't turn its email off."""
        return self.is_security or self.is_transactional

    def words(self, params: Mapping[str, Any]) -> tuple[str, str, str]:
        """Headline, text and quotation with the parameters filled in.

        :raises KeyError: a parameter is missing.
        """
        text = str(self.text) % params
        if self.is_security:
            text = f"{text} {self.not_you}".strip()
        headline = " ".join((str(self.headline) % params).split())  # a line, whatever is in the names in it
        return headline, text, str(params[self.quote]) if self.quote else ""


KINDS: Registry[Kind] = Registry("notification kinds")


def register_kind(kind: Kind) -> Kind:
    """Make a kind known.

    :raises ValueError: the name is taken, or too long for the table.
    """
    if len(kind.name) > 40:
        raise ValueError(f"{kind.name!r} is too long for the table")
    return KINDS.register(kind.name, kind)


def kinds_for(user: User) -> list[Kind]:
    """The kinds that this user can receive, by group."""
    order = list(GROUPS)
    return sorted((kind for kind in KINDS.values() if kind.is_for(user)), key=lambda kind: order.index(kind.group))
