"""Convert failures of libraries, the database and the disk to refusals of the catalog."""

import logging
import sqlite3

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import RequestDataTooBig
from django.db import DataError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from studyplatform.kit.disk import NO_SPACE
from studyplatform.kit.errors import AppError, RequestTooLarge, StoreFull, StoreUnavailable, ValidationFailed
from studyplatform.kit.text.sizes import as_size
from studyplatform.kit.web.problem_details import problem_json_response
from studyplatform.kit.web.request_id import request_id
from studyplatform.kit.web.requests import safe_next

logger = logging.getLogger(__name__)

# SQLite reports the second if it cannot create its shared memory file when it opens the database.
SQLITE_FULL = frozenset({sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMSIZE})
POSTGRESQL_FULL = "53100"  # disk_full, https://www.postgresql.org/docs/current/errcodes-appendix.html


def refusal_of(error: Exception) -> AppError | None:
    """The refusal to show for an exception; None for an unexpected one.

    Input that no form checked and the database rejects (e.g. NUL in PostgreSQL) is a validation error; a bucket that
    does not respond is StoreUnavailable; a full disk is StoreFull.
    """
    if isinstance(error, AppError):
        return error
    if isinstance(error, RequestDataTooBig):
        return RequestTooLarge(limit=as_size(settings.BODY_LIMIT))
    if isinstance(error, DataError):
        logger.error("The database refuses what was sent, reference %s", request_id.get(), exc_info=error)
        return ValidationFailed()
    if is_out_of_space(error):
        logger.error("No space left, reference %s", request_id.get(), exc_info=error)
        return StoreFull()
    # By name: importing boto is slow, and it is only loaded if there is a bucket.
    if type(error).__module__.startswith(("botocore.", "boto3.")):
        logger.error("The file store failed, reference %s", request_id.get(), exc_info=error)
        return StoreUnavailable()
    return None


def is_out_of_space(error: BaseException) -> bool:
    """Whether a file or the database could not be written because no space is left."""
    if isinstance(error, OSError):
        return error.errno in NO_SPACE
    if isinstance(error, OperationalError):
        cause = error.__cause__
        full = getattr(cause, "sqlite_errorcode", None) in SQLITE_FULL
        return full or getattr(cause, "sqlstate", None) == POSTGRESQL_FULL
    return False


# The names of form fields in which people write more than a line.
_TEXT_FIELDS = ["answer", "back", "before_you_begin", "bio", "body", "comment", "description", "front", "note"]
_TEXT_FIELDS += ["reason", "reply", "source", "text"]
_MIN_KEPT_CHARACTERS = 20  # less is typed again in a moment


def _written_texts(request: HttpRequest) -> list[str]:
    if request.method != "POST":
        return []
    texts = [text.strip() for name in _TEXT_FIELDS for text in request.POST.getlist(name)]
    return [text for text in texts if len(text) >= _MIN_KEPT_CHARACTERS]


def refusal_response(request: HttpRequest, refusal: AppError, *, has_read_body: bool = False) -> HttpResponse:
    """The response to a refusal: a problem for scripts, a redirect with a message for a form, else an error page.

    What somebody wrote is shown for copying, as the form may be gone: a topic was closed meanwhile, say.

    :param has_read_body: whether the form may be read; before its size was checked, it may not.
    """
    if request.path.startswith("/api/") or request.headers.get("Accept") == "application/json":
        return problem_json_response(refusal)
    if has_read_body and not isinstance(refusal, StoreFull) and (texts := _written_texts(request)):
        context = {
            "error": refusal,
            "texts": texts,
            "back": safe_next(request, request.headers.get("Referer", ""), "/"),
        }
        return render(request, "errors/not_saved.html", context, status=refusal.status)
    if refusal.leads_to:
        messages.error(request, refusal.detail, extra_tags=refusal.code)
        return redirect(refusal.leads_to)
    # A message is stored in the session, which cannot be saved on a full disk.
    if request.method == "POST" and not isinstance(refusal, StoreFull):
        messages.error(request, refusal.detail, extra_tags=refusal.code)
        return redirect(safe_next(request, request.headers.get("Referer", ""), "/"))
    return render(request, "errors/refused.html", {"error": refusal}, status=refusal.status)
