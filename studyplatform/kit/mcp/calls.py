"""What every call has in common: its thread, its refusals, its scope, and what can be stored."""

import json
import logging
from collections.abc import Callable
from typing import Any, TypeVar

import mcp_types as types
from asgiref.sync import sync_to_async
from django.core.serializers.json import DjangoJSONEncoder
from mcp.shared.exceptions import MCPError

from studyplatform.kit.errors import AppError, ServerError, ValidationFailed
from studyplatform.kit.mcp.service import Service
from studyplatform.kit.web.failures import refusal_of
from studyplatform.kit.web.problem_details import problem
from studyplatform.kit.web.request_id import request_id

logger = logging.getLogger(__name__)

T = TypeVar("T")
REFUSED = -32010  # a refusal of this site; `data` is its problem details
CALLER = "study.caller"
"""The key of the caller in the scope of a request."""


async def run_call(work: Callable[[], T]) -> T:
    """Do the work in the request's own thread, which has its connection to the database."""
    return await sync_to_async(_guarded)(work)


def _guarded(work: Callable[[], T]) -> T:
    """Turn refusals and crashes into errors of the protocol, which reveal no internals.

    :raises MCPError: instead of any other exception.
    """
    try:
        return work()
    except MCPError:
        raise
    except Exception as error:
        refusal = refusal_of(error)
        if refusal is None:
            reference = request_id.get()
            logger.error("Crash in the assistant interface, reference %s", reference, exc_info=error)
            raise error_of(ServerError(reference=reference), types.INTERNAL_ERROR) from error
        raise error_of(refusal) from error


def error_of(refusal: AppError, code: int = REFUSED) -> MCPError:
    """Return the protocol's error of a refusal; its data are the problem details."""
    if isinstance(refusal, ValidationFailed):
        code = types.INVALID_PARAMS
    return MCPError(code, f"{refusal.code}: {refusal.detail}", as_json(problem(refusal)))


def as_json(data: Any) -> Any:
    """Return the data as JSON has them: dates, identifiers and translations become text."""
    return json.loads(json.dumps(data, cls=DjangoJSONEncoder))


def admit(service: Service[Any], caller: Any, scope: str) -> None:
    """Refuse a caller without the scope, or who has called too often.

    :raises AppError: it is refused.
    """
    if scope and scope not in service.scopes_of(caller) and service.scope_refusal is not None:
        raise service.scope_refusal(scope)
    service.admit(caller)


def can_be_stored(arguments: dict[str, Any]) -> bool:
    """Return whether every database can store the texts."""
    text = json.dumps(arguments, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return "\\u0000" not in text
