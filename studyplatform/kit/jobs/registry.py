"""Kinds of background work, and the exceptions by which a job's function controls what happens next."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.utils.functional import Promise

from studyplatform.kit.registry import Registry


class LeaseLost(Exception):
    """Another worker has claimed the job: stop and write nothing more."""


class Postpone(Exception):
    """Run the job again after ``delay``. Not counted as an attempt.

    ``is_planned``: the job looks again at times, as it should; otherwise something it needs is missing (disk space).
    """

    def __init__(self, delay: timedelta, *, is_planned: bool = False) -> None:
        super().__init__(delay)
        self.delay = delay
        self.is_planned = is_planned


class GiveUp(Exception):
    """Fail the job at once, because another attempt would fail too."""


@dataclass(frozen=True)
class JobSubject:
    """What a job is about, for admins: a text, and the URL of its page if it has one."""

    text: str
    url: str = ""


Describe = Callable[[Sequence[Mapping[str, Any]]], Sequence[JobSubject | None]]
"""Takes the payloads of several jobs and returns what each is about, in the same order; None if it no longer exists.

It receives several payloads at once so that a list of jobs costs one query per kind. A payload may come from another
release and lack a field.
"""


def about_nothing(payloads: Sequence[Mapping[str, Any]]) -> Sequence[JobSubject | None]:
    """The default of ``about``: the label alone says what the job does."""
    return [None] * len(payloads)


@dataclass(frozen=True)
class Kind:
    """A kind of background work. ``label`` describes what it does, ``about`` returns what a job is about."""

    name: str
    queue: str
    max_attempts: int
    run: Callable[..., None]
    on_failure: Callable[..., None] | None
    on_retry: Callable[..., None] | None = None
    label: str | Promise = ""
    about: Describe = about_nothing


KINDS: Registry[Kind] = Registry("jobs")

PLANS: Registry[Callable[[datetime], object]] = Registry("planned jobs")
"""What enqueues the next of the jobs that plan their successors: called when a worker starts, and every hour, so that a
chain that broke continues. It does nothing where the job is enqueued already."""


def job(
    name: str,
    *,
    queue: str = "default",
    max_attempts: int = 5,
    on_failure: Callable[..., None] | None = None,
    on_retry: Callable[..., None] | None = None,
    label: str | Promise = "",
    about: Describe = about_nothing,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Declare a kind of job: ``function(running, **payload)``.

    An AppError or GiveUp ends the job at once (a refusal would be the same again); after any other
    exception it is retried with growing pauses; Postpone uses up no attempt. ``on_failure(error, **payload)`` is
    called when the job has failed for good, in the transaction that records it; ``on_retry(**payload)`` undoes that
    when an admin starts it again. ``label`` and ``about`` are what admins see of such a job.
    """

    def register(function: Callable[..., None]) -> Callable[..., None]:
        KINDS.register(name, Kind(name, queue, max_attempts, function, on_failure, on_retry, label or name, about))
        return function

    return register
