"""How long a test and its PostgreSQL computed: on a busy machine this changes less than the time that passed."""

import time
from pathlib import Path

from django.db import connection


class CpuClock:
    """Counts the CPU of this process and of the server's process for its connection, on this machine."""

    def __init__(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_backend_pid()")
            self._database = Path(f"/proc/{cursor.fetchone()[0]}/schedstat")  # Linux: nanoseconds come first

    def read(self) -> float:
        """Return the seconds so far."""
        return time.process_time() + int(self._database.read_text().split()[0]) / 1e9
