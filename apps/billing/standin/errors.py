"""Errors in the shape of Stripe's API: https://docs.stripe.com/api/errors."""

from typing import Any

Json = dict[str, Any]


class ApiError(Exception):
    """One refusal: an HTTP status and Stripe's ``error`` object.

    ``keeps``: what the call changed until then is kept (a declined charge leaves its traces); otherwise it is undone.
    """

    def __init__(
        self, message: str, *, type: str, status: int, code: str | None = None, param: str | None = None,
        keeps: bool = False, **more: Any,
    ) -> None:  # fmt: skip
        super().__init__(message)
        self.status = status
        self.keeps = keeps
        self.error: Json = {"type": type, "message": message, **more}
        if code:
            self.error |= {"code": code, "doc_url": f"https://stripe.com/docs/error-codes/{code.replace('_', '-')}"}
        if param:
            self.error["param"] = param


def invalid(message: str, param: str | None = None, code: str | None = None, status: int = 400) -> ApiError:
    """An ``invalid_request_error``: the call itself was wrong."""
    return ApiError(message, type="invalid_request_error", status=status, code=code, param=param)


def missing(kind: str, id: str, param: str = "id") -> ApiError:
    """The object does not exist (``resource_missing``)."""
    return invalid(f"No such {kind}: '{id}'", param=param, code="resource_missing", status=404)


def parameter_missing(name: str) -> ApiError:
    """A required parameter was left out."""
    return invalid(f"Missing required param: {name}.", param=name, code="parameter_missing")


def wrong_state(kind: str, message: str, code: str, **more: Any) -> ApiError:
    """The object is in a state that does not allow the call, e.g. ``payment_intent_unexpected_state``."""
    return ApiError(message, type="invalid_request_error", status=400, code=f"{kind}_{code}", **more)


def card_error(
    message: str, code: str, *, decline_code: str | None = None, param: str | None = None, **more: Any
) -> ApiError:
    """A ``card_error``: the bank or the card's data refused the payment."""
    extra = {"decline_code": decline_code} if decline_code else {}
    return ApiError(message, type="card_error", status=402, code=code, param=param, keeps=True, **extra, **more)
