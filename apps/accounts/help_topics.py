"""What people ask about their account, and the answers (kit/extensions.py)."""

from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from studyplatform.kit.extensions import HelpTopic, help_topics


def _password(user: Any) -> str:
    return _(
        "Change your password under [Settings, Password](/settings/password). If you've forgotten it, [reset "
        "it by email](/auth/forgot-password)."
    )


def _email(user: Any) -> str:
    return _(
        "Change your email under [Settings, Profile](/settings/profile). It changes once you open the link we"
        " send to the new address."
    )


def _name(user: Any) -> str:
    return _("Your name is under [Settings, Profile](/settings/profile). New certificates use the name you have there.")


def _delete(user: Any) -> str:
    return _(
        "You can [download your data](/settings/privacy) and [delete your account](/settings/privacy/delete) "
        "in your settings."
    )


def _notifications(user: Any) -> str:
    return _(
        "Choose what we tell you about, on the site and by email, under [Settings, "
        "Notifications](/settings/notifications)."
    )


def _appearance(user: Any) -> str:
    return _("Choose light or dark and the style under [Settings, Appearance](/settings/appearance).")


def _security(user: Any) -> str:
    return _("Set up an authenticator app or a passkey under [Settings, Two-factor and passkeys](/settings/security).")


def _teaching(user: Any) -> str:
    if user.can_teach:
        return _("You can teach already: open [your studio](/dashboard/instructor/courses/).")
    return _(
        "Apply under [Settings, Teaching](/settings/teaching). An admin reads every request. [How teaching "
        "works](/help/teaching)"
    )


def _support(user: Any) -> str:
    return _("Email %(email)s. If you saw an error, include its reference.") % {"email": settings.SUPPORT_EMAIL}


for name, questions, answer in (
    (
        "password",
        (
            gettext_lazy("How do I change my password?"),
            gettext_lazy("I forgot my password"),
            gettext_lazy("I can't log in to my account"),
        ),
        _password,
    ),
    ("email", (gettext_lazy("How do I change my email address?"),), _email),
    (
        "name",
        (
            gettext_lazy("How do I change my name or picture?"),
            gettext_lazy("My name is spelled wrong on my certificate"),
            gettext_lazy("How do I edit my profile?"),
        ),
        _name,
    ),
    (
        "delete",
        (
            gettext_lazy("How do I delete my account?"),
            gettext_lazy("How do I download my personal data?"),
        ),
        _delete,
    ),
    (
        "notifications",
        (
            gettext_lazy("How do I turn off notifications?"),
            gettext_lazy("How do I stop these emails?"),
        ),
        _notifications,
    ),
    (
        "appearance",
        (
            gettext_lazy("How do I turn on dark mode?"),
            gettext_lazy("How do I change the theme or the look of the site?"),
        ),
        _appearance,
    ),
    (
        "security",
        (
            gettext_lazy("How do I set up two-factor authentication?"),
            gettext_lazy("How do I sign in with a passkey?"),
        ),
        _security,
    ),
    (
        "teaching",
        (gettext_lazy("How do I become an instructor?"), gettext_lazy("How can I create my own course?")),
        _teaching,
    ),
    (
        "support",
        (
            gettext_lazy("How do I contact support?"),
            gettext_lazy("I want to report a bug on the site"),
            gettext_lazy("Can I talk to a human?"),
        ),
        _support,
    ),
):
    help_topics.register(f"accounts.{name}", HelpTopic(questions=questions, answer=answer))
