"""Users and sessions: Django's session is the authority; islands use a short-lived token."""

from datetime import timedelta

AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
PASSWORD_HASHERS = [
    "apps.accounts.passwords.QueuedArgon2",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "apps.accounts.passwords.Length", "OPTIONS": {"min_length": 8}},
    {"NAME": "apps.accounts.passwords.CharacterRules"},
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "/auth/login"
LOGIN_REDIRECT_URL = "/dashboard"
LOGOUT_REDIRECT_URL = "/"

PASSWORD_RESET_TIMEOUT = 60 * 60

SESSION_ENGINE = "apps.accounts.sessions.store"
SESSION_COOKIE_AGE = 60 * 60 * 24 * 14
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_FAILURE_VIEW = "studyplatform.site.system.errors.csrf_failure"

# The account is locked for this long after this many consecutive failures (specification 9).
LOGIN_FAILURES = 5
LOGIN_LOCK = timedelta(minutes=15)

# (count, seconds), per client address unless noted: generous, because a school may share one address.
RATE_LIMITS = {
    "co-instructor-page": (600, 60 * 60),  # pages of invitations that one address opens
    "co-instructor-invitation": (50, 24 * 60 * 60),  # emails of an instructor
    "course-visit": (1_000, 10 * 60),
    "sign-in": (300, 5 * 60),
    "passkey": (600, 5 * 60),  # requested by every sign-in page
    "register": (60, 60 * 60),
    "reset": (60, 60 * 60),
    "resend": (60, 60 * 60),
    "social": (300, 5 * 60),
    "reset-to-one": (1, 60),  # password reset emails for one account
    "mail-to-one": (6, 60 * 60),  # registration emails to one address, from all clients
    # Uploads begun by one user: folders with thousands of photos, but only so many videos, each of which is encoded.
    "upload": (4_000, 10 * 60),
    "upload_per_day": (20_000, 24 * 3600),
    "upload_video": (200, 10 * 60),
    "share": (60, 10 * 60),  # shares created by one user
    "share-page": (600, 5 * 60),  # pages and downloads of shared links, by one client
    "share-password": (10, 10 * 60),  # passwords of a link tried by one client
    "share-passwords": (60, 10 * 60),  # passwords of a link tried by all clients
    "export": (1, 10 * 60),  # data archives requested by one user
    "notes-pdf": (10, 10 * 60),  # PDFs of long notebooks, for one user
    "copy": (2_000, 10 * 60),  # files and folders copied by one user
    "zip": (60, 10 * 60),  # zips downloaded by one user
    "checkout": (30, 60 * 60),  # orders begun by one user: stolen cards are tested by the hundred
    "gift_code": (30, 60 * 60),  # codes of gifts that one user redeems
    "gift_page": (120, 60 * 60),  # pages of gifts that one address opens
    "seat_mail": (400, 24 * 60 * 60),  # people whom one user gives seats or invites, and invitations sent again
    "seat_mail_to_one": (5, 24 * 60 * 60),  # invitations to one address that are sent again
    "seat_accept": (60, 60 * 60),  # invitations and seats that one user takes
    "seat_page": (1_200, 60 * 60),  # pages of invitations that one address opens: an office shares one
    "gift_mail": (10, 60 * 60),  # emails of gifts that one user sends again
    "promo_code": (60, 60 * 60),  # codes that one user enters: they are guessed by the thousand
    "onboarding": (20, 60 * 60),  # pages of the payment provider that one instructor asks for
    "card": (10, 60 * 60),  # cards that one user begins to save
    "offline-change": (600, 60),  # changes that the devices of one user send: a week of learning comes in two minutes
    "offline-change_per_day": (20_000, 24 * 60 * 60),
    "exception": (
        600,
        60 * 60,
    ),  # forms with which one user grants exceptions or ends them, for up to 500 learners each
    "message": (60, 10 * 60),  # messages of one user, in all conversations together
    "message-conversation": (30, 10 * 60),  # messages of one user in one conversation
    "bulk-message": (30, 24 * 60 * 60),  # messages to several learners that one user sends
    "message-in-bulk": (40_000, 24 * 60 * 60),  # learners to whom one user writes by them
    "staff-note": (100, 60 * 60),  # notes about learners that one user writes
    "conversation": (30, 60 * 60),  # conversations begun by one user
    "message-report": (20, 60 * 60),  # messages reported by one user
    "mcp": (60, 60),  # calls that assistants make for one user
    "sample": (150, 5 * 60),  # changes on the sample pages
    "forum_topic": (5, 60 * 60),  # topics opened by one user
    "forum_post": (30, 10 * 60),  # replies written by one user
    "forum_edit": (60, 10 * 60),  # posts edited by one user
    "forum_preview": (600, 10 * 60),  # previews for one writer: one per pause while they type
    "content_preview": (600, 10 * 60),  # previews for one author: one per pause while they type
    "content_convert": (120, 10 * 60),  # texts that one author pastes from other programs
    "forum_completion": (300, 10 * 60),  # people and topics offered to one writer
    "forum_similar": (120, 10 * 60),  # similar topics shown to one writer: one list per pause in a title
    "forum_draft": (300, 10 * 60),  # drafts saved by one writer
    "review_link": (60, 60 * 60),  # links for outside experts that one user makes
    "review_page": (1_200, 60 * 60),  # pages of such links that one address opens
    "review_comment": (300, 60 * 60),  # comments on a course under review, of one user or at one link
    "rating_report": (20, 60 * 60),  # ratings reported by one user
    "forum_report": (20, 60 * 60),  # posts reported by one user
    "forum_vote": (200, 10 * 60),  # votes and reactions of one user
}

SIMPLE_JWT = {
    "ACCESS_TOKEN_LIFETIME": timedelta(minutes=15),
    "ALGORITHM": "HS256",
    "USER_ID_FIELD": "uid",
    "USER_ID_CLAIM": "user_id",
    "AUTH_HEADER_TYPES": ("Bearer",),
}

ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "optional"
ACCOUNT_USER_MODEL_USERNAME_FIELD = "username"
HEADLESS_ONLY = False
MFA_ADAPTER = "apps.accounts.mfa.Adapter"
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes", "webauthn"]
