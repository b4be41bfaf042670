"""Background work that survives a kill at any moment: declare a kind with ``@job``, start one with ``enqueue``.

``registry`` has the kinds, ``queue`` the table, the leases and the worker, ``tasks`` the Celery task.
"""

from studyplatform.kit.jobs.queue import (
    LEASE,
    RETENTION,
    Running,
    claim,
    delete_ended_jobs,
    enqueue,
    is_alive,
    perform,
    plan_all,
    retry,
    run_pending,
    start_timer,
    wake_worker,
)
from studyplatform.kit.jobs.registry import KINDS, PLANS, GiveUp, JobSubject, Kind, LeaseLost, Postpone, job

__all__ = [
    "KINDS",
    "LEASE",
    "PLANS",
    "RETENTION",
    "GiveUp",
    "JobSubject",
    "Kind",
    "LeaseLost",
    "Postpone",
    "Running",
    "claim",
    "delete_ended_jobs",
    "enqueue",
    "is_alive",
    "job",
    "perform",
    "plan_all",
    "retry",
    "run_pending",
    "start_timer",
    "wake_worker",
]
