"""Other notifications about an account."""

from django.utils.translation import gettext_lazy as _

from apps.accounts.kinds import Kind, Mail, register_kind

WELCOME = register_kind(
    Kind(
        name="account.welcome",
        group="account",
        title=_("Welcome message"),
        headline=_("Welcome to %(site)s"),
        text=_("Choose a course, enroll, and continue where you left off on any device."),
        action=_("Find a course"),
        icon="graduation-cap",
        mail=Mail.OFF,  # the mail that proves the address is the welcome
    )
)


ROLE_CHANGED = register_kind(
    Kind(
        name="account.role_changed",
        group="account",
        title=_("Changes to your role"),
        headline=_("Your role is now %(role)s"),
        text=_("An admin changed your role."),
        action=_("See what's new"),
        icon="user-round",
    )
)


TEACHING_APPROVED = register_kind(
    Kind(
        name="account.teaching_approved",
        group="account",
        title=_("Teaching request approved"),
        headline=_("You can now teach"),
        text=_("Your request was approved. Open the studio to create your first course."),
        quote="answer",
        action=_("Open the studio"),
        icon="graduation-cap",
    )
)


TEACHING_DECLINED = register_kind(
    Kind(
        name="account.teaching_declined",
        group="account",
        title=_("Teaching request declined"),
        headline=_("Your request to teach was declined"),
        text=_("You can apply again in a week. Tell us what has changed by then."),
        quote="answer",
        action=_("Open settings"),
        icon="graduation-cap",
    )
)


EXPORT_READY = register_kind(
    Kind(
        name="account.export_ready",
        group="account",
        title=_("Your data archive"),
        headline=_("Your archive is ready"),
        text=_("It contains all your data. You can download it for one week."),
        action=_("Download archive"),
        icon="download",
    )
)


TEACHING_ASKED = register_kind(
    Kind(
        name="account.teaching_asked",
        group="administration",
        title=_("Requests to teach"),
        headline=_("%(name)s would like to teach"),
        quote="reason",
        action=_("Answer"),
        icon="graduation-cap",
        mail=Mail.DIGEST,
        is_for=lambda user: user.is_admin,
    )
)
