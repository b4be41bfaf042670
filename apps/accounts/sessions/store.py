"""Django's database sessions, stored in accounts.BrowserSession (SESSION_ENGINE)."""

import uuid
from datetime import datetime
from typing import Any, cast

from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore as DatabaseStore
from django.db.models import CharField, Count, DateTimeField, IntegerField, OuterRef, Subquery
from django.utils import timezone

from apps.accounts.models import BrowserSession, Notification, User
from studyplatform.kit.db.prepared_queries import Param, PreparedQuery
from studyplatform.kit.extensions import session_counts


def _unread_count() -> Subquery:
    """How many notifications the header of every page announces."""
    unread = Notification.objects.filter(user=OuterRef("user")).shown().unread().order_by().values("user")
    return Subquery(unread.annotate(count=Count("*")).values("count"), output_field=IntegerField())


_LIVE = PreparedQuery(
    lambda: (
        BrowserSession.objects.select_related("user")
        .annotate(unread=_unread_count(), **{f"count_{name}": count() for name, count in session_counts.items()})
        .filter(session_key=Param("key", CharField()), expire_date__gt=Param("now", DateTimeField()))
        .order_by()
    )
)


class SessionStore(DatabaseStore):
    """A session whose row is loaded together with its user and what is unread (`session_counts`), in one query.

    What ``note_browser`` stores at sign-in is part of the session's data and copied to columns, so that a user's
    browsers can be listed and signed out.
    """

    row: BrowserSession | None = None
    is_signed_out = False  # by this request, so that its answer deletes the cookie

    @classmethod
    def get_model_class(cls) -> type[BrowserSession]:
        return BrowserSession

    def _validate_session_key(self, key: str | None) -> bool:
        # A cookie may contain any character, including those that PostgreSQL refuses in a text.
        return super()._validate_session_key(key) and str(key).isalnum() and str(key).isascii()  # type: ignore[misc]

    def _get_session_from_db(self) -> BrowserSession | None:
        self.row = _LIVE.first(key=self.session_key, now=timezone.now())
        if self.row is None:
            self._session_key = None
        return self.row

    def user_by_pk(self, pk: int) -> User | None:
        """The user with this key: the one loaded with the row, or else one query."""
        if self.row is not None and self.row.user_id == pk:
            return self.row.user
        return User.objects.filter(pk=pk).first()

    def uid(self) -> uuid.UUID:
        """The id of this session that tokens carry."""
        return uuid.UUID(self.setdefault("uid", str(uuid.uuid4())))

    def note_browser(self, *, user_agent: str, address: str | None, now: datetime) -> None:
        """Store the browser that a user has just signed in with. Tokens of an earlier sign-in end."""
        self["uid"] = str(uuid.uuid4())
        self["browser"] = {"user_agent": user_agent[:256], "address": address, "signed_in_at": now.isoformat()}

    def cycle_key(self) -> None:
        # The new row must not have the id of the one it replaces; tokens of the old one end with it.
        self.pop("uid", None)
        super().cycle_key()

    def create_model_instance(self, data: dict[str, Any]) -> BrowserSession:
        signed_in = data.get(SESSION_KEY) is not None
        if signed_in:
            data.setdefault("uid", str(uuid.uuid4()))
        row = cast(BrowserSession, super().create_model_instance(data))
        browser = data.get("browser", {}) if signed_in else {}
        row.uid = uuid.UUID(data["uid"]) if signed_in else uuid.uuid4()
        row.user_id = int(data[SESSION_KEY]) if signed_in else None
        row.user_agent = browser.get("user_agent", "")
        row.address = browser.get("address")
        row.last_seen_at = timezone.now()
        row.signed_in_at = datetime.fromisoformat(browser["signed_in_at"]) if browser else None
        return row

    async def acreate_model_instance(self, data: dict[str, Any]) -> BrowserSession:
        return self.create_model_instance(data)
