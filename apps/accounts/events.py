"""Facts about people."""

from dataclasses import dataclass

from studyplatform.kit.events import Event


@dataclass(frozen=True, kw_only=True)
class AccountDeleted(Event):
    """The account was deleted: its row names nobody any more."""

    user_id: int
