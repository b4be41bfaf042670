"""Background jobs in Django's admin. The page /dashboard/admin/jobs retries them."""

from studyplatform.kit.models import Job
from studyplatform.kit.web.read_only_admin import register_read_only

register_read_only(
    Job,
    ["kind", "state", "attempts", "run_at", "created_at", "finished_at"],
    filters=["state", "queue", "kind"],
    search=["kind", "key"],
    hidden=["lease_token", "payload"],
)
