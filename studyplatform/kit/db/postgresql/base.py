"""Django's PostgreSQL with a cheaper look at kept connections and statements that stay planned (ENGINE)."""

import select
import sys
from typing import Any, cast

import psycopg
from django.db.backends.postgresql import base
from django.db.backends.utils import CursorWrapper

_PREPARED = "prepared"


class PreparedCursor(psycopg.Cursor[Any]):
    """Lets the server parse and plan a statement once per connection, where connections are kept."""

    def execute(self, query: Any, params: Any = None, **kwargs: Any) -> "PreparedCursor":
        return super().execute(query, params, **{**kwargs, "prepare": True})


class DatabaseWrapper(base.DatabaseWrapper):
    def get_connection_params(self) -> dict[str, Any]:
        params = super().get_connection_params()
        if self.settings_dict["CONN_MAX_AGE"] != 0:
            # Only what asks for it is prepared: a statement that is built anew each time would be one more each time.
            params["prepare_threshold"] = sys.maxsize
        return params

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        self._kept_cursors: dict[str, CursorWrapper] = {}
        return super().get_new_connection(conn_params)

    def create_cursor(self, name: str | None = None) -> Any:
        return PreparedCursor(self.connection) if name == _PREPARED else super().create_cursor(name)

    def prepared_cursor(self, sql: str) -> CursorWrapper:
        """The connection's cursor for this statement, which must not be closed, and is used by one at a time.

        Making it anew, with its readers of 30 columns, would cost half of what the statement does.
        """
        self.close_if_health_check_failed()
        self.ensure_connection()
        self.validate_thread_sharing()
        kept = self._kept_cursors.get(sql)
        if kept is None or kept.cursor.closed or self.queries_logged:
            kept = cast(CursorWrapper, self._cursor(_PREPARED))  # type: ignore[attr-defined]  # not in the stubs
            self._kept_cursors[sql] = kept
        return kept

    def is_usable(self) -> bool:
        """A server that closes a connection says so on its socket; only then is it asked with a query.

        Django asks with a query at the start of each request, which costs as much as half a page.
        """
        if self.connection is None:
            return False
        look = select.poll()
        look.register(self.connection.fileno(), select.POLLIN | select.POLLPRI)
        return not look.poll(0) or super().is_usable()
