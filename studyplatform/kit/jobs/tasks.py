"""The Celery task that runs the jobs of the table."""

from celery import shared_task

from studyplatform.kit import jobs


@shared_task(name="kit.run_pending")
def run_pending(*, queue: str) -> None:
    jobs.run_pending(queue)
