"""The database engine: Django's PostgreSQL with a cheaper check of persistent connections, and prepared statements."""

import select
import sys
from typing import Any, cast

import psycopg
from django.db.backends.postgresql import base
from django.db.backends.utils import CursorWrapper

_PREPARED = "prepared"


class PreparedCursor(psycopg.Cursor[Any]):
    """A cursor whose statements the server parses and plans only once per connection."""

    def execute(self, query: Any, params: Any = None, **kwargs: Any) -> "PreparedCursor":
        return super().execute(query, params, **{**kwargs, "prepare": True})


class DatabaseWrapper(base.DatabaseWrapper):
    def get_connection_params(self) -> dict[str, Any]:
        params = super().get_connection_params()
        if self.settings_dict["CONN_MAX_AGE"] != 0:
            # Prepare only through PreparedCursor: a statement whose SQL differs each time would add one each time.
            params["prepare_threshold"] = sys.maxsize
        return params

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        self._prepared_cursors: dict[str, CursorWrapper] = {}
        return super().get_new_connection(conn_params)

    def create_cursor(self, name: str | None = None) -> Any:
        return PreparedCursor(self.connection) if name == _PREPARED else super().create_cursor(name)

    def prepared_cursor(self, sql: str) -> CursorWrapper:
        """The connection's cached cursor for this statement. Do not close it; read all its rows before the next call.

        Creating one each time, with the loaders of 30 columns, would cost half as much as the statement.
        """
        self.close_if_health_check_failed()
        self.ensure_connection()
        self.validate_thread_sharing()
        cursor = self._prepared_cursors.get(sql)
        if cursor is None or cursor.cursor.closed or self.queries_logged:
            cursor = cast(CursorWrapper, self._cursor(_PREPARED))  # type: ignore[attr-defined]  # not in the stubs
            self._prepared_cursors[sql] = cursor
        return cursor

    def is_usable(self) -> bool:
        """Poll the socket, and send a query only if there is something to read: a closing server writes to it.

        Django sends a query at the start of each request, which costs as much as half a page.
        """
        if self.connection is None:
            return False
        poll = select.poll()
        poll.register(self.connection.fileno(), select.POLLIN | select.POLLPRI)
        return not poll.poll(0) or super().is_usable()
