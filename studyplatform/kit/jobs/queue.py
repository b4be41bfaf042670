"""Background work that survives a kill at any moment.

The table kit.Job is authoritative, Celery's message only a wake-up. A worker claims the next job of its queue by an
update that only one worker can win, and extends the lease while it works. A job whose lease has expired is claimed
again, so a job may run twice: each must be idempotent.
"""

import logging
import os
import threading
import traceback
import uuid
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from celery import current_app
from django.conf import settings
from django.db import IntegrityError, close_old_connections, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from studyplatform.kit.errors import AppError
from studyplatform.kit.jobs.registry import KINDS, PLANS, GiveUp, Kind, LeaseLost, Postpone
from studyplatform.kit.models import Job

logger = logging.getLogger(__name__)

LEASE = timedelta(seconds=30)
RETRY_BASE = timedelta(seconds=5)
PLAN_EVERY = timedelta(hours=1)
RETENTION = timedelta(days=30)  # how long ended jobs stay in the table


@dataclass
class Running:
    """A claimed job, passed to its function. ``token`` proves that this worker has the lease."""

    job: Job
    token: uuid.UUID
    _last: datetime = field(default_factory=timezone.now)

    def extend_lease(self) -> None:
        """Extend the lease by its usual period, at most every five seconds; cheap to call often.

        :raises LeaseLost: another worker has taken the job over.
        """
        now = timezone.now()
        if now - self._last < LEASE / 6:
            return
        self._last = now
        self.extend_lease_by(LEASE)

    def extend_lease_by(self, period: timedelta) -> None:
        """Let the lease end in ``period`` from now: for a long step that cannot call :meth:`extend_lease`.

        :raises LeaseLost: another worker has taken the job over.
        """
        claimed = Job.objects.filter(pk=self.job.pk, lease_token=self.token, state=Job.State.RUNNING)
        if not claimed.update(lease_until=timezone.now() + period):
            raise LeaseLost(str(self.job))


def enqueue(
    kind: str,
    *,
    key: str = "",
    priority: int = 0,
    delay: timedelta = timedelta(0),
    **payload: Any,
) -> Job:
    """Add a job to the table and wake a worker once the surrounding transaction has committed.

    With a ``key`` there is at most one open job of this kind and key: if one exists it is returned instead.
    """
    queue = KINDS[kind].queue
    now = timezone.now()
    try:
        with transaction.atomic():
            row = Job.objects.create(
                kind=kind, queue=queue, key=key, payload=payload, priority=priority, run_at=now + delay, created_at=now
            )
    except IntegrityError:
        open_ = Job.objects.filter(kind=kind, key=key, state__in=[Job.State.QUEUED, Job.State.RUNNING]).first()
        if open_ is None:  # it ended between the two statements
            return enqueue(kind, key=key, priority=priority, delay=delay, **payload)
        return open_
    transaction.on_commit(lambda: wake_worker(queue))
    return row


def retry(row: Job, *, now: datetime) -> bool:
    """Start a failed job again with all its attempts. Returns whether that was possible.

    Not possible if the job has not failed, its kind no longer exists, or another open job does the same work.
    """
    kind = KINDS.get(row.kind)
    if kind is None:
        return False
    try:
        with transaction.atomic():
            again = Job.objects.filter(pk=row.pk, state=Job.State.FAILED).update(
                state=Job.State.QUEUED, attempts=0, run_at=now, lease_token=None, lease_until=None, finished_at=None
            )
            if again and kind.on_retry:
                kind.on_retry(**row.payload)
    except IntegrityError:
        return False
    if again:
        transaction.on_commit(lambda: wake_worker(kind.queue))
    return bool(again)


def is_alive(kind: str, *, key: str, now: datetime) -> bool:
    """Return whether a job of this kind and key waits, or a worker holds its lease."""
    waits = Q(state=Job.State.QUEUED) | Q(state=Job.State.RUNNING, lease_until__gte=now)
    return Job.objects.filter(waits, kind=kind, key=key).exists()


def wake_worker(queue: str) -> None:
    """Tell a worker that there is work. If the message is lost, the worker's timer finds the job seconds later."""
    if settings.JOBS_IMMEDIATE:
        run_pending(queue)
        return
    try:
        current_app.send_task("kit.run_pending", kwargs={"queue": queue}, queue=queue, retry=False)
    except Exception:
        logger.warning("No wake-up for queue %s; the worker's timer will find the work", queue, exc_info=True)


def claim(queue: str, *, now: datetime) -> Running | None:
    """Claim the next job of the queue: queued and due, or running with an expired lease. None if there is none."""
    due = Q(state=Job.State.QUEUED, run_at__lte=now) | Q(state=Job.State.RUNNING, lease_until__lt=now)
    while True:
        row = Job.objects.filter(due, queue=queue).order_by("-priority", "run_at", "pk").first()
        if row is None:
            return None
        token = uuid.uuid4()
        # The conditions of the read are repeated in the update: only one worker wins.
        is_claimed = Job.objects.filter(due, pk=row.pk, lease_token=row.lease_token).update(
            state=Job.State.RUNNING, lease_token=token, lease_until=now + LEASE, attempts=row.attempts + 1
        )
        if is_claimed:
            row.attempts += 1
            row.lease_token = token
            return Running(row, token)


def perform(running: Running) -> None:
    """Run a claimed job and record the outcome: done, failed, or queued for another attempt."""
    row = running.job
    kind = KINDS.get(row.kind) or Kind(row.kind, row.queue, 1, _fail_unknown_kind, None)
    mine = Job.objects.filter(pk=row.pk, lease_token=running.token)
    try:
        if row.attempts > kind.max_attempts:
            raise RuntimeError(f"given up after {kind.max_attempts} attempts that ended without an error message")
        kind.run(running, **row.payload)
    except LeaseLost:
        logger.warning("%s was taken over by another worker", row)
    except Postpone as later:
        run_at = timezone.now() + later.delay
        mine.update(state=Job.State.QUEUED, run_at=run_at, lease_until=None, attempts=row.attempts - 1)
        logger.log(logging.DEBUG if later.is_planned else logging.WARNING, "%s waits for %s", row, later.delay)
    except Exception as error:
        refused = isinstance(error, AppError | GiveUp)
        if refused or row.attempts >= kind.max_attempts:
            logger.log(logging.INFO if refused else logging.ERROR, "%s failed: %s", row, error, exc_info=not refused)
            _note_failure(mine, kind, row, error)
        else:
            pause = RETRY_BASE * 2 ** (row.attempts - 1)
            mine.update(state=Job.State.QUEUED, run_at=timezone.now() + pause, lease_until=None, error=_trace(error))
            logger.warning("%s will be tried again in %s: %s", row, pause, error, exc_info=True)
    else:
        mine.update(state=Job.State.DONE, lease_until=None, error="", finished_at=timezone.now())


def _note_failure(mine: QuerySet[Job], kind: Kind, row: Job, error: Exception) -> None:
    """Record that a job has failed for good, together with what follows from it: a kill leaves both or neither."""
    changes = {"state": Job.State.FAILED, "error": _trace(error), "lease_until": None, "finished_at": timezone.now()}
    try:
        with transaction.atomic():
            if mine.update(**changes) and kind.on_failure:
                kind.on_failure(error, **row.payload)
    except Exception:
        logger.exception("What follows from the failure of %s could not be recorded", row)
        mine.update(**changes)


def _fail_unknown_kind(running: Running, **payload: Any) -> None:
    """Fail a job whose kind belongs to another release, so that it does not block its queue forever."""
    raise GiveUp("this release has no job of this kind")


def delete_ended_jobs(*, now: datetime) -> None:
    """Delete jobs that ended long ago: the table stays small, and payloads contain personal data."""
    ended = [Job.State.DONE, Job.State.FAILED]
    Job.objects.filter(state__in=ended, finished_at__lt=now - RETENTION).delete()


# One media job at a time per worker process: encoding one video already uses every core.
_slots = {"default": threading.Semaphore(4), "media": threading.Semaphore(1)}


def run_pending(queue: str) -> int:
    """Run all due jobs of the queue. Returns their number, 0 at once if this process already works on the queue."""
    slot = _slots.setdefault(queue, threading.Semaphore(1))
    if not slot.acquire(blocking=False):
        return 0
    try:
        count = 0
        while running := claim(queue, now=timezone.now()):
            perform(running)
            count += 1
        return count
    finally:
        slot.release()


def plan_all(*, now: datetime) -> None:
    """Enqueue the next of each job that plans its successors, where its chain broke. Idempotent."""
    for name, plan in PLANS.items():
        try:
            plan(now)
        except Exception:
            logger.exception("The next job %s could not be planned", name)


def start_timer(queues: list[str], *, every: float = 2.0) -> threading.Thread:
    """Start the worker's thread that looks every ``every`` seconds for due jobs and expired leases."""

    def loop() -> None:
        pause, planned_at = threading.Event(), None
        while not pause.wait(every):
            try:
                now = timezone.now()
                if planned_at is None or now - planned_at >= PLAN_EVERY:
                    plan_all(now=now)
                    planned_at = now
                due = Q(state=Job.State.QUEUED, run_at__lte=now) | Q(state=Job.State.RUNNING, lease_until__lt=now)
                for queue in Job.objects.filter(due, queue__in=queues).values_list("queue", flat=True).distinct():
                    threading.Thread(target=_run_pending_in_thread, args=(queue,), daemon=True).start()
            except Exception:
                logger.exception("The worker's timer failed")
            finally:
                close_old_connections()

    thread = threading.Thread(target=loop, daemon=True, name=f"jobs-timer-{os.getpid()}")
    thread.start()
    return thread


def _run_pending_in_thread(queue: str) -> None:
    try:
        run_pending(queue)
    finally:
        close_old_connections()


def _trace(error: BaseException) -> str:
    return "".join(traceback.format_exception(error))[-4000:]
