"""Who reads, as far as the conditions of queries on boards, topics and posts need it."""

from dataclasses import dataclass
from typing import Any

from apps.accounts.models import User
from apps.accounts.policies import AnyUser
from studyplatform.kit.db.prepared_queries import Param


@dataclass(frozen=True)
class Reader:
    """A user or a visitor. In prepared queries ``pk`` is a parameter, so all readers of a kind share the SQL."""

    pk: Any = None
    is_admin: bool = False
    is_teacher: bool = False
    """May teach, so some boards may be those of their own courses."""
    is_moderator: bool = False
    """May moderate some boards: all as an admin, or those of their own courses."""

    @property
    def is_visitor(self) -> bool:
        """Whether nobody is signed in."""
        return self.pk is None

    def with_pk(self, pk: Param) -> "Reader":
        """A reader of the same kind."""
        return self if self.is_visitor else Reader(pk, self.is_admin, self.is_teacher, self.is_moderator)


def reader_of(user: "AnyUser | Reader") -> Reader:
    """The user as a reader."""
    if isinstance(user, Reader):
        return user
    if not isinstance(user, User):
        return Reader()
    return Reader(user.pk, user.is_admin, user.can_teach, user.is_active and user.can_teach)
