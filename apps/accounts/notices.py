"""What people are told about their own account."""

from django.utils.translation import gettext_lazy as _

from apps.accounts.kinds import NOT_YOU_REMOVE, Kind, Mail, register_kind

# --- Safety: always told ------------------------------------------------------------------------------------

NEW_DEVICE = register_kind(
    Kind(
        name="account.new_device",
        group="account",
        title=_("Sign-ins from a new device"),
        headline=_("New sign-in: %(device)s"),
        text=_("Someone signed in to your account in a browser we hadn't seen before (%(device)s, %(address)s)."),
        action=_("Check where you're signed in"),
        icon="laptop",
        is_security=True,
    )
)
PASSWORD_CHANGED = register_kind(
    Kind(
        name="account.password_changed",
        group="account",
        title=_("Changes to your password"),
        headline=_("Your password was changed"),
        text=_("All other browsers were signed out."),
        action=_("Open settings"),
        icon="lock-keyhole",
        is_security=True,
    )
)
EMAIL_CHANGED = register_kind(
    Kind(
        name="account.email_changed",
        group="account",
        title=_("Changes to your email"),
        headline=_("Your email was changed to %(email)s"),
        text=_("You now sign in with this email, and we'll send our emails there."),
        action=_("Open settings"),
        icon="mail",
        is_security=True,
    )
)
TWO_FACTOR_ON = register_kind(
    Kind(
        name="account.two_factor_on",
        group="account",
        title=_("Two-factor changes"),
        headline=_("Two-factor sign-in is on"),
        text=_("An authenticator app was added to your account."),
        action=_("Open settings"),
        icon="shield-check",
        is_security=True,
        not_you=NOT_YOU_REMOVE,
    )
)
TWO_FACTOR_OFF = register_kind(
    Kind(
        name="account.two_factor_off",
        group="account",
        title=_("Two-factor changes"),
        headline=_("Two-factor sign-in is off"),
        text=_("You now sign in with your password alone, without an authenticator app or passkey."),
        action=_("Open settings"),
        icon="shield-alert",
        is_security=True,
    )
)
LINKED = register_kind(
    Kind(
        name="account.linked",
        group="account",
        title=_("Changes to linked accounts"),
        headline=_("You can now sign in with %(provider)s"),
        text=_("A %(provider)s account was linked to your account."),
        action=_("Open settings"),
        icon="link",
        is_security=True,
        not_you=NOT_YOU_REMOVE,
    )
)
UNLINKED = register_kind(
    Kind(
        name="account.unlinked",
        group="account",
        title=_("Changes to linked accounts"),
        headline=_("%(provider)s no longer signs you in"),
        text=_("A %(provider)s account was unlinked from your account."),
        action=_("Open settings"),
        icon="unlink",
        is_security=True,
    )
)
APP_REPLACED = register_kind(
    Kind(
        name="account.app_replaced",
        group="account",
        title=_("Two-factor changes"),
        headline=_("Your authenticator app was replaced"),
        text=_("Codes from the old app no longer work."),
        action=_("Open settings"),
        icon="shield-alert",
        is_security=True,
        not_you=NOT_YOU_REMOVE,
    )
)
APP_REMOVED = register_kind(
    Kind(
        name="account.app_removed",
        group="account",
        title=_("Two-factor changes"),
        headline=_("Your authenticator app was removed"),
        text=_("Its codes no longer work. Your passkeys still do."),
        action=_("Open settings"),
        icon="shield-alert",
        is_security=True,
    )
)
CODES_LOCKED = register_kind(
    Kind(
        name="account.codes_locked",
        group="account",
        title=_("Two-factor changes"),
        headline=_("Five wrong two-factor codes"),
        text=_(
            "Someone who knows your password or uses your browser entered them. No codes are accepted for 15 minutes."
        ),
        action=_("Open settings"),
        icon="shield-alert",
        is_security=True,
    )
)
SECOND_STEP_RESET = register_kind(
    Kind(
        name="account.second_step_reset",
        group="account",
        title=_("Two-factor changes"),
        headline=_("Your two-factor sign-in was reset"),
        text=_(
            "An administrator removed your authenticator app, passkeys and recovery codes. You now sign in with your "
            "password alone. Set up two-factor sign-in again."
        ),
        action=_("Open settings"),
        icon="shield-alert",
        is_security=True,
    )
)
RECOVERY_CODES_MADE = register_kind(
    Kind(
        name="account.recovery_codes_made",
        group="account",
        title=_("Two-factor changes"),
        headline=_("You have new recovery codes"),
        text=_("Your old codes no longer work."),
        action=_("Open settings"),
        icon="shield-check",
        is_security=True,
    )
)
RECOVERY_CODE_USED = register_kind(
    Kind(
        name="account.recovery_code_used",
        group="account",
        title=_("Two-factor changes"),
        headline=_("A recovery code was used to sign in"),
        text=_("Codes left: %(left)s."),
        action=_("Open settings"),
        icon="shield-alert",
        is_security=True,
    )
)
PASSKEY_ADDED = register_kind(
    Kind(
        name="account.passkey_added",
        group="account",
        title=_("Two-factor changes"),
        headline=_("A passkey was added: %(name)s"),
        action=_("Open settings"),
        icon="key-round",
        is_security=True,
        not_you=NOT_YOU_REMOVE,
    )
)
PASSKEY_REMOVED = register_kind(
    Kind(
        name="account.passkey_removed",
        group="account",
        title=_("Two-factor changes"),
        headline=_("A passkey was removed: %(name)s"),
        action=_("Open settings"),
        icon="key-round",
        is_security=True,
    )
)

# --- The rest -----------------------------------------------------------------------------------------------

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
        text=_("An admin changed what you can do here."),
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
        text=_("You can ask again in a week. Tell us then what has changed."),
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
