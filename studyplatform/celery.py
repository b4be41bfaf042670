"""The Celery application. Its messages only wake the worker; the job table holds the work."""

import os
from typing import Any

from celery import Celery
from celery.signals import worker_ready
from kombu.transport import TRANSPORT_ALIASES

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "studyplatform.settings.embedded")

TRANSPORT_ALIASES["folder"] = "studyplatform.kit.jobs.folder_broker:Transport"
app = Celery("studyplatform")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["studyplatform.kit.jobs"])


@worker_ready.connect
def watch_the_table(sender: Any, **_: Any) -> None:
    """Start the timer that finds work whose wake-up was lost, for the queues this worker serves."""
    from studyplatform.kit import jobs  # noqa: PLC0415 (needs the app registry)

    jobs.start_timer([queue.name for queue in sender.task_consumer.queues])
