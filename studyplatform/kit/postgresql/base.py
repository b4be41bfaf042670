"""Django's PostgreSQL with a cheaper look whether a kept connection still stands (ENGINE)."""

import select

from django.db.backends.postgresql import base


class DatabaseWrapper(base.DatabaseWrapper):
    """A server that closes a connection says so on its socket; only then is it asked with a query.

    Django asks with a query at the start of each request, which costs as much as half a page.
    """

    def is_usable(self) -> bool:
        if self.connection is None:
            return False
        look = select.poll()
        look.register(self.connection.fileno(), select.POLLIN | select.POLLPRI)
        return not look.poll(0) or super().is_usable()
