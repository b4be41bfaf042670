"""kombu's folder transport, which replaces a message broker on one machine, with atomic writes.

kombu writes a message under its final name, so a worker that reads it at that moment gets half of it, cannot parse it,
and ends. Here a message is renamed once it is complete, and one that cannot be parsed is dropped: it is only a wake-up,
and the job table is authoritative.
"""

import logging
import tempfile
import threading
import time
from pathlib import Path
from queue import Empty
from typing import Any

from kombu.transport import filesystem

logger = logging.getLogger(__name__)
TRIES = 20  # to read a table that another process is writing
PAUSE = 0.01  # seconds between them


class Channel(filesystem.Channel):
    """Reads and writes the folder in one process."""

    _writing = threading.local()

    @property
    def data_folder_out(self) -> str:
        """The folder in which a message is written before others may see it."""
        return str(self._writing.folder)

    def _put(self, queue: str, payload: Any, **kwargs: Any) -> None:  # type: ignore[override]  # kombu declares two signatures
        inbox = Path(self.data_folder_in)
        with tempfile.TemporaryDirectory(dir=inbox.parent, prefix=".writing-") as folder:
            self._writing.folder = folder
            super()._put(queue, payload, **kwargs)
            for complete in Path(folder).iterdir():
                complete.rename(inbox / complete.name)

    def _get(self, queue: str, timeout: float | None = None) -> Any:
        try:
            return super()._get(queue)
        except ValueError:
            logger.warning("A message in the folder of %s could not be read and was dropped", queue)
            raise Empty from None

    def get_table(self, exchange: str) -> Any:
        """The queues bound to an exchange.

        :raises ChannelError: the exchange does not exist.
        """
        for _ in range(TRIES):
            try:
                return super().get_table(exchange)
            except ValueError:  # emptied by a process that is about to write it
                time.sleep(PAUSE)
        return super().get_table(exchange)

    def _queue_bind(self, exchange: str, routing_key: Any, pattern: str | None, queue: str) -> None:
        try:
            super()._queue_bind(exchange, routing_key, pattern, queue)
        except ValueError:  # a killed process left it unfinished; each process binds its queues when it starts
            (self.control_folder / f"{exchange}.exchange").unlink(missing_ok=True)
            super()._queue_bind(exchange, routing_key, pattern, queue)


class Transport(filesystem.Transport):
    """``folder://`` in ``CELERY_BROKER_URL``."""

    Channel = Channel
