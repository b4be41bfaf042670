"""The job table: who may take a job, what a kill leaves behind, what is tried again."""

import logging
import threading
import time
from dataclasses import dataclass, replace
from datetime import timedelta

import pytest
import time_machine
from celery import Celery
from django.db import connection, transaction
from django.utils import timezone

from studyplatform.kit import jobs
from studyplatform.kit.errors import NotFound
from studyplatform.kit.models import Job
from tests.servers import free_port

pytestmark = [pytest.mark.database, pytest.mark.django_db(transaction=True)]


@dataclass
class Log:
    runs: list[dict]
    failures: list[str]


@pytest.fixture
def log():
    """A kind of job that notes its runs; ``raises`` in the payload decides how it ends."""
    seen = Log([], [])

    def work(running, **payload):
        seen.runs.append(payload)
        match payload.get("raises"):
            case "refusal":
                raise NotFound
            case "crash":
                raise OSError("disk on fire")
            case "later":
                raise jobs.Postpone(timedelta(minutes=1), is_planned=bool(payload.get("planned")))

    jobs.KINDS["test.note"] = jobs.Kind(
        "test.note", "default", 3, work, lambda error, **_: seen.failures.append(type(error).__name__)
    )
    yield seen
    del jobs.KINDS["test.note"]


def test_an_enqueued_job_runs(log):
    row = jobs.enqueue("test.note", n=1)

    jobs.run_pending("default")

    row.refresh_from_db()
    assert log.runs == [{"n": 1}]
    assert row.state == Job.State.DONE


def test_a_postponed_job_uses_no_attempt(log):
    row = jobs.enqueue("test.note", raises="later")
    for _ in range(5):
        Job.objects.update(run_at=timezone.now())
        jobs.run_pending("default")

    row.refresh_from_db()
    assert len(log.runs) == 5
    assert (row.state, row.attempts, log.failures) == (Job.State.QUEUED, 0, [])
    assert row.run_at > timezone.now() + timedelta(seconds=50)


def test_only_a_job_that_lacks_something_is_logged_as_waiting(log, caplog):
    jobs.enqueue("test.note", raises="later", planned=True)
    jobs.run_pending("default")
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.INFO] == []

    jobs.enqueue("test.note", raises="later")
    jobs.run_pending("default")
    [told] = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
    assert "waits for 0:01:00" in told


def test_old_ended_jobs_are_deleted_but_open_ones_stay(log):
    for raises in ("", "refusal"):
        jobs.enqueue("test.note", raises=raises)
    jobs.run_pending("default")
    waiting = jobs.enqueue("test.note", delay=timedelta(days=90))

    jobs.delete_ended_jobs(now=timezone.now() + timedelta(days=29))
    assert Job.objects.count() == 3
    jobs.delete_ended_jobs(now=timezone.now() + timedelta(days=31))
    assert Job.objects.get() == waiting


def test_a_job_of_another_release_fails_without_blocking_others(log):
    gone = jobs.enqueue("test.note", n="gone", priority=5)
    Job.objects.update(kind="test.gone")
    jobs.enqueue("test.note", n="next")

    jobs.run_pending("default")

    gone.refresh_from_db()
    assert (gone.state, "has no job of this kind" in gone.error) == (Job.State.FAILED, True)
    assert log.runs == [{"n": "next"}]


def test_a_broker_that_is_down_delays_no_request(settings, monkeypatch):
    app = Celery(broker=f"redis://127.0.0.1:{free_port()}/0", set_as_current=False)
    app.conf.broker_transport_options = settings.REDIS_BROKER_OPTIONS
    monkeypatch.setattr(jobs.queue, "current_app", app)
    jobs.wake_worker("default")  # the first call imports the transport, which takes seconds on a busy machine

    began = time.monotonic()
    jobs.wake_worker("default")

    assert time.monotonic() - began < 20  # without a limit it would take minutes


def test_jobs_run_by_priority(log):
    jobs.enqueue("test.note", n="low")
    jobs.enqueue("test.note", n="high", priority=5)

    jobs.run_pending("default")

    assert [run["n"] for run in log.runs] == ["high", "low"]


def test_there_is_one_open_job_per_key(log):
    first = jobs.enqueue("test.note", key="lesson-1")
    second = jobs.enqueue("test.note", key="lesson-1")

    assert second.pk == first.pk
    jobs.run_pending("default")
    assert jobs.enqueue("test.note", key="lesson-1").pk != first.pk


def test_nothing_is_enqueued_by_a_transaction_that_fails(log):
    def enqueue_and_fail():
        with transaction.atomic():
            jobs.enqueue("test.note")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        enqueue_and_fail()

    assert not Job.objects.exists()


def test_a_refusal_is_final_and_reported_once(log):
    row = jobs.enqueue("test.note", raises="refusal")

    jobs.run_pending("default")

    row.refresh_from_db()
    assert (row.state, row.attempts, log.failures) == (Job.State.FAILED, 1, ["NotFound"])


def test_a_crash_is_tried_again_later_until_it_is_given_up(log):
    row = jobs.enqueue("test.note", raises="crash")
    now = timezone.now()

    for minute in range(5):
        with time_machine.travel(now + timedelta(minutes=minute), tick=False):
            jobs.run_pending("default")

    row.refresh_from_db()
    assert (row.state, row.attempts, log.failures) == (Job.State.FAILED, 3, ["OSError"])
    assert "disk on fire" in row.error


def test_the_job_of_a_killed_worker_is_claimed_after_its_lease(log):
    row = jobs.enqueue("test.note")
    dead = jobs.claim("default", now=timezone.now())
    assert dead is not None

    assert jobs.claim("default", now=timezone.now()) is None
    later = timezone.now() + jobs.LEASE + timedelta(seconds=1)
    successor = jobs.claim("default", now=later)

    assert successor is not None
    assert successor.job.pk == row.pk
    with time_machine.travel(later, tick=False), pytest.raises(jobs.LeaseLost):
        dead.extend_lease()


def test_the_late_worker_cannot_write_over_its_successor(log):
    jobs.enqueue("test.note")
    late = jobs.claim("default", now=timezone.now())
    successor = jobs.claim("default", now=timezone.now() + jobs.LEASE + timedelta(seconds=1))
    assert late is not None
    assert successor is not None

    jobs.perform(late)

    assert Job.objects.get().state == Job.State.RUNNING
    jobs.perform(successor)
    assert Job.objects.get().state == Job.State.DONE


def test_a_job_that_kills_its_worker_each_time_is_given_up(log):
    row = jobs.enqueue("test.note")
    now = timezone.now()
    for kill in range(3):
        assert jobs.claim("default", now=now + (jobs.LEASE * 2) * kill) is not None

    with time_machine.travel(now + jobs.LEASE * 8, tick=False):
        jobs.run_pending("default")

    row.refresh_from_db()
    assert row.state == Job.State.FAILED
    assert log.runs == []


def test_a_kill_leaves_both_the_failure_and_what_follows_from_it_or_neither(log, monkeypatch):
    row = jobs.enqueue("test.note", raises="refusal")
    kind = jobs.KINDS["test.note"]

    def killed(error, **payload):
        raise KeyboardInterrupt

    monkeypatch.setitem(jobs.KINDS, "test.note", replace(kind, on_failure=killed))
    with pytest.raises(KeyboardInterrupt):
        jobs.run_pending("default")
    row.refresh_from_db()
    assert row.state == Job.State.RUNNING

    monkeypatch.setitem(jobs.KINDS, "test.note", kind)
    Job.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    jobs.run_pending("default")
    row.refresh_from_db()
    assert (row.state, log.failures) == (Job.State.FAILED, ["NotFound"])


def test_a_job_fails_also_if_what_follows_breaks(log, monkeypatch):
    def broken(error, **payload):
        raise LookupError("odd")

    monkeypatch.setitem(jobs.KINDS, "test.note", replace(jobs.KINDS["test.note"], on_failure=broken))
    row = jobs.enqueue("test.note", raises="refusal")
    jobs.run_pending("default")

    row.refresh_from_db()
    assert row.state == Job.State.FAILED
    assert "NotFound" in row.error


def test_many_workers_take_each_job_once(log):
    for n in range(20):
        jobs.enqueue("test.note", n=n)
    taken: list[int] = []

    def take():
        try:
            while running := jobs.claim("default", now=timezone.now()):
                taken.append(running.job.pk)
        finally:
            connection.close()

    threads = [threading.Thread(target=take) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(taken) == len(set(taken)) == 20


def test_what_plans_itself_is_planned_again_and_one_that_breaks_hides_no_other(monkeypatch, caplog, log):
    def breaks(now):
        raise RuntimeError("odd")

    monkeypatch.setitem(jobs.PLANS, "odd", breaks)
    monkeypatch.setitem(jobs.PLANS, "test.note", lambda now: jobs.enqueue("test.note", key="tomorrow"))
    for _ in range(2):
        jobs.plan_all(now=timezone.now())

    assert "odd could not be planned" in caplog.text
    assert Job.objects.filter(kind="test.note").count() == 1
