"""Events of accounts."""

from dataclasses import dataclass

from studyplatform.kit.events import Event


@dataclass(frozen=True, kw_only=True)
class AccountDeleted(Event):
    """The account was deleted: its row names no one any longer."""

    user_id: int
