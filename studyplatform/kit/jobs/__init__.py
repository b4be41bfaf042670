"""Background work that survives a kill at any moment: declare a kind with ``@job``, ask for it with ``enqueue``.

``registry`` holds the kinds, ``queue`` the table, the leases and the worker, ``tasks`` what Celery calls.
"""

from studyplatform.kit.jobs.queue import (
    KEEP,
    LEASE,
    Running,
    claim,
    enqueue,
    perform,
    retry,
    run_pending,
    start_timer,
    sweep,
    wake,
)
from studyplatform.kit.jobs.registry import KINDS, GiveUp, JobSubject, Kind, LeaseLost, Postpone, job

__all__ = [
    "KEEP",
    "KINDS",
    "LEASE",
    "GiveUp",
    "JobSubject",
    "Kind",
    "LeaseLost",
    "Postpone",
    "Running",
    "claim",
    "enqueue",
    "job",
    "perform",
    "retry",
    "run_pending",
    "start_timer",
    "sweep",
    "wake",
]
