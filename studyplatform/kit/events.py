"""Typed events, delivered to every subscriber after commit. Apps publish them for the apps that import them."""

import logging
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from django.db import transaction

logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Event:
    """Something that happened, named in the past tense. Its fields are ids only."""


E = TypeVar("E", bound=Event)
_subscribers: dict[type[Event], list[Callable[..., None]]] = defaultdict(list)


def subscribe(kind: type[E]) -> Callable[[Callable[[E], None]], Callable[[E], None]]:
    """Register a receiver of one kind of event. It may be called twice for the same event, so it must be idempotent."""

    def register(receiver: Callable[[E], None]) -> Callable[[E], None]:
        _subscribers[kind].append(receiver)
        return receiver

    return register


def publish(event: Event) -> None:
    """Call every subscriber once the surrounding transaction has committed.

    A subscriber's failure is logged and affects neither the others nor the caller.
    Work that must not be lost belongs in a job.
    """

    def deliver() -> None:
        for receiver in _subscribers[type(event)]:
            try:
                receiver(event)
            except Exception:
                logger.exception("A subscriber failed on %s", event)

    transaction.on_commit(deliver)
