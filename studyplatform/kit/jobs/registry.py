"""Kinds of background work, and how a job's function says what should happen next."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from django.utils.functional import Promise


class LeaseLost(Exception):
    """Another worker holds the job now: stop, write nothing more."""


class Postpone(Exception):
    """Not now: what the work needs is missing (room on the disk), and that is no failure of the work."""

    def __init__(self, delay: timedelta) -> None:
        super().__init__(delay)
        self.delay = delay


class GiveUp(Exception):
    """Trying again is useless: the job fails at once."""


@dataclass(frozen=True)
class Kind:
    """A sort of work; ``label`` says in words what it does."""

    name: str
    queue: str
    max_attempts: int
    run: Callable[..., None]
    on_failure: Callable[..., None] | None
    on_retry: Callable[..., None] | None = None
    label: str | Promise = ""


KINDS: dict[str, Kind] = {}


def job(
    name: str,
    *,
    queue: str = "default",
    max_attempts: int = 5,
    on_failure: Callable[..., None] | None = None,
    on_retry: Callable[..., None] | None = None,
    label: str | Promise = "",
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Declare a kind of job: ``function(running, **payload)``.

    An AppError or GiveUp ends the job at once (a refusal does not get better by trying again); any other
    exception is tried again with growing pauses; Postpone uses up no attempt. ``on_failure(error, **payload)`` is
    called once when the job is given up; ``on_retry(**payload)`` undoes that when somebody starts it again.
    """

    def register(function: Callable[..., None]) -> Callable[..., None]:
        KINDS[name] = Kind(name, queue, max_attempts, function, on_failure, on_retry, label or name)
        return function

    return register
