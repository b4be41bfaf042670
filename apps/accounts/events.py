"""Facts about people."""

from dataclasses import dataclass

from studyplatform.kit.events import Event


@dataclass(frozen=True, kw_only=True)
class PersonSignedUp(Event):
    user_id: int


@dataclass(frozen=True, kw_only=True)
class PersonBlocked(Event):
    user_id: int


@dataclass(frozen=True, kw_only=True)
class RoleChanged(Event):
    user_id: int


@dataclass(frozen=True, kw_only=True)
class EmailChanged(Event):
    user_id: int
    old: str


@dataclass(frozen=True, kw_only=True)
class PersonLeft(Event):
    """The account was deleted: its row names nobody any more."""

    user_id: int
