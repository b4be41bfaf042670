"""What fails below the project's own code, as refusals of the catalogue."""

import logging

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.db import DataError

from studyplatform.kit.errors import AppError, RequestTooLarge, StoreUnavailable, ValidationFailed
from studyplatform.kit.references import request_id
from studyplatform.kit.sizes import as_limit

logger = logging.getLogger(__name__)


def refusal_of(error: Exception) -> AppError | None:
    """The refusal that a person reads for a failure; None for one that nobody expected.

    What no form looked at and the database refuses (PostgreSQL takes no NUL in a text) is bad input like any other;
    a bucket that does not answer is out of reach for a while.
    """
    if isinstance(error, AppError):
        return error
    if isinstance(error, RequestDataTooBig):
        return RequestTooLarge(limit=as_limit(settings.BODY_LIMIT))
    if isinstance(error, DataError):
        logger.error("The database refuses what was sent, reference %s", request_id.get(), exc_info=error)
        return ValidationFailed()
    # By name: boto takes long to load, and only where there is a bucket it is.
    if type(error).__module__.startswith(("botocore.", "boto3.")):
        logger.error("The file store failed, reference %s", request_id.get(), exc_info=error)
        return StoreUnavailable()
    return None
