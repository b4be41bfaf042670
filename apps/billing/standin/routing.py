"""Which function answers which method and address."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from apps.billing.standin.errors import Json, invalid
from apps.billing.standin.forms import Params

if TYPE_CHECKING:
    from apps.billing.standin.work import Work

Handler = Callable[..., Json]


@dataclass(frozen=True)
class Route:
    """``is_public``: the browser may call it with the publishable key."""

    pattern: re.Pattern[str]
    answer: Handler
    is_public: bool


_ROUTES: dict[tuple[str, int], list[Route]] = {}


def route(method: str, path: str, *, is_public: bool = False) -> Callable[[Handler], Handler]:
    """Declare the function that answers an address of the API; ``{id}`` in it becomes an argument."""

    def declare(answer: Handler) -> Handler:
        pattern = re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", path) + r"\Z")
        _ROUTES.setdefault((method, path.count("/")), []).append(Route(pattern, answer, is_public))
        return answer

    return declare


def find(method: str, path: str) -> tuple[Route, dict[str, str]]:
    """The route and the arguments in its address.

    :raises ApiError: there is no such address.
    """
    for one in _ROUTES.get((method, path.count("/")), []):
        if match := one.pattern.match(path):
            return one, match.groupdict()
    raise invalid(f"Unrecognized request URL ({method}: {path}). The stand-in does not know this address.", status=404)


def answer(work: "Work", found: Route, arguments: dict[str, str], params: Params) -> Json:
    """Call the function and refuse parameters that it did not read."""
    result = found.answer(work, params, **arguments)
    params.refuse_unknown()
    return result
