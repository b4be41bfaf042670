"""Lessons that learners download, and the service worker that shows them without a connection."""

from django.core.exceptions import ImproperlyConfigured

from studyplatform.settings import env

# The kill switch: without it, /sw.js removes the service worker from every browser, and pages register none.
SERVICE_WORKER = env.flag("SERVICE_WORKER", default=True)
OFFLINE_DAYS = env.number("OFFLINE_DAYS", 30)  # how long a downloaded lesson opens without a contact
MAX_OFFLINE_DEVICES = env.number("MAX_OFFLINE_DEVICES", 10)  # browsers in which one learner stores lessons
for _name in ("OFFLINE_DAYS", "MAX_OFFLINE_DEVICES"):
    if globals()[_name] < 1:
        raise ImproperlyConfigured(f"{_name} must be at least 1.")
