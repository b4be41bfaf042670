"""What people are told about their own account."""

from django.utils.translation import gettext_lazy as _

from apps.accounts.kinds import STILL_IN, Kind, Mail, register_kind

# --- Safety: always told ------------------------------------------------------------------------------------

NEW_DEVICE = register_kind(
    Kind(
        name="account.new_device",
        group="account",
        title=_("Sign-ins from a new device"),
        headline=_("New sign-in: %(device)s"),
        text=_("Somebody signed in to your account with a browser we had not seen before (%(device)s, %(address)s)."),
        action=_("Check where you are signed in"),
        icon="laptop",
        is_security=True,
    )
)
PASSWORD_CHANGED = register_kind(
    Kind(
        name="account.password_changed",
        group="account",
        title=_("Changes of your password"),
        headline=_("Your password was changed"),
        text=_("Every other browser was signed out."),
        action=_("Open the settings"),
        icon="lock-keyhole",
        is_security=True,
    )
)
EMAIL_CHANGED = register_kind(
    Kind(
        name="account.email_changed",
        group="account",
        title=_("Changes of your email"),
        headline=_("Your email was changed to %(email)s"),
        text=_("From now on you sign in with it, and our mails go there."),
        action=_("Open the settings"),
        icon="mail",
        is_security=True,
    )
)
TWO_FACTOR_ON = register_kind(
    Kind(
        name="account.two_factor_on",
        group="account",
        title=_("Changes of the second step"),
        headline=_("Signing in now asks for a second step"),
        text=_("An authenticator app was added to your account."),
        action=_("Open the settings"),
        icon="shield-check",
        is_security=True,
        not_you=STILL_IN,
    )
)
TWO_FACTOR_OFF = register_kind(
    Kind(
        name="account.two_factor_off",
        group="account",
        title=_("Changes of the second step"),
        headline=_("Signing in asks for your password alone again"),
        text=_("Neither an authenticator app nor a passkey is asked for any more."),
        action=_("Open the settings"),
        icon="shield-alert",
        is_security=True,
    )
)
LINKED = register_kind(
    Kind(
        name="account.linked",
        group="account",
        title=_("Changes of the providers you sign in with"),
        headline=_("You can sign in with %(provider)s now"),
        text=_("An account of %(provider)s was linked to your account."),
        action=_("Open the settings"),
        icon="link",
        is_security=True,
        not_you=STILL_IN,
    )
)
UNLINKED = register_kind(
    Kind(
        name="account.unlinked",
        group="account",
        title=_("Changes of the providers you sign in with"),
        headline=_("%(provider)s signs you in no more"),
        text=_("An account of %(provider)s was unlinked from your account."),
        action=_("Open the settings"),
        icon="unlink",
        is_security=True,
    )
)
APP_REPLACED = register_kind(
    Kind(
        name="account.app_replaced",
        group="account",
        title=_("Changes of the second step"),
        headline=_("Your authenticator app was replaced"),
        text=_("Codes of the app before work no more."),
        action=_("Open the settings"),
        icon="shield-alert",
        is_security=True,
        not_you=STILL_IN,
    )
)
APP_REMOVED = register_kind(
    Kind(
        name="account.app_removed",
        group="account",
        title=_("Changes of the second step"),
        headline=_("Your authenticator app was removed"),
        text=_("Its codes work no more; your passkeys do."),
        action=_("Open the settings"),
        icon="shield-alert",
        is_security=True,
    )
)
CODES_LOCKED = register_kind(
    Kind(
        name="account.codes_locked",
        group="account",
        title=_("Changes of the second step"),
        headline=_("Five wrong codes at your second step"),
        text=_(
            "Whoever typed them knows your password, or sits at a browser of yours. For 15 minutes no code is checked."
        ),
        action=_("Open the settings"),
        icon="shield-alert",
        is_security=True,
    )
)
SECOND_STEP_RESET = register_kind(
    Kind(
        name="account.second_step_reset",
        group="account",
        title=_("Changes of the second step"),
        headline=_("Your second step was reset"),
        text=_(
            "An administrator removed your authenticator app, passkeys and recovery codes, so that your password "
            "alone signs you in. Set up a second step again."
        ),
        action=_("Open the settings"),
        icon="shield-alert",
        is_security=True,
    )
)
RECOVERY_CODES_MADE = register_kind(
    Kind(
        name="account.recovery_codes_made",
        group="account",
        title=_("Changes of the second step"),
        headline=_("New recovery codes were made"),
        text=_("The old ones have ended."),
        action=_("Open the settings"),
        icon="shield-check",
        is_security=True,
    )
)
RECOVERY_CODE_USED = register_kind(
    Kind(
        name="account.recovery_code_used",
        group="account",
        title=_("Changes of the second step"),
        headline=_("A recovery code was used to sign in"),
        text=_("Codes left: %(left)s."),
        action=_("Open the settings"),
        icon="shield-alert",
        is_security=True,
    )
)
PASSKEY_ADDED = register_kind(
    Kind(
        name="account.passkey_added",
        group="account",
        title=_("Changes of the second step"),
        headline=_("A passkey was added: %(name)s"),
        action=_("Open the settings"),
        icon="key-round",
        is_security=True,
        not_you=STILL_IN,
    )
)
PASSKEY_REMOVED = register_kind(
    Kind(
        name="account.passkey_removed",
        group="account",
        title=_("Changes of the second step"),
        headline=_("A passkey was removed: %(name)s"),
        action=_("Open the settings"),
        icon="key-round",
        is_security=True,
    )
)

# --- The rest -----------------------------------------------------------------------------------------------

WELCOME = register_kind(
    Kind(
        name="account.welcome",
        group="account",
        title=_("A word of welcome"),
        headline=_("Welcome to %(site)s"),
        text=_("Choose a course, take a seat, and go on where you left off on any device."),
        action=_("Find a course"),
        icon="graduation-cap",
        mail=Mail.OFF,  # the mail that proves the address is the welcome
    )
)
ROLE_CHANGED = register_kind(
    Kind(
        name="account.role_changed",
        group="account",
        title=_("Changes of your role"),
        headline=_("Your role is now: %(role)s"),
        text=_("An admin changed what you can do here."),
        action=_("See what is new"),
        icon="user-round",
    )
)
TEACHING_APPROVED = register_kind(
    Kind(
        name="account.teaching_approved",
        group="account",
        title=_("Your request to teach is approved"),
        headline=_("You can teach now"),
        text=_("Your request was approved. The studio is open: make your first course."),
        quote="answer",
        action=_("Open the studio"),
        icon="graduation-cap",
    )
)
TEACHING_DECLINED = register_kind(
    Kind(
        name="account.teaching_declined",
        group="account",
        title=_("Your request to teach is declined"),
        headline=_("Your request to teach was declined"),
        text=_("You can ask again a week from now; say then what has changed."),
        quote="answer",
        action=_("Open the settings"),
        icon="graduation-cap",
    )
)

EXPORT_READY = register_kind(
    Kind(
        name="account.export_ready",
        group="account",
        title=_("Your data archive"),
        headline=_("Your archive is ready"),
        text=_("All your data in one file. It can be downloaded for a week."),
        action=_("Download it"),
        icon="download",
    )
)
TEACHING_ASKED = register_kind(
    Kind(
        name="account.teaching_asked",
        group="administration",
        title=_("Requests to teach"),
        headline=_("%(name)s asks to teach"),
        quote="reason",
        action=_("Answer"),
        icon="graduation-cap",
        mail=Mail.DIGEST,
        is_for=lambda user: user.is_admin,
    )
)
