"""The folder that takes the place of a message broker on one machine: kombu's, with whole messages.

kombu writes a message under the name by which it is found. A worker that looks at that moment takes half of it, cannot
read it, and ends. Here a message gets its name when it is whole, and one that cannot be read is dropped: it was a
wake-up, and the job table is the truth.
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
    """What reads and writes the folder in one process."""

    _writing = threading.local()

    @property
    def data_folder_out(self) -> str:
        """Where a message is written before others may see it."""
        return str(self._writing.folder)

    def _put(self, queue: str, payload: Any, **kwargs: Any) -> None:  # type: ignore[override]  # kombu has two
        seen = Path(self.data_folder_in)
        with tempfile.TemporaryDirectory(dir=seen.parent, prefix=".writing-") as folder:
            self._writing.folder = folder
            super()._put(queue, payload, **kwargs)
            for whole in Path(folder).iterdir():
                whole.rename(seen / whole.name)

    def _get(self, queue: str, timeout: float | None = None) -> Any:
        try:
            return super()._get(queue)
        except ValueError:
            logger.warning("A message in the folder of %s could not be read and was dropped", queue)
            raise Empty from None

    def get_table(self, exchange: str) -> Any:
        """Which queues an exchange feeds.

        :raises ChannelError: there is no such exchange.
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
        except ValueError:  # what a killed process left unfinished; each process that starts adds its queues
            (self.control_folder / f"{exchange}.exchange").unlink(missing_ok=True)
            super()._queue_bind(exchange, routing_key, pattern, queue)


class Transport(filesystem.Transport):
    """``folder://`` in ``CELERY_BROKER_URL``."""

    Channel = Channel
