"""The left tells, the right listens: typed facts, after commit, delivered to every subscriber."""

import logging
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from django.db import transaction

logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Event:
    """A past-tense fact with ids only."""


E = TypeVar("E", bound=Event)
_subscribers: dict[type[Event], list[Callable[..., None]]] = defaultdict(list)


def subscribe(kind: type[E]) -> Callable[[Callable[[E], None]], Callable[[E], None]]:
    """Register a receiver of one kind of event. It may be called twice for the same fact."""

    def register(receiver: Callable[[E], None]) -> Callable[[E], None]:
        _subscribers[kind].append(receiver)
        return receiver

    return register


def publish(event: Event) -> None:
    """Tell every subscriber once the surrounding transaction has committed.

    A subscriber's failure is logged and kept from the others and from the caller;
    what must not be lost is a job.
    """

    def tell() -> None:
        for receiver in _subscribers[type(event)]:
            try:
                receiver(event)
            except Exception:
                logger.exception("A subscriber failed on %s", event)

    transaction.on_commit(tell)
