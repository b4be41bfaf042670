"""Security notifications: every user gets them, on the site and by email."""

from django.utils.translation import gettext_lazy as _

from apps.accounts.kinds import NOT_YOU_REMOVE, Kind, register_kind

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
        text=_("All other browsers were signed out, and your personal tokens were revoked."),
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


TOKEN_CREATED = register_kind(
    Kind(
        name="account.token_created",
        group="account",
        title=_("New personal tokens"),
        headline=_("A personal token was created: %(name)s"),
        text=_("Any program with this token can act for you within its scopes until it expires or you revoke it."),
        action=_("See your tokens"),
        icon="key-round",
        is_security=True,
        not_you=_("If this wasn't you, reset your password right away. That signs out every browser and revokes it."),
    )
)
