"""The 31 codes of the specification (section 8), as its table describes them, and where each one arises."""

import ast
import re
from dataclasses import MISSING, dataclass, fields
from functools import cache

import pytest

from apps.files.video.failures import SENTENCES, CorruptFile, FormatUnsupported, ProcessingFailed
from studyplatform.kit.errors import REGISTRY, AppError
from tests.architecture.source import ROOT, modules
from tests.cases import all_cases

pytestmark = pytest.mark.xdist_group("source")  # one process parses the project's Python


@dataclass(frozen=True)
class Row:
    """A row of the table: severity, action (label, href or handler), seconds until the automatic retry, message."""

    severity: str = ""
    label: str = ""
    leads: str = ""
    retry: int | None = None
    says: str = ""


TABLE = {
    "VIDEO_LOAD_FAILED": Row("error", "try again", "reload", 5),
    "VIDEO_NETWORK_ERROR": Row("warning", "resume", "resume", 3, "progress is saved"),
    "VIDEO_FORMAT_UNSUPPORTED": Row("", "audio version", "/audio-fallback"),
    "VIDEO_QUALITY_DEGRADED": Row("info", says="lowered automatically"),
    "VIDEO_DRM_ERROR": Row("", "refresh page", "reload"),
    "AUTH_INVALID_CREDENTIALS": Row(
        "", "reset password", "/auth/forgot-password", says="the email or password you entered is incorrect"
    ),
    "AUTH_ACCOUNT_LOCKED": Row("", "reset", "/auth/forgot-password", says="5 failed attempts. try again in 15 minutes"),
    "AUTH_SESSION_EXPIRED": Row("", "sign in", "/auth/login", says="signed out"),
    "AUTH_EMAIL_NOT_VERIFIED": Row("", "resend", "resend_verification", says="verify"),
    "PAYMENT_CARD_DECLINED": Row("", "update payment method", "/settings/billing"),
    "PAYMENT_PROCESSING_ERROR": Row("", "try again", "retry", says="not charged"),
    "SUBSCRIPTION_EXPIRED": Row("", "renew", "/billing/renew", says="free content is still available"),
    "ENROLLMENT_REQUIRED": Row("", "enroll now", "/courses/enroll?course={slug}"),
    "UPLOAD_FILE_TOO_LARGE": Row(says="2 gb"),
    "UPLOAD_FORMAT_UNSUPPORTED": Row(says="mp4, mov, avi, webm"),
    "UPLOAD_NETWORK_ERROR": Row("", "resume upload", "resume", 5),
    "UPLOAD_QUOTA_EXCEEDED": Row("", "storage", "/settings/storage"),
    "COURSE_NOT_FOUND": Row("", "browse courses", "/courses/"),
    "LECTURE_UNAVAILABLE": Row(leads="nowhere"),
    "PREREQUISITE_NOT_MET": Row("", "previous lesson", "/course/lessons"),
    "NETWORK_OFFLINE": Row("", "offline", "/offline", says="sync"),
    "SERVER_ERROR": Row(retry=10),
    "RATE_LIMIT_EXCEEDED": Row(says="wait"),
    "MAINTENANCE_MODE": Row("", "status page", "{status_url}", says="15 to 30 minutes"),
    "AI_UNAVAILABLE": Row(retry=15),
    "AI_CONTEXT_TOO_LONG": Row(leads="nowhere"),
    "AI_CONTENT_FILTERED": Row(says="only course-related questions"),
    "FORUM_POST_TOO_LONG": Row(leads="nowhere"),
    "FORUM_MODERATION_REQUIRED": Row(leads="nowhere"),
    "UNKNOWN_ERROR": Row("", "reload", "reload", says="team has been notified"),
    "FEATURE_COMING_SOON": Row(leads="nowhere"),
}

# Raised in the browser; Python only has their messages.
BROWSER = {
    "UNKNOWN_ERROR",
    "VIDEO_LOAD_FAILED",
    "VIDEO_NETWORK_ERROR",
    "VIDEO_FORMAT_UNSUPPORTED",
    "VIDEO_QUALITY_DEGRADED",
    "VIDEO_DRM_ERROR",
    "NETWORK_OFFLINE",
    "NETWORK_FAILED",
    "NETWORK_TIMEOUT",
    "NETWORK_SLOW",
    "CONNECTION_RESTORED",
    "UPLOAD_NETWORK_ERROR",
}
# In the specification's catalog, for addresses of features to come: there are none any more. This list may only shrink.
UNRAISED = {"FEATURE_COMING_SOON"}


def test_the_table_has_all_31() -> None:
    assert len(TABLE) == 31
    assert set(REGISTRY) >= set(TABLE)


@all_cases("code", TABLE)
def test_each_error_code_behaves_as_the_table_says(code: str) -> None:
    row, error = TABLE[code], REGISTRY[code]
    action = error.action
    words = f"{error.title} {_sentence(error)} {error.help_text}".lower()

    if row.severity:
        assert error.severity == row.severity
    if row.leads == "nowhere":
        assert action is None
    elif row.leads:
        assert action is not None
        assert row.label in str(action.label).lower()
        assert action.href.startswith(row.leads) if row.leads[0] in "/{" else action.handler == row.leads
    assert row.says in words
    assert error.retry_delay == row.retry


@all_cases("code", sorted(REGISTRY))
def test_every_refusal_has_a_title_and_a_message(code: str) -> None:
    error = REGISTRY[code]

    assert error.title
    assert error.message
    assert error.severity in {"error", "warning", "info"}
    assert not str(error.title).endswith(".")
    assert "!" not in str(error.message)


def test_every_refusal_is_raised_somewhere() -> None:
    used = _classes_used()
    silent = {code for code, error in REGISTRY.items() if error.__name__ not in used}

    assert silent - BROWSER - UNRAISED == set(), "declared and never raised"
    assert {code for code in UNRAISED if code not in silent} == set(), "raised now: take it off the list"


# The groups of messages (section 8), each with the code of its message.
GROUPS = {
    "network": {
        "offline": "NETWORK_OFFLINE",
        "slow": "NETWORK_SLOW",
        "timeout": "NETWORK_TIMEOUT",
        "failed": "NETWORK_FAILED",
    },
    "video": {
        "load failed": "VIDEO_LOAD_FAILED",
        "format unsupported": "VIDEO_FORMAT_UNSUPPORTED",
        "still processing": "LECTURE_UNAVAILABLE",
    },
    "auth": {
        "invalid credentials": "AUTH_INVALID_CREDENTIALS",
        "account locked": "AUTH_ACCOUNT_LOCKED",
        "session expired": "AUTH_SESSION_EXPIRED",
        "access denied": "ENROLLMENT_REQUIRED",
    },
    "payment": {
        "card declined": "PAYMENT_CARD_DECLINED",
        "processing error": "PAYMENT_PROCESSING_ERROR",
        "subscription expired": "SUBSCRIPTION_EXPIRED",
    },
    "upload": {
        "file too large": "UPLOAD_FILE_TOO_LARGE",
        "format not supported": "UPLOAD_FORMAT_UNSUPPORTED",
        "upload failed": "UPLOAD_NETWORK_ERROR",
    },
    "general": {
        "something went wrong": "UNKNOWN_ERROR",
        "maintenance": "MAINTENANCE_MODE",
        "feature unavailable": "FEATURE_COMING_SOON",
    },
    "AI assistant": {
        "unavailable": "AI_UNAVAILABLE",
        "overloaded": "AI_OVERLOADED",
        "misunderstood": "AI_MISUNDERSTOOD",
        "technical": "AI_TECHNICAL_ERROR",
        "out of scope": "AI_CONTENT_FILTERED",
    },
    "video player": {
        "connection restored": "CONNECTION_RESTORED",
        "load failed": "VIDEO_LOAD_FAILED",
        "format not supported": "VIDEO_FORMAT_UNSUPPORTED",
        "requires enrollment": "ENROLLMENT_REQUIRED",
        "access expired": "MEDIA_LINK_EXPIRED",
    },
    "settings": {"update failed": "SETTINGS_UPDATE_FAILED", "password change failed": "PASSWORD_CHANGE_FAILED"},
    "instructor video": {
        "upload failed": "UPLOAD_NETWORK_ERROR",
        "quota exceeded": "UPLOAD_QUOTA_EXCEEDED",
    },
}
# Shown on the video, with a sentence for each reason (apps/files/video/failures.py): corrupted, processing failed.
VIDEO_STATES = {"corrupt_file", "processing_failed"}


@all_cases("group", GROUPS)
def test_each_listed_phrase_exists(group: str) -> None:
    """Each code has a message and is raised, or is on the list of those that nothing raises."""
    used = _classes_used()
    said = {code for code in BROWSER if f'"{code}"' in _spoken_by_the_browser()}

    for code in GROUPS[group].values():
        assert REGISTRY[code].message
        assert REGISTRY[code].__name__ in used or code in said or code in UNRAISED, code


def test_failed_video_states_the_reason() -> None:
    failures = [CorruptFile, FormatUnsupported, ProcessingFailed]

    assert {failure.state for failure in failures} == VIDEO_STATES
    assert all(SENTENCES.values())


@cache
def _spoken_by_the_browser() -> str:
    """The scripts, and the templates that pass messages to them."""
    scripts = [path for path in (ROOT / "assets").rglob("*.ts*") if not re.search(r"\.(gen|test)\.tsx?$", path.name)]
    return "".join(path.read_text() for path in [*scripts, *(ROOT / "templates").rglob("*.html")])


def test_errors_of_the_browser_are_used_in_its_code() -> None:
    text = _spoken_by_the_browser()

    assert {code for code in BROWSER if f'"{code}"' not in text} == set()


def _sentence(error: type[AppError]) -> str:
    """The message as shown, if the error can be created without data."""
    needed = [field for field in fields(error) if field.default is MISSING and field.default_factory is MISSING]
    return str(error.message) if needed else error().detail


@cache
def _classes_used() -> set[str]:
    """Names used in code outside the modules that declare errors."""
    return {
        node.id if isinstance(node, ast.Name) else node.attr
        for module in modules()
        if module.parts[-1:] != ("errors",)
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Name | ast.Attribute)
    } | {
        node.func.id
        for module in modules()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
